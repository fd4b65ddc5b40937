import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type DemoProcess, startDemoProcess } from "../support/demo.js";

/** docs/clients.md: its commands run against the demo as they stand, and its files are what their programs read. */

const run = promisify(execFile);
const text = readFileSync("docs/clients.md", "utf8");
const PATIENCE_MS = 180_000;

let demo: DemoProcess;
beforeAll(async () => {
  demo = await startDemoProcess();
});
afterAll(() => demo?.stop());

/** The blocks of one language in the chapter. */
function blocks(chapter: string, language: string): string[] {
  const from = text.indexOf(`\n## ${chapter}\n`);
  expect(from, chapter).toBeGreaterThan(0);
  const [body = ""] = text.slice(from + 4).split("\n## ");
  return [...body.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    ([, code = ""]) => code,
  );
}

async function shell(code: string): Promise<string> {
  const env = {
    ...process.env,
    BOARDWALK_URL: demo.line.url,
    MCP_TOKEN: demo.tenant("acme").token,
    npm_config_prefer_offline: "true",
  };
  return (await run("bash", ["-ec", code], { env, maxBuffer: 10_000_000 })).stdout;
}

describe("docs/clients.md", () => {
  it(
    "shows with the Inspector what a client sees, and calls a tool",
    async () => {
      const [code = ""] = blocks("Inspector", "sh");
      const said = await shell(code);
      expect(said).toContain('"acme_engineering_move_to_in_review"');
      expect(said).toContain("Login page forgets the chosen language");
    },
    PATIENCE_MS,
  );

  it("calls a tool with curl", async () => {
    const [code = ""] = blocks("curl", "sh");
    expect(await shell(code)).toContain("Login bug, the second tap is ignored is in In Progress.");
  });

  const address = z.literal("https://boardwalk.example.org/mcp");

  it("has the file that Cursor reads", () => {
    const [code = ""] = blocks("Cursor", "json");
    const server = z.strictObject({ url: address, headers: z.record(z.string(), z.string()) });
    const file = z.strictObject({ mcpServers: z.record(z.string(), server) }).parse(JSON.parse(code));
    expect(file.mcpServers.boardwalk?.headers.Authorization).toMatch(/^Bearer \$\{env:MCP_TOKEN\}$/);
  });

  it("has the file that VS Code reads, which asks for the token that it sends", () => {
    const [code = ""] = blocks("VS Code", "json");
    const server = z.strictObject({
      type: z.literal("http"),
      url: address,
      headers: z.record(z.string(), z.string()),
    });
    const file = z
      .strictObject({
        inputs: z.array(
          z.looseObject({ type: z.literal("promptString"), id: z.string(), password: z.literal(true) }),
        ),
        servers: z.record(z.string(), server),
      })
      .parse(JSON.parse(code));
    const [input] = file.inputs;
    expect(file.servers.boardwalk?.headers.Authorization).toBe(`Bearer \${input:${input?.id}}`);
  });
});
