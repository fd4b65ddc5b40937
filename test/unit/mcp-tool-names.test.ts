import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALIAS_TTL_MS,
  type Destination,
  destinationKey,
  MAX_NAME_LENGTH,
  NO_NAMES,
  nameDestinations,
  wantedName,
} from "../../src/mcp/tool-names.js";

const NOW = new Date("2026-11-01T00:00:00Z");
const inMs = (ms: number) => new Date(NOW.getTime() + ms);

const label = fc.oneof(
  fc.constantFrom(
    "In Review",
    "in-review",
    "IN REVIEW!",
    "Review 審査",
    "🚀",
    "🔥🔥",
    "進行中",
    "Готово",
    "تم",
    "",
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ minLength: 60, maxLength: 120 }),
);

const destinations: fc.Arbitrary<Destination[]> = fc
  .uniqueArray(
    fc.record({
      workflow: fc.constantFrom("jira.a.1", "jira.a.2", "linear.b.x"),
      status: fc.integer({ min: 1, max: 40 }).map(String),
      workflowName: fc.constantFrom(
        "Web",
        "web",
        "🛠",
        "Software Simplified Workflow for Project ENGINEERING",
      ),
      statusName: label,
    }),
    { selector: (one) => destinationKey(one.workflow, one.status), maxLength: 30 },
  )
  .map((all) =>
    all.map((one) => ({ ...one, workflowName: `${one.workflowName} ${one.workflow.slice(-1)}` })),
  );

const name = (list: readonly Destination[], kept = NO_NAMES, now = NOW) => nameDestinations(list, kept, now);

describe("names of destinations", () => {
  it("are valid, short, distinct and always the same", () => {
    fc.assert(
      fc.property(destinations, (list) => {
        const names = [...name(list).names.values()];
        expect(names).toHaveLength(list.length);
        expect(new Set(names).size).toBe(list.length);
        for (const one of names) expect(one).toMatch(/^[a-z0-9_]{1,40}$/);
        expect([...name(list).names.values()]).toEqual(names);
      }),
    );
  });

  it("stay when another status is renamed, added or taken away", () => {
    fc.assert(
      fc.property(
        destinations,
        destinations,
        label,
        fc.nat(),
        fc.nat(),
        (list, more, renamed, pick, leave) => {
          const first = name(list);
          const index = pick % Math.max(list.length, 1);
          const gone = leave % Math.max(list.length, 1);
          const known = new Set(list.map((one) => destinationKey(one.workflow, one.status)));
          const changed = [
            ...more.filter((one) => !known.has(destinationKey(one.workflow, one.status))),
            ...list.map((one, i) => (i === index ? { ...one, statusName: renamed } : one)),
          ].filter((one) => one.status !== list[gone]?.status || one.workflow !== list[gone]?.workflow);
          const later = name(changed, first.kept).names;
          list.forEach((one, i) => {
            const key = destinationKey(one.workflow, one.status);
            if (i !== index && i !== gone) expect(later.get(key)).toBe(first.names.get(key));
          });
        },
      ),
    );
  });

  it("are readable: the workflow and the status are both in them, however long they are", () => {
    const long = "Software Simplified Workflow for Project ENGINEERING";
    const at = (workflowName: string, statusName: string) =>
      wantedName({ workflow: "w", status: "s", workflowName, statusName });
    expect(at("Web", "In Review")).toBe("web_move_to_in_review");
    expect(at(long, "In Review")).toMatch(/^software_simpl\w*_move_to_in_review$/);
    expect(at("Web", long)).toMatch(/^web_move_to_software_simplified/);
    expect(at("🛠", "🚀")).toMatch(/^board_\w{4}_move_to_status_\w{4}$/);
    for (const both of [at(long, long), at("Web", long)])
      expect(both.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
  });

  it("stay as they are when the one they had to give way to is gone", () => {
    const at = (status: string) => ({ workflow: "w", status, workflowName: "Web", statusName: "Done" });
    const first = name([at("1"), at("2")]);
    expect(first.names.get(destinationKey("w", "2"))).toMatch(/^web_move_to_done_\w{4}$/);
    expect([...name([at("2")], first.kept).names.values()]).toEqual([
      first.names.get(destinationKey("w", "2")),
    ]);
  });

  it("never take a reserved name", () => {
    const one = { workflow: "w", status: "s", workflowName: "Web", statusName: "Done" };
    const { names } = nameDestinations([one], NO_NAMES, NOW, ["web_move_to_done"]);
    expect([...names.values()][0]).toMatch(/^web_move_to_done_\w{4}$/);
  });
});

describe("a renamed destination", () => {
  const review = { workflow: "w", status: "3", workflowName: "Web", statusName: "Review" };
  const peer = { ...review, statusName: "Peer check" };

  it("leaves its old name behind as an alias, for thirty days", () => {
    const first = name([review]);
    const renamed = name([peer], first.kept);
    expect(renamed.kept.aliases).toEqual({
      web_move_to_review: { workflow: "w", status: "3", until: inMs(ALIAS_TTL_MS).toISOString() },
    });
    expect(name([peer], renamed.kept, inMs(ALIAS_TTL_MS - 1)).kept.aliases).toEqual(renamed.kept.aliases);
    expect(name([peer], renamed.kept, inMs(ALIAS_TTL_MS)).kept.aliases).toEqual({});
  });

  it("gets its old name back when it is called that again", () => {
    const renamed = name([peer], name([review]).kept);
    const back = name([review], renamed.kept);
    expect([...back.names.values()]).toEqual(["web_move_to_review"]);
    expect(Object.keys(back.kept.aliases)).toEqual(["web_move_to_peer_check"]);
  });

  it("does not lose its alias to another that takes its old label", () => {
    const other = { ...review, status: "4", statusName: "Testing" };
    const first = name([review, other]);
    const swapped = name([peer, { ...other, statusName: "Review" }], first.kept);
    expect(swapped.names.get(destinationKey("w", "4"))).toMatch(/^web_move_to_review_\w{4}$/);
    expect(swapped.kept.aliases.web_move_to_review?.status).toBe("3");
  });
});
