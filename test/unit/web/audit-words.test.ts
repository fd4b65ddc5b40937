import { describe, expect, it } from "vitest";
import { auditWords } from "../../../src/web/audit-words.js";
import type { AuditEvent } from "../../../src/web/shapes.js";

const event = (action: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  at: "2026-11-30T10:00:00Z",
  action,
  ...more,
});

describe("an entry of the audit log, in words", () => {
  it("says of a move that found the ticket there that nothing was written", () => {
    const detail = { moveId: "d1", already: true };
    expect(auditWords(event("move", { outcome: "confirmed", detail }))).toEqual({
      what: "Move",
      about: "",
      outcome: "confirmed",
      note: "It was there already: nothing was written.",
    });
    expect(auditWords(event("move", { outcome: "confirmed", detail: { moveId: "d1" } })).note).toBe("");
  });

  it.each<[string, AuditEvent, string, string]>([
    [
      "a renamed status",
      event("workflow", {
        detail: { workflow: "jira.1", kind: "renamed", status: "2", before: "In Review", after: "Reviewing" },
        named: { workflow: "Shop" },
      }),
      "Workflow Shop",
      "Renamed: In Review → Reviewing",
    ],
    [
      "a status of a workflow that is gone",
      event("workflow", { detail: { workflow: "jira.1", kind: "added", status: "5", after: "Shipped" } }),
      "Workflow jira.1",
      "New status: Shipped",
    ],
    [
      "a replay",
      event("replay", { detail: { hooks: 1, moves: 0, connections: 2 } }),
      "Tried again",
      "1 hook, 2 boards",
    ],
    [
      "a setting",
      event("setting", { detail: { setting: "speech", locale: "pt-BR", confirm: "closing" } }),
      "Setting",
      "speech: locale pt-BR, confirm closing",
    ],
    [
      "a setting taken back",
      event("setting", { detail: { setting: "mcp" } }),
      "Setting",
      "mcp: as for everybody",
    ],
    [
      "a webhook",
      event("webhook", { detail: { connection: "eng", was: "active" } }),
      "Webhook",
      "eng, active before",
    ],
    [
      "one that has no words of its own",
      event("vacuum", { detail: { floor: 3, deep: { a: 1 } } }),
      "vacuum",
      "3",
    ],
  ])("tells of %s", (_name, told, what, about) => {
    expect(auditWords(told)).toMatchObject({ what, about });
  });
});
