/** A task board's workflow becomes tools, and entering a status does real work. Run it: `npx tsx examples/task-workflow.ts` */
import { pathToFileURL } from "node:url";
// In your project: from "boardwalk".
import { createFsmMcpBridge, fsmFromStatusGraph, toUtterances } from "../src/index.js";

interface TicketContext {
  prUrl?: string;
}

/** Stands for a call to your code host. */
async function pushDraftPullRequest(): Promise<{ url: string }> {
  return { url: "https://example.com/pull/42" };
}

export const ticketWorkflow = fsmFromStatusGraph<TicketContext>({
  id: "ticket",
  initial: "todo",
  context: {},
  graph: {
    todo: ["in_progress"],
    in_progress: ["to_review"],
    to_review: ["approved", "todo"],
    approved: ["done"],
    done: [],
  },
  prompts: { to_review: "In review. A draft pull request is up." },
  onEnter: {
    // Awaited before the reply is made: when the tool answers, the pull request is there.
    to_review: async () => ({ prUrl: (await pushDraftPullRequest()).url }),
  },
});

export async function main(print: (line: string) => void = console.log): Promise<void> {
  const bridge = createFsmMcpBridge(ticketWorkflow);
  bridge.onTransition(({ event, snapshot }) => print(`  (${event} -> ${snapshot.value})`));
  for (const status of ["to_review", "in_progress", "to_review", "approved", "done"]) {
    const tool = bridge.tools.find(({ name }) => name === `ticket_move_to_${status}`);
    const result = await tool?.handler({});
    print(`${status}: ${result?.content[0]?.text}`);
  }
  print(`pull request: ${bridge.getSnapshot().context.prUrl}`);
  for (const locale of ["en", "pt", "ja"] as const) {
    print(`${locale}: ${toUtterances(ticketWorkflow, { locale })[0]?.utterances.join(" / ")}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
