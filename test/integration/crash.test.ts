import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { intend } from "../../src/tickets/actor.js";
import {
  BLOCKED,
  type CrashTicket,
  type CrashWorld,
  IN_REVIEW,
  type Point,
  pullsOf,
  type Sight,
  startCrashWorld,
  writesOf,
} from "../support/crash-world.js";
import type { Held, Moment } from "../support/holds.js";
import { until } from "../support/until.js";

/**
 * Real processes on a real Redis, killed at every step of a move: afterwards each ticket is where the board says, moved
 * once, with one pull request.
 */

/** For a busy machine; what is waited for is mostly there at once. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const PATIENCE = { timeoutMs: 30_000 };

let world: CrashWorld;

beforeAll(async () => {
  world = await startCrashWorld({ tickets: 40 });
});
afterAll(() => world?.close());

/** All that must be true of a ticket whose move was asked, whatever was killed in between. */
async function expectMovedOnce(ticket: CrashTicket, writes: readonly number[] = [204]): Promise<void> {
  const answer = await world.outcome(ticket);
  expect(answer).toMatchObject({
    status: 200,
    move: { outcome: "confirmed", from: { name: "In Progress" }, to: { name: "In Review" } },
  });
  await expectSettled(ticket, answer.move.moveId, writes);
}

async function expectSettled(
  ticket: CrashTicket,
  moveId: string | undefined,
  writes: readonly number[] = [204],
): Promise<void> {
  const sight = await settledSight(ticket);
  expect(sight.boardStatus).toBe(IN_REVIEW);
  expect(sight.arrivals).toBe(1);
  expect(sight.writes).toEqual(writes);
  expect(sight.pulls).toHaveLength(1);
  expect(sight.ourStatus).toBe(sight.boardStatus);
  expect(sight.hooks).toMatchObject([{ state: "done", result: { number: sight.pulls[0] } }]);
  expect(sight.record).toMatchObject({
    entry: 1,
    ticket: { status: IN_REVIEW },
    lastMove: { outcome: "confirmed", moveId, entry: 1 },
    context: { "draft-pull-request": { number: sight.pulls[0] } },
  });
  // It was us who moved it, and we know it.
  expect(sight.record?.lastMove).not.toHaveProperty("already");
  expect(sight.record?.pending).toBeUndefined();
  const told = sight.history.map(({ kind }) => kind);
  if (!world.webhooks) expect(told).toEqual(["asked", "moved", "hook"]);
  // A webhook may bring the news before the worker does, and then the hooks do not wait for it.
  else expect(told.filter((kind) => kind !== "observed").sort()).toEqual(["asked", "hook", "moved"]);
  expect(sight.audit).toMatchObject([
    { action: "move", outcome: "confirmed", to: IN_REVIEW, detail: { moveId } },
  ]);
}

/** What is seen once nothing is pending or owed any more. */
async function settledSight(ticket: CrashTicket): Promise<Sight> {
  return await until(
    async () => {
      const seen = await world.look(ticket);
      // Looked at piece by piece: what was settled only after the first piece is seen whole by a second look.
      // Nor is a move over before it is audited, which may be left to whoever takes the dead worker's job.
      return !seen.unsettled && seen.audit.length > 0 && (await world.look(ticket));
    },
    { ...PATIENCE, everyMs: 50 },
  );
}

interface Stage {
  readonly name: string;
  readonly point: Point;
  readonly moment: Moment;
  /** What becomes of the held request when its client is dead. */
  readonly fate: "released" | "lost" | Late;
  /** What the board answers to the writes of this ticket, in all. */
  readonly writes?: readonly number[];
}

/** The request reaches the board only while the next worker is at work. */
interface Late {
  /** The next worker's request that is held until the late one is done; left out, the late one comes after it. */
  readonly before?: Point;
  /** How many requests that change something the board has answered by now. */
  readonly done: (ticket: CrashTicket) => Promise<number>;
}

const written = async (ticket: CrashTicket) => writesOf(world.jira, ticket.issue).length;
const created = async (ticket: CrashTicket) => (await pullsOf(world.github, ticket)).length;

