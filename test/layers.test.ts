import { describe, expect, it } from "vitest";
import { importsOf, type Source, violations } from "./support/layers.js";
import { sourcesIn } from "./support/sources.js";

describe("the sources", () => {
  const sources = [...sourcesIn("src"), ...sourcesIn("connectors")];

  it("are found, and their imports too", () => {
    expect(sources.map(({ path }) => path)).toContain("src/machine/transition.ts");
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(sources.length);
    for (const source of sources) {
      const lines = source.text.match(/^(import\b|\} from ")|^export .*\bfrom "/gm) ?? [];
      if (lines.length > 0) expect(importsOf(source).length, source.path).toBeGreaterThan(0);
    }
  });

  it("import only what the table in CONTRIBUTING.md lets them, and in no circle", () => {
    expect(violations(sources)).toEqual([]);
  });
});

describe("the check", () => {
  const good: readonly Source[] = [
    { path: "src/errors.ts", text: "export class BoardwalkError extends Error {}\n" },
    { path: "src/machine/index.ts", text: 'import { BoardwalkError } from "../errors.js";\n' },
    {
      path: "src/board/connector.ts",
      text: 'import type { z } from "zod";\nexport interface Move { from: string }\n',
    },
    { path: "src/board/http.ts", text: 'import { createHash } from "node:crypto";\n' },
    { path: "src/store/store.ts", text: 'import type { Move } from "../board/connector.js";\n' },
    { path: "src/store/redis.ts", text: 'import { Redis } from "ioredis";\nimport "./store.js";\n' },
    { path: "src/tickets/decide.ts", text: 'import type { S } from "../store/store.js";\n' },
    { path: "src/app.ts", text: 'import { Redis } from "ioredis";\nimport { r } from "./store/redis.js";\n' },
    { path: "connectors/jira/index.ts", text: 'import { h } from "../../src/board/http.js";\n' },
    { path: "connectors/trello/index.ts", text: "export const trello = 1;\n" },
  ];

  function breach(path: string, text: string): readonly string[] {
    return violations([...good.filter((source) => source.path !== path), { path, text }]);
  }

  it("finds nothing wrong with what is right", () => {
    expect(violations(good)).toEqual([]);
  });

  it.each([
    ["the errors import anything", "src/errors.ts", 'import { x } from "./machine/index.js";'],
    ["the errors import a package", "src/errors.ts", 'import { z } from "zod";'],
    [
      "the machine imports a port",
      "src/machine/index.ts",
      'import type { Move } from "../board/connector.js";',
    ],
    ["the machine imports a builtin", "src/machine/names.ts", 'import { createHash } from "node:crypto";'],
    ["the machine imports a package", "src/machine/names.ts", 'import { z } from "zod";'],
    ["the machine reads a clock", "src/machine/names.ts", "export const at = () => Date.now();"],
    ["the machine reads a date", "src/machine/names.ts", "export const at = () => new Date();"],
    ["the machine rolls dice", "src/machine/names.ts", "export const at = () => Math.random();"],
    ["the machine waits", "src/machine/names.ts", "setTimeout(() => {}, 1);"],
    ["a port imports an implementation", "src/store/store.ts", 'import { r } from "./redis.js";'],
    ["an implementation imports another", "src/store/redis.ts", 'import { b } from "../hooks/inline.js";'],
    ["tickets import an implementation", "src/tickets/decide.ts", 'import { r } from "../store/redis.js";'],
    ["tickets import its types only", "src/tickets/decide.ts", 'import type { R } from "../store/redis.js";'],
    [
      "tickets import it with types marked",
      "src/tickets/decide.ts",
      'import { type R } from "../store/redis.js";',
    ],
    [
      "tickets import a connector",
      "src/tickets/decide.ts",
      'import { j } from "../../connectors/jira/index.js";',
    ],
    ["tickets import sync", "src/tickets/decide.ts", 'import { s } from "../sync/pull.js";'],
    [
      "tickets import it over many lines",
      "src/tickets/decide.ts",
      'import {\n  r,\n  type S,\n} from "../store/redis.js";',
    ],
    ["tickets pass it on", "src/tickets/decide.ts", 'export { r } from "../store/redis.js";'],
    ["tickets pass everything on", "src/tickets/decide.ts", 'export * from "../store/redis.js";'],
    ["tickets pass its types on", "src/tickets/decide.ts", 'export type * from "../store/redis.js";'],
    ["tickets run it", "src/tickets/decide.ts", 'import "../store/redis.js";'],
    ["tickets load it later", "src/tickets/decide.ts", 'const r = await import("../store/redis.js");'],
    ["tickets name its type in place", "src/tickets/decide.ts", 'let r: import("../store/redis.js").R;'],
    ["tickets load what cannot be checked", "src/tickets/decide.ts", "const r = await import(name);"],
    ["tickets name a queue", "src/tickets/decide.ts", 'import type { Queue } from "bullmq";'],
    ["tickets name Redis", "src/tickets/decide.ts", 'import { Redis } from "ioredis";'],
    [
      "tickets name a server",
      "src/tickets/decide.ts",
      'import { Server } from "@modelcontextprotocol/server";',
    ],
    ["tickets name express", "src/tickets/decide.ts", 'import express from "express";'],
    ["tickets read the environment", "src/tickets/decide.ts", "const h = process.env.HOST;"],
    ["tickets unpack the environment", "src/tickets/decide.ts", "const { env } = process;"],
    ["tickets take the environment along", "src/tickets/decide.ts", 'import { env } from "node:process";'],
    [
      "the bridge's register needs a server",
      "src/bridge/register.ts",
      'import { M } from "@modelcontextprotocol/server";',
    ],
    ["a connector imports another", "connectors/jira/index.ts", 'import { t } from "../trello/index.js";'],
    [
      "a connector imports the store",
      "connectors/jira/index.ts",
      'import type { S } from "../../src/store/redis.js";',
    ],
    [
      "a connector uses another's client",
      "connectors/jira/index.ts",
      'import { Octokit } from "@octokit/rest";',
    ],
    [
      "a client's subpath is named elsewhere",
      "connectors/trello/index.ts",
      'import { c } from "jira.js/cloud";',
    ],
    ["express is named outside an emulator", "connectors/jira/index.ts", 'import express from "express";'],
    ["the store imports the app", "src/store/redis.ts", 'import { a } from "../app.js";'],
    ["a file is not where it is said to be", "src/tickets/decide.ts", 'import { x } from "./gone.js";'],
    ["a folder is not in the table", "src/helpers/all.ts", "export const x = 1;"],
  ])("sees that %s", (_what, path, text) => {
    const others: readonly Source[] = [
      { path: "src/hooks/inline.ts", text: "" },
      { path: "src/sync/pull.ts", text: "" },
    ];
    const found = violations([...good.filter((source) => source.path !== path), ...others, { path, text }]);
    expect(found.join("\n")).toContain(path);
    // Some of these make a circle as well, which is told apart.
    expect(found.filter((sentence) => !sentence.startsWith("a cycle"))).toHaveLength(1);
  });

  it("lets types of the MCP SDK be named where servers of either kind are registered with", () => {
    const text = 'import type { McpServer } from "@modelcontextprotocol/server";\n';
    expect(breach("src/bridge/register.ts", text)).toEqual([]);
  });

  it("lets words about imports be", () => {
    const text =
      '// import { r } from "../store/redis.js"\n/**\n * process.env, import("x"), Date.now()\n */\nconst from = "a";\n';
    expect(breach("src/tickets/decide.ts", text)).toEqual([]);
    expect(breach("src/machine/names.ts", text)).toEqual([]);
  });

  it.each([
    ["two files", ["b", "a"], "a.ts -> src/tickets/b.ts"],
    ["three files", ["b", "c", "a"], "a.ts -> src/tickets/b.ts -> src/tickets/c.ts"],
    ["a file with itself", ["a"], "a.ts"],
  ])("sees a circle of %s, of types too", (_name, next, expected) => {
    const files = ["a", "b", "c"].slice(0, next.length).map((name, at) => ({
      path: `src/tickets/${name}.ts`,
      text: `import type { X } from "./${next[at]}.js";\n`,
    }));
    const found = violations(files);
    expect(found).toEqual([`a cycle: src/tickets/${expected}`]);
  });
});
