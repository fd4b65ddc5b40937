import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isUnsettled } from "../../src/store/records.js";
import { sweep } from "../../src/tickets/handlers.js";
import { type ChaosBoards, HERE, startBoards, THERE } from "../chaos/boards.js";
import { createFate, type End, type Fate, watchRequests } from "../support/fate.js";
import {
  type GapWorld,
  openGapWorld,
  type Stock,
  stockOf,
  TENANT,
  type Told,
  type Web,
} from "../support/gap-world.js";
import { until } from "../support/until.js";

/**
 * A crash between every two steps of a move, on each of the four boards. The steps are not listed here: a move that
 * nothing disturbs is recorded, and then made again as often as it has steps, with a process that ends after each.
 */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });
const PATIENCE = { timeoutMs: 30_000, everyMs: 5 };
const BOARDS = ["jira", "linear", "trello", "github"] as const;
/** Moves made at once; each has a store and a queue of its own. */
const AT_ONCE = 8;

let boards: ChaosBoards;
let unwatch = () => {};
const stocks = new Map<string, Stock>();

beforeAll(async () => {
  boards = await startBoards(230);
  unwatch = watchRequests();
  for (const board of boards.boards) stocks.set(board.id, await stockOf(board, boards));
});
afterAll(async () => {
  unwatch();
  await boards.close();
});

async function openWorld(board: string): Promise<GapWorld> {
  const stock = stocks.get(board);
  if (stock === undefined) throw new Error(`there is no board ${board}`);
  const world = await openGapWorld(stock);
  boards.addBranch(branchOf(world));
  return world;
}

function branchOf({ board, ticket }: GapWorld): string {
  return board.id === "github" ? `${ticket.title.split(" ").at(-1)}-chaos` : `feat/${ticket.key}-chaos`;
}

/** Who ends, and what the asker does about it. */
interface Scenario {
  readonly name: string;
  readonly ends: readonly ("web" | "worker")[];
  readonly how: End["how"];
  /** Else she asks again only when the move was seen to without her. */
  readonly asksAtOnce: boolean;
}

const SCENARIOS: readonly Scenario[] = [
  { name: "the web process is killed", ends: ["web"], how: "killed", asksAtOnce: true },
  {
    name: "the web process is killed and nobody asks again",
    ends: ["web"],
    how: "killed",
    asksAtOnce: false,
  },
  { name: "the worker is killed", ends: ["worker"], how: "killed", asksAtOnce: true },
  { name: "both are killed at once", ends: ["web", "worker"], how: "killed", asksAtOnce: true },
  {
    name: "both are killed at once and nobody asks again",
    ends: ["web", "worker"],
    how: "killed",
    asksAtOnce: false,
  },
  {
    name: "the web process stands still and wakes afterwards",
    ends: ["web"],
    how: "stopped",
    asksAtOnce: true,
  },
  {
    name: "the worker stands still and wakes afterwards",
    ends: ["worker"],
    how: "stopped",
    asksAtOnce: true,
  },
];

/** The steps of a move that nothing disturbs, of those processes that are to end. */
async function record(board: string, ends: Scenario["ends"]): Promise<readonly string[]> {
  const world = await openWorld(board);
  const { fate, web } = await begin(world, ends);
  const first = await web.ask();
  await settled(world);
  const steps = [...fate.steps];
  expect(await judge(world, [first, await web.ask()])).toEqual([]);
  await world.close();
  return steps;
}

/** One process each, of which those that are to end share a fate. */
async function begin(world: GapWorld, ends: Scenario["ends"], end?: End) {
  const fate = createFate(end);
  const fateOf = (role: "web" | "worker") => (ends.includes(role) ? fate : createFate());
  await world.startWorker(fateOf("worker"));
  return { fate, web: await world.startWeb(fateOf("web")) };
}

/** Makes the move with a process that ends after this step, and others that take over. @returns what is wrong then. */
async function endAfter(
  board: string,
  scenario: Scenario,
  after: string | undefined,
): Promise<readonly string[]> {
  const { ends, how, asksAtOnce } = scenario;
  const world = await openWorld(board);
  const { fate, web } = await begin(world, ends, { after, how });
  const asking = web.ask();
  await until(() => isMet(fate), PATIENCE);
  if (how === "killed" && ends.includes("web")) web.hangUp();
  if (ends.includes("worker")) {
    await world.startWorker(createFate());
    world.line.lose(fate);
  }
  const next = ends.includes("web") ? await world.startWeb(createFate()) : web;
  const again = asksAtOnce ? [await untilTold(next)] : [];
  if (await isWished(world)) await settled(world);
  fate.wake();
  if (how === "stopped") await until(() => world.line.runsOf(fate) === 0, PATIENCE);
  const answers = [await asking, ...again, await untilTold(next)];
  await settled(world);
  const faults = await judge(world, answers);
  await world.close();
  return faults.map((fault) => `${after ?? "before the first step"}: ${fault}`);
}

const met = new WeakMap<Fate, boolean>();

function isMet(fate: Fate): boolean {
  if (!met.has(fate)) {
    met.set(fate, false);
    void fate.met.then(() => met.set(fate, true));
  }
  return met.get(fate) === true;
}

async function untilTold(web: Web): Promise<Told> {
  return await until(async () => {
    const told = await web.ask();
    return told !== undefined && told.status !== 202 && told;
  }, PATIENCE);
}

