import { afterEach, describe, expect, it } from "vitest";
import { demoJiraSite } from "../../connectors/jira/emulator.js";
import { BoardwalkError } from "../../src/errors.js";
import { only, pull } from "../contract/connector/harness.js";
import { jiraHarness } from "../contract/jira.harness.js";

/** Kinds of trouble that people have reported of Jira; see docs/cases.md. */

const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function opened(site = demoJiraSite({ issues: [{ title: "Login bug" }] })) {
  const harness = await jiraHarness({ site });
  closers.push(() => harness.close());
  return { emulator: harness.emulator, connector: harness.connect() };
}

describe("a status id in the place of a transition id", () => {
  it("moves nothing, and is told as a move that is not open", async () => {
    const { emulator, connector } = await opened();
    const [issue] = [...emulator.site.issues.values()];
    const ticket = only(await pull(connector));
    if (issue === undefined) throw new Error("there is one");
    const [move] = await connector.openMoves(ticket, never);
    if (move === undefined) throw new Error("there is a move");
    for (const id of [move.to, "Done", "10001"]) {
      const error = await connector
        .move(ticket, { ...move, id }, {}, never)
        .catch((thrown: unknown) => BoardwalkError.from(thrown));
      expect(["no_such_move", "invalid"]).toContain((error as BoardwalkError).code);
      expect(issue.status).toBe(ticket.status);
    }
  });
});

describe("statuses of one name in every project", () => {
  it("are those of the connected project alone", async () => {
    const site = demoJiraSite({ issues: [] });
    const { emulator, connector } = await opened({ ...site, otherProjects: [operations(site)] });
    const graphs = await connector.pullWorkflows(never);
    const ids = graphs.flatMap(({ statuses }) => statuses.map(({ id }) => id));
    expect(ids).not.toContain("20001");
    const names = graphs[0]?.statuses.map(({ name }) => name) ?? [];
    expect(new Set(names).size).toBe(names.length);
    expect([...emulator.site.statuses.values()].filter(({ name }) => name === "Done").length).toBeGreaterThan(
      1,
    );
  });
});

/** A project whose statuses are called the same and are its own, as team-managed projects have them. */
function operations(site: ReturnType<typeof demoJiraSite>) {
  const own = (id: string) => `2${id.slice(1)}`;
  return {
    ...site,
    project: { key: "OPS", name: "Operations" },
    columns: [],
    statuses: site.statuses.map((status) => ({ ...status, id: own(status.id) })),
    workflows: site.workflows.map(({ id: _id, transitions, initial, ...workflow }) => ({
      ...workflow,
      initial: own(initial),
      transitions: transitions.map(({ from, to, ...transition }) => ({
        ...transition,
        from: typeof from === "string" ? own(from) : from.map(own),
        ...(to === undefined ? {} : { to: own(to) }),
      })),
    })),
  };
}
