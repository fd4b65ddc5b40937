import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";
import { CLI } from "../support/cli.js";
import { oauthServiceOf } from "../support/oauth-service.js";

let demo: Demo;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "boardwalk-cli-"));
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await demo.close();
});

async function boardwalk(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, BOARDWALK_URL: demo.line.url, BOARDWALK_ADMIN_TOKEN: demo.line.admin.token };
  const child = spawn(process.execPath, [...CLI, ...args], { env });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => {
    out += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString();
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, out, err };
}

describe("boardwalk member", () => {
  it("adds somebody with a code that signs her in, lists her, and removes her", async () => {
    const added = await boardwalk("member", "add", "--tenant", "acme", "--name", "Ann O'Neil", "--json");
    expect(added.code, added.err).toBe(0);
    const { code } = JSON.parse(added.out) as { code: string };
    const service = oauthServiceOf(demo.app, { url: demo.line.url, admin: demo.line.admin.token });
    const { access_token: token } = await service.link(code, `${demo.line.url}/mcp`);
    const asked = async () => (await service.mcp(`${demo.line.url}/mcp`, token, "tools/list")).status;
    expect(await asked()).toBe(200);
    expect((await boardwalk("member", "list", "--tenant", "acme")).out).toMatch(
      /^NAME +SINCE\nAnn O'Neil +20/,
    );
    const removed = await boardwalk("member", "remove", "Ann O'Neil", "--tenant", "acme", "--yes");
    expect(removed.out).toBe("Removed Ann O'Neil.\n");
    expect(await asked()).toBe(401);
    const again = await boardwalk("member", "remove", "Ann O'Neil", "--tenant", "acme", "--yes");
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("nobody of that name")]);
  }, 60_000);

  it.each([
    ["a tenant that is not there", ["--tenant", "nobody", "--name", "ann"], /no tenant/],
    ["a name that cannot be said", ["--tenant", "acme", "--name", "<b>"], /letters, digits/],
  ])(
    "refuses %s in words",
    async (_what, args, why) => {
      const { code, err } = await boardwalk("member", "add", ...args);
      expect(code).toBe(1);
      expect(err).toMatch(why);
    },
    30_000,
  );
});

describe("boardwalk alexa", () => {
  it("writes the contract as published, and says what a submission lacks", async () => {
    const file = join(dir, "contract.json");
    expect((await boardwalk("alexa", "contract", "--out", file)).code).toBe(0);
    const published = readFileSync("docs/alexa-contract.json", "utf8");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(published));
    writeFileSync(join(dir, "boardwalk.yaml"), "publicUrl: https://boardwalk.example\n");
    const manifest = await boardwalk(
      "alexa",
      "manifest",
      "--config",
      join(dir, "boardwalk.yaml"),
      "--images",
      dir,
    );
    expect(manifest.code).toBe(1);
    expect(manifest.err).toMatch(/ALEXA_CLIENT_ID is missing[\s\S]*ALEXA_REDIRECT_URIS is missing/);
    expect(manifest.err).toContain("six square icons");
  }, 60_000);
});
