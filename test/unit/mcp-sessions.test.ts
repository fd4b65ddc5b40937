import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStream } from "../../src/mcp/event-stream.js";
import type { Principal } from "../../src/mcp/principal.js";
import { createSessions, type Sessions } from "../../src/mcp/sessions.js";
import { createMemoryStore } from "../../src/store/memory.js";

const store = createMemoryStore();
const ann: Principal = { tenant: store.tenant("acme"), speaker: { person: "ann" }, scopes: [] };

let clock = 0;
let sessions: Sessions;

beforeEach(() => {
  clock = 0;
  sessions = createSessions({ now: () => new Date(clock), idleMs: 100_000 });
});

afterEach(() => sessions.close());

const create = () => sessions.create(ann, "generated", undefined);
const find = (id: string) => sessions.find(id, ann, "generated");

function stream(): EventStream & { readonly sent: object[]; closed: boolean } {
  const made = {
    sent: [] as object[],
    closed: false,
    send: (message: object) => void made.sent.push(message),
    close: () => {
      made.closed = true;
    },
  };
  return made;
}

describe("sessions", () => {
  it("are not idle while a request is in flight", async () => {
    const session = create();
    let finish = () => {};
    const work = sessions.during(
      session,
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    clock = 200_000;
    expect(find(session.id)).toBe(session);
    expect(sessions.makeRoom("acme", 1)).toBe(false);
    expect(find(session.id)).toBe(session);
    finish();
    await work;
    clock = 300_001;
    expect(find(session.id)).toBeUndefined();
  });

  it("are let go of by themselves when idle, all but the one that is being served", async () => {
    vi.useFakeTimers();
    try {
      const table = createSessions({ now: () => new Date(clock), idleMs: 100_000 });
      const all = Array.from({ length: 1_000 }, () => table.create(ann, "generated", undefined));
      const served = all[500];
      if (served === undefined) throw new Error("No session.");
      let finish = () => {};
      const answered = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const work = table.during(served, () => answered);
      clock = 200_000;
      vi.advanceTimersByTime(60_000);
      expect(table.size).toBe(1);
      expect(table.peek(served.id)).toBe(served);
      finish();
      await work;
      clock = 400_000;
      vi.advanceTimersByTime(60_000);
      expect(table.size).toBe(0);
      table.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it("are not idle while their stream is open, and are from then on", () => {
    const session = create();
    const open = stream();
    sessions.attach(session, open);
    clock = 200_000;
    expect(find(session.id)).toBe(session);
    sessions.detach(session, open);
    clock = 300_001;
    expect(find(session.id)).toBeUndefined();
  });

  it("send news to the latest stream only, and each missed piece of news once", () => {
    const session = create();
    const news = { method: "notifications/tools/list_changed" };
    sessions.notify("acme", news);
    sessions.notify("acme", news);
    const [first, second] = [stream(), stream()];
    sessions.attach(session, first);
    expect(first.sent).toEqual([news]);
    sessions.attach(session, second);
    expect(first.closed).toBe(true);
    sessions.detach(session, first);
    sessions.notify("acme", news);
    sessions.notify("globex", news);
    expect([first.sent, second.sent]).toEqual([[news], [news]]);
  });

  it("close their stream when they end, and are forgotten", () => {
    const session = create();
    const open = stream();
    sessions.attach(session, open);
    sessions.end(session);
    expect(open.closed).toBe(true);
    expect(sessions.size).toBe(0);
  });

  it("make room by what nobody has used for a minute, longest ago first, and by nothing else", () => {
    const [streaming, first, second] = [create(), create(), create()];
    sessions.attach(streaming, stream());
    const other = { ...ann, tenant: store.tenant("globex") };
    const theirs = sessions.create(other, "generated", undefined);
    expect(sessions.makeRoom("acme", 3)).toBe(false);
    expect(sessions.size).toBe(4);
    clock = 60_001;
    expect(sessions.makeRoom("acme", 3)).toBe(true);
    expect(sessions.peek(first.id)).toBeUndefined();
    expect(find(second.id)).toBe(second);
    expect(sessions.makeRoom("acme", 2)).toBe(false);
    expect(find(streaming.id)).toBe(streaming);
    expect(sessions.peek(theirs.id)).toBe(theirs);
  });
});
