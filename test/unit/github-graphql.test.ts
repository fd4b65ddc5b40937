import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createGithubApi } from "../../connectors/github/api.js";
import {
  errorFromFaults,
  type GraphqlDocument,
  type GraphqlFault,
  run,
} from "../../connectors/github/graphql.js";
import { until } from "../support/until.js";

const HOST = "https://github.example.com";
const never = new AbortController().signal;
const api = (options = {}) =>
  createGithubApi(`${HOST}/api/v3`, { token: "t" }, { checkUrl: async () => {} }, options);
const document = (kind: "query" | "mutation"): GraphqlDocument<{ node: { title: string } | null }> => ({
  kind,
  query: `${kind} X { node { title } }`,
  data: z.object({ node: z.object({ title: z.string() }).nullable() }),
});
const graphql = (times = 1) => nock(HOST).post("/api/graphql").times(times);

afterEach(() => nock.cleanAll());

describe("GraphQL errors", () => {
  const headers =
    (given: Record<string, string> = {}) =>
    (name: string) =>
      given[name];
  const cases: readonly (readonly [GraphqlFault, string])[] = [
    [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }, "rate_limited"],
    [{ message: "You have exceeded a secondary rate limit." }, "rate_limited"],
    [
      { type: "VALIDATION", message: "The single select option Id does not belong to the field" },
      "stale_workflow",
    ],
    [{ message: "The item is archived and cannot be updated" }, "archived"],
    [{ type: "FORBIDDEN", message: "Resource not accessible by integration" }, "forbidden"],
    [
      { type: "INSUFFICIENT_SCOPES", message: "…one of the following scopes: ['read:project'], but…" },
      "forbidden",
    ],
    [{ type: "NOT_FOUND", message: "Could not resolve to a node" }, "not_found_or_hidden"],
    [{ message: "Something went wrong while executing your query on 2026-11-29." }, "unavailable"],
    [{ type: "UNPROCESSABLE", message: "No." }, "invalid"],
  ];
  it.each(cases)("%j is %s", (fault, code) => {
    expect(errorFromFaults([fault], headers())).toMatchObject({ code });
  });

  it("name the scope that is missing", () => {
    const message = "requires one of the following scopes: ['read:project', 'project'], but your token";
    const error = errorFromFaults([{ type: "INSUFFICIENT_SCOPES", message }], headers());
    expect(error.message).toContain("read:project or project");
    expect(error.data).toEqual({ scopes: ["read:project", "project"] });
  });

  it("say how long to wait by the headers beside them", () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 120);
    const given = headers({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset });
    const { retryAfterMs } = errorFromFaults([{ type: "RATE_LIMITED", message: "limit" }], given);
    expect(retryAfterMs).toBeGreaterThan(100_000);
    expect(retryAfterMs).toBeLessThanOrEqual(121_000);
  });

  it("of a header's spent limit do not turn another refusal into waiting", () => {
    const given = headers({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999" });
    expect(errorFromFaults([{ type: "FORBIDDEN", message: "No." }], given).code).toBe("forbidden");
  });
});

describe("running a document", () => {
  it("takes a query's data with a gap in it, and not a mutation's", async () => {
    const gap = { data: { node: null }, errors: [{ type: "NOT_FOUND", path: ["node"], message: "no" }] };
    graphql().reply(200, gap);
    expect(await run(api(), document("query"), {}, never)).toEqual({ node: null });
    graphql().reply(200, gap);
    await expect(run(api(), document("mutation"), {}, never)).rejects.toMatchObject({
      code: "not_found_or_hidden",
    });
  });

  it("tries a query again that failed within a success, and never a mutation", async () => {
    const failed = { errors: [{ message: "Something went wrong while executing your query." }] };
    graphql(2).reply(200, failed);
    graphql().reply(200, { data: { node: { title: "a" } } });
    expect(await run(api(), document("query"), {}, never)).toEqual({ node: { title: "a" } });

    graphql(1).reply(200, failed);
    const unused = graphql().reply(200, { data: { node: null } });
    await expect(run(api(), document("mutation"), {}, never)).rejects.toMatchObject({ code: "unavailable" });
    expect(unused.isDone()).toBe(false);
  });

  it.each([{}, { data: null }, { data: { node: { title: 7 } } }, { data: "x", errors: "y" }])(
    "does not believe %j",
    async (body) => {
      graphql(3).reply(200, body);
      await expect(run(api(), document("query"), {}, never)).rejects.toMatchObject({ code: "unavailable" });
    },
  );
});

describe("the line of mutations", () => {
  it("lets go of one that is called off while it waits, and keeps the others in turn", async () => {
    const order: string[] = [];
    let answerFirst = () => {};
    graphql().reply(200, async () => {
      order.push("first begins");
      await new Promise<void>((resolve) => {
        answerFirst = resolve;
      });
      order.push("first ends");
      return { data: { node: null } };
    });
    const line = api();
    const first = run(line, document("mutation"), {}, never);
    await until(() => order.includes("first begins"));
    const impatient = new AbortController();
    const second = run(line, document("mutation"), {}, impatient.signal);
    const third = run(line, document("mutation"), {}, never);
    impatient.abort();
    await expect(second).rejects.toMatchObject({ code: "timeout" });
    expect(order).toEqual(["first begins"]);
    graphql().reply(200, () => {
      order.push("third");
      return { data: { node: null } };
    });
    answerFirst();
    await Promise.all([first, third]);
    expect(order).toEqual(["first begins", "first ends", "third"]);
  });

  it("leaves the asked time between two", async () => {
    const at: number[] = [];
    graphql(2).reply(200, () => {
      at.push(performance.now());
      return { data: { node: null } };
    });
    const line = api({ mutationSpacingMs: 80 });
    await Promise.all([
      run(line, document("mutation"), {}, never),
      run(line, document("mutation"), {}, never),
    ]);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(75);
  });
});