/** A round is one kill; its tickets stand at different points when it comes. GitHub takes one write at a time. */
const ROUNDS: readonly (readonly Stage[])[] = [
  [
    { name: "before it reads the ticket", point: "read", moment: "before", fate: "released" },
    { name: "when the read is done but not heard", point: "read", moment: "after", fate: "released" },
    { name: "when its write is sent, and lost on the way", point: "write", moment: "before", fate: "lost" },
    {
      name: "when its write is sent, and lands after the next worker's",
      point: "write",
      moment: "before",
      fate: { done: written },
      writes: [204, 400],
    },
    {
      name: "when its write is sent, and lands between the next worker's read and write",
      point: "write",
      moment: "before",
      fate: { before: "write", done: written },
      writes: [204, 400],
    },
    { name: "when the write is done but not heard", point: "write", moment: "after", fate: "released" },
    {
      name: "when the write is heard, before the re-read",
      point: "reread",
      moment: "before",
      fate: "released",
    },
    { name: "when the re-read is done but not heard", point: "reread", moment: "after", fate: "released" },
    { name: "while it lists pull requests", point: "pulls", moment: "before", fate: "released" },
    {
      name: "when the pull request is asked for, and lost on the way",
      point: "create",
      moment: "before",
      fate: "lost",
    },
    { name: "while it lists branches", point: "branches", moment: "after", fate: "released" },
  ],
  [
    {
      name: "when the pull request is open but not heard of",
      point: "create",
      moment: "after",
      fate: "released",
    },
  ],
  [
    {
      name: "when the pull request is asked for, and opens between the next worker's look and its own",
      point: "create",
      moment: "before",
      fate: { before: "create", done: created },
    },
  ],
];

interface Case extends Stage {
  readonly ticket: CrashTicket;
  readonly held: Held;
}

/** Asks for a ticket's move and waits until its worker stands at this point of it. */
async function bringTo(point: Point, moment: Moment) {
  const ticket = world.take();
  const held = world.hold(ticket, point, moment);
  const asking = world.ask(ticket);
  await until(() => held.arrived, PATIENCE);
  return { ticket, held, asking };
}

function bury({ fate, held }: Case): void {
  if (fate === "lost") held.lose();
  if (fate === "released") held.release();
}

/** Lets the dead worker's request reach the board at the worst time. */
async function landLate({ fate, held, ticket }: Case, rival: Held | undefined): Promise<void> {
  if (typeof fate === "string") return;
  if (rival === undefined) await until(() => fate.done(ticket), PATIENCE);
  else await until(() => rival.arrived, PATIENCE);
  const before = await fate.done(ticket);
  held.release();
  await until(async () => (await fate.done(ticket)) > before, PATIENCE);
  rival?.release();
}

const recordOf = (ticket: CrashTicket) => world.store.tenant("acme").getActor(ticket.id);

describe.each(ROUNDS)("a worker killed with SIGKILL", (...stages) => {
  const cases = new Map<string, Case>();

  beforeAll(async () => {
    for (const stage of stages)
      cases.set(stage.name, { ...stage, ...(await bringTo(stage.point, stage.moment)) });
    const all = [...cases.values()];
    // Else the worker gave up waiting meanwhile, and this would not test what it says.
    expect(all.filter(({ held }) => held.abandoned)).toEqual([]);
    await world.worker.kill();
    for (const each of all) bury(each);
    const rivals = all.map(({ fate, ticket }) =>
      typeof fate === "string" || fate.before === undefined
        ? undefined
        : world.hold(ticket, fate.before, "before"),
    );
    world.worker = await world.start("worker");
    await Promise.all(all.map((each, i) => landLate(each, rivals[i])));
  });

  it.each(stages.map(({ name }) => name))("%s", async (name) => {
    const { ticket, writes } = cases.get(name) as Case;
    await expectMovedOnce(ticket, writes);
  });
});

/** Does `work` while there is no web process; the next one is started whatever came of it. */
async function withoutWeb(work: () => Promise<void>): Promise<void> {
  await world.web.kill();
  try {
    await work();
  } finally {
    world.web = await world.start("web");
  }
}

describe("a web process killed with SIGKILL", () => {
  it("while it waits: the same Idempotency-Key waits on for the same move", async () => {
    const { ticket, held, asking } = await bringTo("reread", "before");
    await withoutWeb(async () => expect(await asking).toBeUndefined());
    const again = world.ask(ticket);
    held.release();
    expect((await again)?.move.outcome).toMatch(/^(confirmed|accepted)$/);
    await expectMovedOnce(ticket);
  });

  it("and away while the move ends: the same Idempotency-Key hears how it ended", async () => {
    const { ticket, held } = await bringTo("write", "before");
    await withoutWeb(async () => {
      held.release();
      await until(async () => (await recordOf(ticket))?.lastMove !== undefined, PATIENCE);
    });
    await expectMovedOnce(ticket);
  });

  it("before it could answer: the same Idempotency-Key moves nothing that somebody has moved since", async () => {
    const { ticket, held } = await bringTo("reread", "before");
    await withoutWeb(async () => {
      held.release();
      await until(async () => (await recordOf(ticket))?.hooks[0]?.state === "done", PATIENCE);
    });
    world.jira.moveIssue(ticket.issue, "Blocked");
    await world.sync();
    expect(await world.outcome(ticket)).toMatchObject({
      status: 200,
      move: { outcome: "confirmed", to: { name: "In Review" } },
    });
    const sight = await settledSight(ticket);
    expect(sight.writes).toEqual([204]);
    expect(sight.boardStatus).toBe(BLOCKED);
    expect(sight.ourStatus).toBe(BLOCKED);
    expect(sight.history.map(({ kind }) => kind)).toEqual(["asked", "moved", "hook", "observed"]);
  });

  it("under an MCP client: another session asks how it went, and is told", async () => {
    const ticket = world.take();
    const held = world.hold(ticket, "write", "after");
    const client = await world.mcp();
    const tool = (await client.listTools()).find((name) => name.endsWith("move_to_in_review")) ?? "";
    const asking = client.call(tool, { ticket: ticket.id }).catch(() => undefined);
    await until(() => held.arrived, PATIENCE);
    await withoutWeb(async () => expect(await asking).toBeUndefined());
    await client.close();
    const next = await world.mcp();
    const progress = () => next.call("check_progress", { ticket: ticket.id });
    expect((await progress()).facts).toMatchObject({ outcome: "accepted" });
    held.release();
    const { facts } = await until(
      async () => {
        const said = await progress();
        return said.facts.outcome !== "accepted" && said;
      },
      { ...PATIENCE, everyMs: 50 },
    );
    expect(facts).toMatchObject({ outcome: "confirmed", to: { name: "In Review" } });
    await next.close();
    await expectSettled(ticket, facts.moveId as string);
  });

  it("between its intent and the job: the sweeper puts the job", async () => {
    const ticket = world.take();
    const wish = { moveId: "left-alone", to: IN_REVIEW, by: { person: "admin" }, at: new Date() };
    await intend(world.store.tenant("acme"), ticket.id, wish);
    await expectSettled(ticket, "left-alone");
  });
});

