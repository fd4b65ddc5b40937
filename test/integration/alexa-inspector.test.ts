import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";

/**
 * The MCP Inspector's command line as a client. It wants a newer Node than we do and brings a hundred packages along,
 * so it is no dependency: npx fetches it from the registry. Where there is no registry this file is skipped, and says so.
 */

const PACKAGE = "@modelcontextprotocol/inspector@2.12.0";
// It writes into its user's home, which is not this test's business; npm's cache stays where it is.
const home = mkdtempSync(join(tmpdir(), "boardwalk-inspector-"));
const env = {
  ...process.env,
  HOME: home,
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
};
const fetched = spawnSync("npx", ["--yes", `--package=${PACKAGE}`, "--", "node", "-e", ""], {
  env,
  encoding: "utf8",
  timeout: 180_000,
});
if (fetched.status !== 0) process.stderr.write(`skipped: ${PACKAGE} could not be fetched by npx.\n`);

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
});
afterAll(async () => {
  rmSync(home, { recursive: true, force: true });
  await demo.close();
});

async function inspect(path: string, args: readonly string[]): Promise<{ code: number; said: string }> {
  const child = spawn(
    "npx",
    [
      ...["--yes", `--package=${PACKAGE}`, "--", "mcp-inspector", "--cli", `${demo.line.url}${path}`],
      ...["--transport", "http", "-q", "--format", "json", ...args],
    ],
    { env, stdio: ["ignore", "pipe", "ignore"] },
  );
  let said = "";
  child.stdout.on("data", (data: Buffer) => {
    said += data.toString();
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, said };
}

describe.skipIf(fetched.status !== 0)("the Inspector", () => {
  const asMe = () => ["--header", `Authorization: Bearer ${demo.line.tenants[0]?.token}`];

  it.each([
    ["legacy", "/mcp"],
    ["legacy", "/alexa/mcp"],
    ["modern", "/mcp"],
    ["modern", "/alexa/mcp"],
  ])(
    "in the %s era lists the tools of %s strictly, and calls one",
    async (era, path) => {
      const listed = await inspect(path, [
        "--protocol-era",
        era,
        "--method",
        "tools/list",
        "--strict",
        ...asMe(),
      ]);
      expect(listed.code, listed.said).toBe(0);
      expect(listed.said).toContain("describe_board");
      const call = [
        "--method",
        "tools/call",
        "--tool-name",
        "read_ticket",
        "--tool-args-json",
        '{"ticket":"ENG-1"}',
      ];
      const called = await inspect(path, ["--protocol-era", era, ...call, ...asMe()]);
      expect(called.code, called.said).toBe(0);
      expect(called.said).toContain("In Progress");
    },
    120_000,
  );

  it("without a token is told that it needs one", async () => {
    const refused = await inspect("/mcp", ["--method", "tools/list", "--stored-auth-only"]);
    expect(refused.code).toBe(3);
  }, 60_000);
});