/** Has anything of the move outlived whoever was asked for it? */
async function isWished({ store, ticket }: GapWorld): Promise<boolean> {
  const record = await store.tenant(TENANT).getActor(ticket.id);
  return record?.pending !== undefined || record?.lastMove !== undefined;
}

/** Sweeps as a service does now and then, until nothing is pending or owed and the move's line is in the audit log. */
async function settled({ store, line, ticket }: GapWorld): Promise<void> {
  const tenant = store.tenant(TENANT);
  const hooks = line.hooksOf(createFate());
  await until(async () => {
    await sweep(store, hooks, new Date());
    const record = await tenant.getActor(ticket.id);
    const { items } = await tenant.auditPage({ limit: 10 });
    return record?.lastMove !== undefined && !isUnsettled(record) && items.length > 0;
  }, PATIENCE);
}

/** What must be true of the ticket and of all that was said of it. Every breach is a sentence. */
async function judge(world: GapWorld, answers: readonly (Told | undefined)[]): Promise<readonly string[]> {
  const { board, store, ticket } = world;
  const tenant = store.tenant(TENANT);
  const record = await tenant.getActor(ticket.id);
  const { items } = await tenant.history(ticket.id, { limit: 100 });
  const { items: audit } = await tenant.auditPage({ limit: 100 });
  const there = board.statusId(THERE);
  const pulls = boards.pulls().filter((head) => head === branchOf(world)).length;
  return [
    ...isAs("the board has it in", board.statusOf(ticket.title), THERE),
    ...isAs("we have it in", record?.ticket.status, there),
    ...isAs("writes asked of the board", board.asked.filter((title) => title === ticket.title).length, 1),
    ...isAs("entries", record?.entry, 1),
    ...isAs("pending", record?.pending, undefined),
    ...isAs("pull requests", pulls, 1),
    ...isAs("hooks", record?.hooks.map(({ state }) => state).join(), "done"),
    ...isAs(
      "history",
      items
        .map(({ kind }) => kind)
        .reverse()
        .join(),
      "asked,moved,hook",
    ),
    ...isAs("audit", audit.map(({ action, outcome }) => `${action} ${outcome}`).join(), "move confirmed"),
    ...answers.flatMap((told) => (told === undefined ? [] : truthOf(told, there))),
  ];
}

/** It was us who moved it, so "it was there already" would be untrue. */
function truthOf({ status, move }: Told, there: string): readonly string[] {
  return isAs(
    "said",
    `${status} ${move.outcome} ${move.to?.id} ${move.already ?? ""}`,
    `200 confirmed ${there} `,
  );
}

function isAs(what: string, is: unknown, should: unknown): readonly string[] {
  return is === should ? [] : [`${what}: ${is}, should be ${should}`];
}

/** `work` for each, several at once. */
async function forEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const next = async () => {
    for (let one = left.shift(); one !== undefined || left.length > 0; one = left.shift())
      await work(one as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

const WRITE: Readonly<Record<(typeof BOARDS)[number], string>> = {
  jira: "board: POST /rest/api/*/issue/*/transitions",
  linear: "board: IssueMove",
  trello: "board: PUT /*/cards/*",
  github: "board: BoardwalkMoveItem",
};

describe.each(BOARDS)("a move on %s", (board) => {
  it("is not made again when its write was never heard of and a person has taken the ticket back", async () => {
    const world = await openWorld(board);
    const end: End = { after: WRITE[board], how: "killed" };
    const { fate, web } = await begin(world, ["worker"], end);
    const asking = web.ask();
    await until(() => isMet(fate), PATIENCE);
    expect(world.board.statusOf(world.ticket.title)).toBe(THERE);
    world.board.drag(world.ticket.title, HERE);
    await world.startWorker(createFate());
    world.line.lose(fate);
    expect(await asking).toMatchObject({ status: 409, move: { outcome: "conflict" } });
    await settled(world);
    expect(world.board.statusOf(world.ticket.title)).toBe(HERE);
    expect(world.board.asked.filter((title) => title === world.ticket.title)).toHaveLength(1);
    await world.close();
  });

  it("is recorded whole: what reaches the board is what was seen to go out", async () => {
    const answered = () => boards.boards.reduce((all, each) => all + each.answered(), 0);
    const before = answered();
    const steps = await record(board, ["web", "worker"]);
    expect(steps.filter((step) => step.startsWith("board: "))).toHaveLength(answered() - before);
    expect(steps).toEqual(
      expect.arrayContaining([
        ...["asked", "write", "moved", "hook"].map((what) => `store: saveActor ${what}`),
        "store: remember",
        ...["jobs: add move", "jobs: reply move", "jobs: add hook", "jobs: reply hook", "web: reply"],
        "board: POST /repos/acme/web/pulls",
      ]),
    );
  });

  it.each(SCENARIOS)("is made once when $name, whichever step was the last", async (scenario) => {
    const steps = await record(board, scenario.ends);
    const faults: string[] = [];
    await forEach([undefined, ...steps], async (after) => {
      const wrong = await endAfter(board, scenario, after).catch((error: unknown) => [
        `${after ?? "before the first step"}: ${error}`,
      ]);
      faults.push(...wrong);
    });
    expect(faults).toEqual([]);
  });
});
