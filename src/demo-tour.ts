import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Demo } from "./demo.js";
import { WHY_NOT } from "./demo-crash.js";
import type { DemoTenant } from "./demo-line.js";
import { adminGet, callTool, type Eyes, eyesOf, listTools, type ToolAnswer } from "./demo-look.js";
import { BoardwalkError } from "./errors.js";
import { isAlive } from "./file-lock.js";

/**
 * The demo's script, played by itself: what a person says, as the tool call that an assistant makes of it, over the
 * surface that Alexa+ calls; then what the boards and the repository themselves show.
 */

export interface Turn {
  readonly you: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: string;
}

/** Something looked at after what was said, and whether it is as it has to be. */
export interface Shown {
  readonly what: string;
  readonly holds: boolean;
}

export interface StepReport {
  readonly step: string;
  readonly turns: readonly Turn[];
  readonly shown: readonly Shown[];
  /** Why it could not be played here. */
  readonly leftOut?: string;
}

export interface TourReport {
  /** Every step that was played held. */
  readonly held: boolean;
  /** From the start of this process to the first move that a board had confirmed. */
  readonly timeToFirstMoveMs: number | undefined;
}

/** What a step works with. */
interface Scene {
  readonly demo: Demo;
  readonly acme: DemoTenant;
  readonly eyes: Eyes;
  /** A person of Acme says something; an answer that only says that it is under way is followed up. */
  say(you: string, tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  shows(what: string, holds: boolean): void;
  leftOut(why: string): void;
}

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 100;

const STEPS: readonly (readonly [name: string, play: (scene: Scene) => Promise<void>])[] = [
  ["Two tickets by one name", ambiguousName],
  ["The draft pull request", draftPullRequest],
  ["A field that is missing", missingField],
  ["A column renamed while you speak", renamedColumn],
  ["The crash button", crashButton],
  ["Another team's ticket", otherTeam],
];

/** Plays every step, whether or not the one before held. `tell` is told of each when it is over. */
export async function playTour(demo: Demo, tell: (step: StepReport) => void): Promise<TourReport> {
  const acme = tenantNamed(demo, "acme");
  let timeToFirstMoveMs: number | undefined;
  let held = true;
  for (const [step, play] of STEPS) {
    const told = { turns: [] as Turn[], shown: [] as Shown[], leftOut: undefined as string | undefined };
    const say: Scene["say"] = async (you, tool, args) => {
      const answer = await speak(demo, acme, told.turns, { you, tool, args });
      if (answer.outcome === "confirmed") timeToFirstMoveMs ??= performance.now();
      return answer;
    };
    const shows: Scene["shows"] = (what, holds) => void told.shown.push({ what, holds });
    const leftOut = (why: string) => {
      told.leftOut = why;
    };
    await play({ demo, acme, eyes: eyesOf(acme), say, shows, leftOut }).catch((error: unknown) =>
      shows(BoardwalkError.from(error).message, false),
    );
    held &&= told.shown.every(({ holds }) => holds);
    const { leftOut: why, ...rest } = told;
    tell({ step, ...rest, ...(why === undefined ? {} : { leftOut: why }) });
  }
  return { held: held && timeToFirstMoveMs !== undefined, timeToFirstMoveMs };
}

function tenantNamed(demo: Demo, id: string): DemoTenant {
  const found = demo.line.tenants.find((tenant) => tenant.id === id);
  if (found === undefined) throw new BoardwalkError("invalid", `The demo has no team ${id}.`);
  return found;
}

async function speak(
  demo: Demo,
  { token }: DemoTenant,
  turns: Turn[],
  { you, tool, args }: Omit<Turn, "answer">,
): Promise<ToolAnswer> {
  const url = `${demo.line.url}/alexa/mcp`;
  const answer = await callTool(url, token, tool, args);
  turns.push({ you, tool, args, answer: answer.spoken });
  if (answer.outcome !== "accepted") return answer;
  const later = await until(
    () => callTool(url, token, "check_progress", {}),
    (one) => one.outcome !== "accepted",
  );
  turns.push({ you: "How did it go?", tool: "check_progress", args: {}, answer: later.spoken });
  return later;
}

/** Looks until it is so, or patience ends. @returns what was seen last */
async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (isSo(seen) || performance.now() > deadline) return seen;
    await sleep(LOOK_EVERY_MS);
  }
}

