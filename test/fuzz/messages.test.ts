import fc from "fast-check";
import { afterAll } from "vitest";
import { readMessage } from "../../src/hooks/bullmq-replies.js";
import { payloadSchema } from "../../src/hooks/bullmq-worker.js";
import { createInlineHooks } from "../../src/hooks/inline.js";
import { checkJob, parseReply } from "../../src/hooks/run-job.js";
import { createSessions } from "../../src/mcp/sessions.js";
import { createSharedSessions } from "../../src/mcp/shared-sessions.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { listenForNews } from "../../src/sync/news.js";
import { createTickets } from "../../src/tickets/desk.js";
import { createTicketHandlers } from "../../src/tickets/handlers.js";
import { createViews } from "../../src/tickets/view.js";
import { createWorkflows } from "../../src/tickets/workflows.js";
import { openDesk } from "../support/desk.js";
import { createFakeBoard } from "../support/fake-board.js";
import { type Fuzzed, fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText, like, text } from "../support/hostile.js";
import { tenantWith } from "../support/kept-values.js";

/** What processes of two releases, or a hand at Redis, may tell each other: news, jobs and the replies to them. */

const REPLY = { ok: false, code: "busy", message: "m", data: { a: 1 }, retryAfterMs: 1 };
const JOB = {
  lane: "acme/eng",
  data: { tenant: "acme" },
  attempt: 1,
  puts: "x",
  asker: "0b8f1a52",
  trail: { request: "r", parent: "p" },
};
const NEWS = {
  tenant: "acme",
  tickets: [{ id: "t", connection: "eng", workflow: "w", status: "1" }],
  workflows: [{ connection: "eng", id: "w" }],
  connection: "eng",
};
const DATA = {
  ...{ tenant: "acme", ticket: "fake.site.1", moveId: "m", connection: "web", entry: 1 },
  ...{ hook: "draft-pull-request", by: "ann", reach: "full" },
};

const listeners = new Map<string, (message: string) => void>();
let heard: unknown[] = [];
await listenForNews(
  {
    subscribe: async (channel, listener) => {
      listeners.set(channel, listener);
      return async () => {};
    },
  },
  {
    ticketsChanged: (...news) => heard.push(news),
    workflowsChanged: (...news) => heard.push(news),
    connectionChanged: (...news) => heard.push(news),
  },
);
function tell(message: string): unknown {
  heard = [];
  for (const listener of listeners.values()) listener(message);
  return heard;
}

const store = createMemoryStore();
const ID = "0b8f1a52-7f2c-4f57-9f0e-111111111111";
let tellSessions: (message: string) => void = () => {};
let reported: unknown;
const sessions = await createSharedSessions({
  sessions: createSessions({ now: () => new Date() }),
  bus: {
    publish: async () => {},
    subscribe: async (listener) => {
      tellSessions = listener;
      return async () => {};
    },
  },
  now: () => new Date(),
  report: (error) => {
    reported = error;
  },
});
const own = store.tenant("acme");
const session = await sessions.begin(
  { tenant: own, speaker: { person: "ann" }, scopes: [] },
  "generated",
  undefined,
);
const MESSAGE = { from: "another", session: session.id, kind: "changed", notification: { method: "x" } };
const FACTS = {
  person: "ann",
  surface: "generated",
  client: "c",
  subscriptions: ["ticket://a/b"],
  focus: { ticket: "t", workflow: "w", status: "1" },
};

const board = createFakeBoard([["WEB-1", "Fix the login page", "1"]]);
const desk = await openDesk(board);
const hooks = createInlineHooks();
const stop = await hooks.serve(createTicketHandlers(desk.worker));
afterAll(async () => {
  await stop();
  await hooks.close();
  await desk.close();
});

let asked = 0;
/** Whatever is in the job, there is a reply. */
const done = (name: string): Fuzzed =>
  fuzzed(like(DATA), (data) =>
    hooks.ask({ id: `job-${asked++}`, name, data: data as Record<string, unknown>, lane: "x" }, 50),
  );
/** A worker of another release replies to a move. */
const views = createViews(createWorkflows());
const MOVED = {
  settled: { moveId: "m", outcome: "confirmed", to: "2", from: "1", by: { person: "ann" }, at: "x" },
  record: {},
};
const moved = (reply: unknown) =>
  createTickets({
    views,
    jobs: { ask: async () => parseReply({ ok: true, result: reply }), put: async () => {} },
    now: () => new Date(),
  }).move(desk.talk(), { ticket: "WEB-1", to: "In Progress" });

fuzz("messages between processes", {
  news: fuzzed(jsonText(like(NEWS)), tell),
  "of a session": fuzzed(jsonText(like(MESSAGE)), async (message) => {
    tellSessions(message);
    await Promise.resolve();
    if (reported !== undefined) throw reported;
  }),
  "facts of a session": fuzzed(fc.oneof(like(FACTS), jsonOf(Object.keys(FACTS))), async (value) => {
    const principal = { tenant: tenantWith(own, value), speaker: { person: "ann" }, scopes: [] };
    const found = await sessions.find(ID, principal, "generated");
    return found === undefined ? undefined : [...found.subscriptions];
  }),
  "a job": fuzzed(
    fc.oneof(like(JOB), jsonOf(Object.keys(JOB))),
    (payload) => payloadSchema.safeParse(payload).data,
  ),
  "a job that is put": fuzzed(fc.tuple(text, jsonOf([])), ([id, data]) =>
    checkJob({ id, name: "x", data: data as Record<string, unknown>, lane: "x" }),
  ),
  "a job's reply": fuzzed(fc.oneof(like(REPLY), jsonOf(Object.keys(REPLY))), parseReply),
  "a reply that is published": fuzzed(jsonText(like({ id: "job-1", reply: REPLY })), readMessage),
  "a move to be made": done("move"),
  "a hook to be run": done("hook"),
  "a ticket to be looked at": done("observe"),
  "the reply to a move": fuzzed(like(MOVED), moved),
});
