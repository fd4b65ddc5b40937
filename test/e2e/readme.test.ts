import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  boardStatus,
  type DemoProcess,
  type DemoTenant,
  pullRequests,
  startDemoProcess,
} from "../support/demo.js";

const run = promisify(execFile);
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The README's block of this language that holds these words. */
function block(language: string, words: string): string {
  const blocks = [...readme.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, lang]) => lang === language);
  const found = blocks.map(([, , code = ""]) => code).find((code) => code.includes(words));
  if (found === undefined) throw new Error(`README has no ${language} block with "${words}"`);
  return found;
}

describe("the README", () => {
  let demo: DemoProcess;
  let acme: DemoTenant;
  beforeAll(async () => {
    demo = await startDemoProcess();
    acme = demo.tenant("acme");
  });
  afterAll(async () => {
    await demo.stop();
  });

  it("says what the demo says", async () => {
    const command = block("sh", "--say").trim();
    const { stdout } = await run("bash", ["-c", command.replace("npm run demo", "npm run --silent demo")]);
    expect(stdout).toBe(block("text", "> move the login bug"));
  });

  it("moves a ticket with the curl it gives", async () => {
    const { stdout } = await run("bash", ["-c", block("sh", 'curl -s "$MCP_URL"')], {
      env: { ...process.env, MCP_URL: acme.mcpUrl, TOKEN: acme.token },
    });
    expect(stdout).toContain('"outcome":"confirmed"');
    expect(await boardStatus(acme, "ENG-1")).toBe("In Review");
    expect(await pullRequests(acme)).toHaveLength(1);
  });

  it("sets up a tenant with the calls it gives", async () => {
    const [board] = acme.connections;
    const [user = "", password = ""] = Buffer.from(
      (board?.authorization ?? "").replace("Basic ", ""),
      "base64",
    )
      .toString()
      .split(":");
    const script = block("sh", "api POST /tenants/acme/connections")
      .replace("http://127.0.0.1:8420", demo.line.url)
      .replaceAll("/tenants/acme", "/tenants/acme2")
      .replace('"id":"acme"', '"id":"acme2"')
      .replace("https://acme.atlassian.net", board?.boardUrl ?? "")
      .replace("bot@acme.example", user)
      .replace('"apiToken":"..."', `"apiToken":"${password}"`)
      .replace('"repo":"acme/web"', `"repo":"acme/web","apiUrl":"${acme.vcs.url}"`)
      .replace('"token":"..."', `"token":"${acme.vcs.authorization.replace("Bearer ", "")}"`);
    const { stdout } = await run("bash", ["-c", script], {
      env: { ...process.env, BOARDWALK_ADMIN_TOKEN: demo.line.admin.token },
    });
    expect(stdout).toContain('"health":{"state":"ok","problems":[]}');
    expect(stdout).toMatch(/"token":"bw_/);
  });
});