async function ambiguousName({ say, shows, eyes }: Scene): Promise<void> {
  const asked = await say("Move the login ticket to in review.", "move_ticket", {
    ticket: "the login ticket",
    to: "in review",
  });
  const options = asked.question?.options ?? [];
  shows("it asks which of the two is meant", asked.outcome === "question" && options.length === 2);
  shows("Jira: nothing was moved yet", (await eyes.moves("ENG-1")) + (await eyes.moves("ENG-2")) === 0);
  const meant = options.find(({ label }) => label.includes("second tap"));
  const moved = await say("The one about the second tap.", "move_ticket", {
    ticket: meant?.id ?? "",
    to: "in review",
  });
  shows("the board has confirmed it", moved.outcome === "confirmed");
  shows("Jira: ENG-1 is in In Review", (await eyes.status("ENG-1")) === "In Review");
  shows("Jira: it was moved once", (await eyes.moves("ENG-1")) === 1);
}

async function draftPullRequest({ say, shows, eyes }: Scene): Promise<void> {
  const pulls = await until(
    () => eyes.pulls("feat/ENG-1-second-tap"),
    (found) => found.length > 0,
  );
  shows(
    "GitHub: one draft pull request is open for its branch",
    pulls.length === 1 && pulls[0]?.draft === true,
  );
  const read = await until(
    () => say("Where is the login bug?", "read_ticket", { ticket: "login bug" }),
    (answer) => answer.hooks?.every(({ state }) => state !== "owed") === true,
  );
  const opened = read.hooks?.find(({ hook }) => hook === "draft-pull-request");
  shows("the ticket knows its pull request", opened?.state === "done");
}

async function missingField({ say, shows, eyes }: Scene): Promise<void> {
  const move = { ticket: "the photo upload", to: "done" };
  const asked = await say("Move the photo upload to done.", "move_ticket", move);
  shows("it asks before it closes a ticket", asked.question?.about === "confirm");
  const agreed = { ...move, token: asked.question?.token };
  const wants = await say("Yes.", "move_ticket", agreed);
  shows("it asks for what Jira wants to know", wants.question?.about === "field");
  shows("Jira: ENG-8 has not been moved yet", (await eyes.moves("ENG-8")) === 0);
  const fields = { resolution: "Done" };
  const moved = await say("Done.", "move_ticket", { ...move, fields, token: wants.question?.token });
  shows("the board has confirmed it", moved.outcome === "confirmed");
  shows("Jira: ENG-8 is in Done", (await eyes.status("ENG-8")) === "Done");
}

const changes = z.object({
  changes: z.array(
    z.looseObject({ kind: z.string(), before: z.string().optional(), after: z.string().optional() }),
  ),
});
const workflows = z.object({ workflows: z.array(z.looseObject({ id: z.string(), connection: z.string() })) });

async function renamedColumn({ demo: { line }, acme, say, shows, eyes }: Scene): Promise<void> {
  const contract = async () => sha256(await listTools(`${line.url}/alexa/mcp`, acme.token));
  const before = await contract();
  await eyes.rename("In Review", "Peer check");
  shows(
    "Jira: ENG-1 is in Peer check, though nobody moved it",
    (await eyes.status("ENG-1")) === "Peer check",
  );
  const moved = await say("Move the coupons ticket to peer check.", "move_ticket", {
    ticket: "the coupons ticket",
    to: "peer check",
  });
  shows("the board has confirmed it", moved.outcome === "confirmed");
  shows("Jira: ENG-3 is in Peer check", (await eyes.status("ENG-3")) === "Peer check");
  const pulls = await until(
    () => eyes.pulls("fix/ENG-3-coupons"),
    (found) => found.length > 0,
  );
  shows("GitHub: its draft pull request is open all the same", pulls.length === 1);
  shows("the tools that Alexa+ was given are the same, letter for letter", (await contract()) === before);
  const tools = await until(
    () => listTools(acme.mcpUrl, acme.token),
    (list) => list.some(isRenamed),
  );
  shows("other clients have a tool acme_engineering_move_to_peer_check now", tools.some(isRenamed));
  shows("the workflow's diff tells of it", await toldOfRename(line));
}