describe("a Redis killed with SIGKILL and started again", () => {
  it("between intent and act, and during hooks", async () => {
    const cases = [
      await bringTo("read", "after"),
      await bringTo("write", "before"),
      await bringTo("pulls", "after"),
      await bringTo("create", "before"),
    ];
    await world.redis.restart();
    for (const { held } of cases) held.release();
    for (const { ticket } of cases) await expectMovedOnce(ticket);
  });

  it("away while the board answers a write and the repository opens a pull request", async () => {
    const write = await bringTo("write", "after");
    const reread = await bringTo("reread", "before");
    const create = await bringTo("create", "before");
    await world.redis.kill();
    for (const { held } of [write, reread, create]) held.release();
    await until(async () => (await pullsOf(world.github, create.ticket)).length > 0, PATIENCE);
    // Not only a blink: everyone has waited for it, and has been told that it is gone.
    await until(async () => (await fetch(`${world.web.url}/readyz`)).status === 503, PATIENCE);
    await world.redis.restart();
    for (const { ticket } of [write, reread, create]) await expectMovedOnce(ticket);
  });
});

describe("everything killed with SIGKILL at once", () => {
  const points = [
    ["read", "after"],
    ["write", "after"],
    ["reread", "before"],
    ["create", "after"],
  ] as const;

  it("web and worker", async () => {
    const cases = [];
    for (const [point, moment] of points) cases.push(await bringTo(point, moment));
    await Promise.all([world.web.kill(), world.worker.kill()]);
    for (const { held } of cases) held.release();
    [world.web, world.worker] = await Promise.all([world.start("web"), world.start("worker")]);
    for (const { ticket } of cases) await expectMovedOnce(ticket);
  });

  it("web, worker and Redis", async () => {
    const cases = [];
    for (const [point, moment] of points) cases.push(await bringTo(point, moment));
    await Promise.all([world.web.kill(), world.worker.kill(), world.redis.kill()]);
    for (const { held } of cases) held.release();
    await world.redis.restart();
    [world.web, world.worker] = await Promise.all([world.start("web"), world.start("worker")]);
    for (const { ticket } of cases) await expectMovedOnce(ticket);
  });
});

describe("two workers killed by turns, on a board that tells of its changes", () => {
  /** Requests to the boards between one kill and the next, while four more tickets are asked for. */
  const KILLS = [3, 7, 11, 17, 23];

  beforeAll(async () => {
    await world.close();
    world = await startCrashWorld({ tickets: 20, webhooks: true });
    world.jira.setFaults({ latencyMs: 20 });
    world.github.host.setFaults({ latencyMs: 20 });
  });

  it("leaves twenty tickets moved once each", async () => {
    const requests = () => world.jira.journal.length + world.github.journal.length;
    const tickets: CrashTicket[] = [];
    let [next, other] = [world.worker, await world.start("worker")];
    for (const count of KILLS) {
      const before = requests();
      const more = Array.from({ length: 4 }, () => world.take());
      for (const ticket of more) void world.ask(ticket);
      tickets.push(...more);
      await until(() => requests() >= before + count, { ...PATIENCE, everyMs: 1 });
      await next.kill();
      [next, other] = [other, await world.start("worker")];
    }
    expect(world.jira.webhooks.sent.length).toBeGreaterThan(0);
    await Promise.all(tickets.map((ticket) => expectMovedOnce(ticket)));
  });
});
