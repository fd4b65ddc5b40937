import { describe, expect, it } from "vitest";
import type { Ticket } from "../../../src/board/connector.js";
import type { ActorRecord } from "../../../src/store/store.js";
import { arrive, leave, newActor, type Sighting } from "../../../src/tickets/arrive.js";
import { workflowFrom } from "../../../src/tickets/workflow.js";
import { fakeGraph } from "../../support/fake-board.js";

const hooks = { "3": [{ run: "draft-pull-request" }] };
const workflow = workflowFrom({
  id: "w",
  value: { graph: fakeGraph(), connection: "web", revision: 1, hooks },
});
const ticket: Ticket = {
  id: "fake.site.1",
  key: "WEB-1",
  title: "Fix the login page",
  workflow: workflow.graph.id,
  status: "1",
  updatedAt: "2026-11-30T10:00:00.000Z",
};
const at = (seconds: number) => new Date(Date.parse("2026-11-30T10:00:00Z") + seconds * 1000);

/** The record after the board showed the ticket in these statuses, each so many seconds after the last. */
function seen(statuses: readonly string[], everySeconds: number, about: Partial<Sighting> = {}): ActorRecord {
  return statuses.reduce(
    (record, status, i) => {
      const now = at((i + 1) * everySeconds);
      return arrive(
        record,
        { ...ticket, status, updatedAt: now.toISOString() },
        { workflow, at: now, ...about },
      );
    },
    newActor(ticket, "web"),
  );
}

const states = (record: ActorRecord) =>
  record.hooks.filter((hook) => hook.entry === record.entry).map((hook) => hook.state);

describe("a ticket that is moved back and forth", () => {
  it("has nothing started for it from the fourth time in five minutes on", () => {
    expect(seen(["3", "2", "3"], 60).bouncing).toBeUndefined();
    expect(states(seen(["3", "2", "3"], 60))).toEqual(["owed"]);
    const record = seen(["2", "3", "2", "3"], 60);
    expect(record.bouncing).toBe(at(240).toISOString());
    expect(states(record)).toEqual(["failed"]);
    expect(record.hooks.at(-1)?.reason).toContain("back and forth");
  });

  it("stays so while it goes on, and is trusted again after it has come to rest", () => {
    expect(seen(["2", "3", "2", "3", "2", "3"], 60).bouncing).toBe(at(240).toISOString());
    const calm = arrive(
      seen(["2", "3", "2", "3"], 60),
      { ...ticket, status: "2", updatedAt: at(700).toISOString() },
      { workflow, at: at(700) },
    );
    expect(calm.bouncing).toBeUndefined();
    expect(calm.flips).toHaveLength(1);
  });

  it("may walk on through its columns as fast as it likes", () => {
    const long = ["2", "3", "4", "5", "6", "7"];
    expect(seen(long, 10).bouncing).toBeUndefined();
  });

  it("may be moved by us as often as people ask for it", () => {
    const record = seen(["2", "3", "2", "3", "2", "3"], 10, { ours: true });
    expect(record.bouncing).toBeUndefined();
    expect(states(record)).toEqual(["owed"]);
  });

  it("may take its time", () => {
    expect(seen(["2", "3", "2", "3", "2", "3"], 120).bouncing).toBeUndefined();
  });
});

describe("a ticket that gets a new key", () => {
  it("is the same ticket, known by every key it had", () => {
    const first = newActor(ticket, "web");
    const moved = arrive(first, { ...ticket, key: "APP-9" }, { workflow, at: at(1) });
    const again = arrive(moved, { ...ticket, key: "APP-10", formerKeys: ["OLD-1"] }, { workflow, at: at(2) });
    expect(again.ticket).toMatchObject({ key: "APP-10", formerKeys: ["WEB-1", "APP-9", "OLD-1"] });
    expect(again.entry).toBe(0);
    const back = arrive(again, ticket, { workflow, at: at(3) });
    expect(back.ticket.formerKeys).toEqual(["APP-9", "OLD-1", "APP-10"]);
  });
});

describe("a ticket that leaves its board", () => {
  it("is detached where nobody has connected its new home, and at home again when it comes back", () => {
    const away = arrive(newActor(ticket, "web"), { ...ticket, workflow: "fake.site.other" }, { at: at(1) });
    expect(away.ticket).toMatchObject({ detached: true, connection: "web" });
    const still = arrive(away, { ...ticket, workflow: "fake.site.other", title: "New" }, { at: at(2) });
    expect(still.ticket).toMatchObject({ detached: true, title: "New" });
    const home = arrive(still, ticket, { workflow, at: at(3) });
    expect(home.ticket.detached).toBeUndefined();
  });

  it("goes to the connection of its new home where there is one", () => {
    const value = { graph: fakeGraph("fake.site.other"), connection: "app", revision: 1, hooks: {} };
    const other = workflowFrom({ id: "other", value });
    const moved = arrive(
      newActor(ticket, "web"),
      { ...ticket, workflow: "fake.site.other" },
      { workflow: other, at: at(1) },
    );
    expect(moved.ticket).toMatchObject({ connection: "app", workflow: "fake.site.other" });
    expect(moved.ticket.detached).toBeUndefined();
  });

  it("is kept when its board shows it no longer, and waits for nothing", () => {
    const waiting = { ...seen(["3"], 60) };
    const record = {
      ...waiting,
      hooks: waiting.hooks.map((hook) => ({ ...hook, state: "waiting" as const })),
    };
    const gone = leave(record);
    expect(gone.ticket.detached).toBe(true);
    expect(gone.hooks).toEqual([]);
    expect(leave(gone)).toBe(gone);
  });

  it("is kept when it is archived", () => {
    const archived = arrive(newActor(ticket, "web"), { ...ticket, archived: true }, { workflow, at: at(1) });
    expect(archived.ticket).toMatchObject({ archived: true, status: "1" });
    expect(archived.ticket.detached).toBeUndefined();
  });
});