function isRenamed({ name }: { readonly name: string }): boolean {
  return name === "acme_engineering_move_to_peer_check";
}

async function toldOfRename(line: Demo["line"]): Promise<boolean> {
  const known = workflows.parse(await adminGet(line, "/tenants/acme/workflows")).workflows;
  const id = known.find(({ connection }) => connection === "eng")?.id ?? "";
  const told = changes.parse(
    await adminGet(line, `/tenants/acme/workflows/${encodeURIComponent(id)}/changes`),
  );
  return told.changes.some(
    ({ kind, before, after }) => kind === "renamed" && before === "In Review" && after === "Peer check",
  );
}

function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

async function crashButton({ demo, say, shows, leftOut, eyes }: Scene): Promise<void> {
  if (demo.crash === undefined) return leftOut(WHY_NOT);
  await eyes.push("feat/ENG-5-report", "feat/ENG-12-unrelated");
  const crashed = await demo.crash.press({ ticket: "the monthly report", to: "peer check" });
  shows(
    `worker process ${crashed.killed} was killed when Jira had moved ENG-5 and not said so`,
    !isAlive(crashed.killed),
  );
  shows(`what was said then: ${crashed.spoken[0]}`, !/\bmoved\b/i.test(crashed.spoken[0] ?? ""));
  shows(
    `what was said ${(crashed.recoveredMs / 1_000).toFixed(1)} s later: ${crashed.spoken[1]}`,
    crashed.outcome === "confirmed",
  );
  shows(
    "Jira: ENG-5 is in Peer check, moved once",
    (await eyes.status("ENG-5")) === "Peer check" && crashed.moves === 1,
  );
  const pulls = await until(
    () => eyes.pulls("feat/ENG-5-report"),
    (found) => found.length > 0,
  );
  shows("GitHub: one draft pull request", pulls.length === 1);
  const read = await say("Where is the monthly report?", "read_ticket", { ticket: "the monthly report" });
  shows("our own record says the same", read.spoken.includes("Peer check"));
}

const audit = z.object({
  events: z.array(z.looseObject({ action: z.string(), outcome: z.string().optional() })),
});

async function otherTeam({ demo, say, shows, eyes }: Scene): Promise<void> {
  const { ticket } = await say("Where is the login bug?", "read_ticket", { ticket: "login bug" });
  const { token } = tenantNamed(demo, "globex");
  const { mcpUrl } = tenantNamed(demo, "acme");
  const moved = await eyes.moves("ENG-1");
  const by = async (what: string, words: string) => {
    const answer = await callTool(`${demo.line.url}/alexa/mcp`, token, "move_ticket", {
      ticket: words,
      to: "in progress",
    });
    const hidden = answer.ticket === undefined && !/login/i.test(answer.spoken);
    shows(`Globex moves it by ${what}: "${answer.spoken}"`, answer.outcome !== "confirmed" && hidden);
  };
  await by("its name", "the login bug");
  await by("its own id", ticket?.id ?? "");
  const refused = await callTool(mcpUrl, token, "read_ticket", { ticket: "login bug" }).then(
    () => undefined,
    (error: unknown) => BoardwalkError.from(error),
  );
  shows(`Globex asks at Acme's address: "${refused?.message}"`, refused?.code === "forbidden");
  const { events } = audit.parse(await adminGet(demo.line, "/tenants/globex/audit"));
  const noted = events.some(({ action, outcome }) => action === "stray" && outcome === "forbidden");
  shows("Globex's audit log has it", noted);
  shows("Jira: ENG-1 was not touched", (await eyes.moves("ENG-1")) === moved);
}
