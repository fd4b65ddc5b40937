import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";

/** What a running service tells of itself to whoever has only its address. */

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true });
});
afterAll(async () => {
  await demo?.close();
});

const get = (path: string) => fetch(new URL(path, demo.line.url), { redirect: "manual" });

describe("the bare address", () => {
  it("leads to the page", async () => {
    const response = await get("/");
    expect([response.status, response.headers.get("location")]).toEqual([302, "/admin"]);
  });
});

describe("/llms.txt", () => {
  it("is served as text to anybody, and what it links to is there", async () => {
    const response = await get("/llms.txt");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await response.text();
    expect(text).toMatch(/^# Boardwalk\n\n> /);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(12);
    for (const path of links) {
      const linked = await get(`/${path}`);
      expect([path, linked.status, linked.headers.get("content-type")]).toEqual([
        path,
        200,
        "text/markdown; charset=utf-8",
      ]);
      expect(await linked.text()).toMatch(/^# /);
    }
  });

  it("is linked from the page and from the description of the API", async () => {
    expect(await (await get("/admin")).text()).toContain('href="/llms.txt"');
    const { externalDocs } = (await (await get("/openapi.json")).json()) as {
      externalDocs?: { url: string };
    };
    expect(externalDocs?.url).toBe("/llms.txt");
  });

  it.each([
    "/package.json",
    "/docs/../package.json",
    "/docs/%2e%2e/package.json",
    "/AGENTS.md",
    "/docs/none.md",
  ])("shows no other file: %s", async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
