import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import { ALL_DOCUMENTS, ISSUES, operationName } from "../../connectors/linear/documents.js";
import { complexityOf } from "../../connectors/linear/emulator/complexity.js";
import { loadMeasure } from "../../connectors/linear/emulator/graphql.js";

/** Linear refuses a query of more than 10,000 points: an object 1, a property 0.1, a list its children times its page. */
const MOST = 10_000;

const pointsOf = async (query: string, variables = {}) =>
  complexityOf(await loadMeasure(), parse(query), variables);

describe("the complexity of our documents", () => {
  it.each(ALL_DOCUMENTS.map(({ query }) => [operationName(query), query] as const))(
    "%s stays far below the limit",
    async (_name, query) => {
      expect(await pointsOf(query)).toBeLessThan(MOST / 4);
    },
  );

  it("is counted by Linear's rule", async () => {
    // 250 times an issue (1), nine properties (0.9), state and team with an id each (2.2), and the page's own (1.2).
    expect(await pointsOf(ISSUES.query)).toBe(Math.ceil(250 * (1 + 0.9 + 2.2 + 1.2)));
    expect(await pointsOf("{ viewer { id name } }")).toBe(2);
    expect(await pointsOf("{ issues { nodes { id } } }")).toBe(55);
    expect(await pointsOf("query Q($n: Int) { issues(first: $n) { nodes { id } } }", { n: 10 })).toBe(11);
    expect(await pointsOf("{ issues(first: 10) { nodes { ...F } } } fragment F on Issue { id title }")).toBe(
      12,
    );
  });

  it("multiplies where lists are nested", async () => {
    const nested = "{ teams(first: 100) { nodes { states(first: 250) { nodes { id } } } } }";
    expect(await pointsOf(nested)).toBeGreaterThan(MOST);
  });

  it("names a page size for every list", () => {
    for (const { query } of ALL_DOCUMENTS) {
      const lists = query.match(/\bnodes \{/g)?.length ?? 0;
      expect(query.match(/\(\s*first: \d+/g)?.length ?? 0, query).toBe(lists);
    }
  });
});
