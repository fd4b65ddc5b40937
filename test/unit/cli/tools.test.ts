import { describe, expect, it } from "vitest";
import { compareLists, toolChange } from "../../../src/cli/tools.js";

const tool = (name: string, title = name) => ({ name, title, description: "Does it.", phrases: [] });
const surface = (id: string, ...tools: ReturnType<typeof tool>[]) => ({
  ...{ id, path: "/mcp", protocolVersions: ["2025-11-25"], frozen: false, sha256: "x" },
  tools,
});

describe("two lists of tools", () => {
  it("that are the same have no difference", () => {
    expect(compareLists([surface("2025", tool("a"))], [surface("2025", tool("a"))])).toEqual([]);
  });

  it("tell what came, went and changed, surface by surface", () => {
    const before = [surface("2025", tool("a"), tool("b")), surface("alexa", tool("a"))];
    const now = [surface("2025", tool("b", "B"), tool("c")), surface("alexa", tool("a"))];
    expect(compareLists(before, now)).toEqual([
      { surface: "2025", kind: "removed", before: "a" },
      { surface: "2025", kind: "changed", before: "b", after: "b" },
      { surface: "2025", kind: "added", after: "c" },
    ]);
  });
});

describe("a board's change", () => {
  const of = (kind: string, before?: string, after?: string) =>
    toolChange("jira.x.1", "Acme engineering", {
      at: "2026-01-01T00:00:00Z",
      kind,
      status: "10002",
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    }).map(({ at: _at, ...change }) => change);

  it("is told by what it did to the status' tool", () => {
    expect(of("renamed", "In Review", "Peer check")).toEqual([
      {
        kind: "renamed",
        before: "acme_engineering_move_to_in_review",
        after: "acme_engineering_move_to_peer_check",
      },
    ]);
    expect(of("added", undefined, "QA")).toEqual([{ kind: "added", after: "acme_engineering_move_to_qa" }]);
    expect(of("removed", "QA")).toEqual([{ kind: "removed", before: "acme_engineering_move_to_qa" }]);
    expect(of("restored", undefined, "QA")).toEqual([
      { kind: "added", after: "acme_engineering_move_to_qa" },
    ]);
  });

  it("that leaves tools alone is not told", () => {
    expect(of("reordered", "1", "2")).toEqual([]);
  });
});
