import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CONFIG_VARIABLES } from "../../src/config.js";

/** What registries and agents read about this package. */

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const { version, name, mcpName } = z
  .object({ version: z.string(), name: z.string(), mcpName: z.string() })
  .parse(JSON.parse(read("package.json")));

/** The MCP registry's rules for what we use of them (schema 2025-12-11). */
const input = z.strictObject({
  name: z.string(),
  description: z.string().min(1),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});
const server = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z.string().regex(/^[a-zA-Z0-9.-]{1,100}\/[a-zA-Z0-9._-]{1,100}$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string(),
      version: z.string(),
      runtimeHint: z.literal("npx"),
      packageArguments: z.array(z.strictObject({ type: z.literal("positional"), value: z.string() })),
      transport: z.strictObject({
        type: z.literal("streamable-http"),
        url: z.url(),
        headers: z.array(input),
      }),
      environmentVariables: z.array(input),
    }),
  ]),
});

describe("server.json", () => {
  const { packages, ...said } = server.parse(JSON.parse(read("server.json")));
  const [pack] = packages;

  it("is of this package, under the name that the package itself claims", () => {
    expect(said.name).toBe(mcpName);
    expect([said.version, pack.version, pack.identifier]).toEqual([version, version, name]);
  });

  it("names only settings that are read, and says which are secret", () => {
    for (const variable of pack.environmentVariables) {
      expect(CONFIG_VARIABLES).toContain(variable.name);
      expect(variable.isSecret ?? false, variable.name).toBe(/TOKEN|KEYS|REDIS/.test(variable.name));
    }
  });
});

describe("llms.txt", () => {
  const text = read("llms.txt");

  it("has a title, a summary, and links to files that exist", () => {
    expect(text).toMatch(/^# Boardwalk\n\n> /);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(8);
    for (const path of links) expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true);
  });
});
