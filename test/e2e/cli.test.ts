import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eyesOf } from "../../src/demo-look.js";
import { CLI } from "../support/cli.js";
import { type DemoProcess, type DemoTenant, startDemoProcess } from "../support/demo.js";

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let demo: DemoProcess;
let acme: DemoTenant;
let dir: string;
/** Each command is a process of its own. */
const PATIENCE_MS = 180_000;
beforeAll(async () => {
  demo = await startDemoProcess();
  acme = demo.tenant("acme");
  dir = await mkdtemp(join(tmpdir(), "boardwalk-cli-"));
});
afterAll(async () => {
  await demo.stop();
  await rm(dir, { recursive: true, force: true });
});

/** The command, as an operator of the demo's service runs it. */
function boardwalk(args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const settings = { BOARDWALK_URL: demo.line.url, BOARDWALK_ADMIN_TOKEN: demo.line.admin.token, ...env };
  return new Promise((resolve) => {
    const all = [...CLI, ...args];
    execFile(process.execPath, all, { env: { ...process.env, ...settings } }, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1,
        stdout,
        stderr,
      });
    });
  });
}

/** What `connect` reads to connect Acme's Jira. */
async function boardFile(): Promise<string> {
  const [board] = acme.connections;
  const login = Buffer.from((board?.authorization ?? "").replace("Basic ", ""), "base64").toString();
  const [email, apiToken] = login.split(":");
  const settings = { baseUrl: board?.boardUrl, project: "ENG" };
  const file = join(dir, "board.json");
  await writeFile(
    file,
    JSON.stringify({ id: "eng", provider: "jira", settings, credentials: { email, apiToken } }),
  );
  return file;
}

describe("the command line", () => {
  it("says its version and helps", async () => {
    expect((await boardwalk(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { stdout } = await boardwalk(["--help"]);
    for (const command of ["serve", "demo", "doctor", "tenant", "connect", "import", "workflow", "replay"])
      expect(stdout).toContain(command);
    expect(await boardwalk(["demno"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Did you mean demo"),
    });
  });

  it(
    "tries again what failed, and says what that was",
    async () => {
      const replayed = await boardwalk(["replay", "acme", "--json"]);
      expect(JSON.parse(replayed.stdout)).toMatchObject({ moves: 0, connections: acme.connections.length });
      expect((await boardwalk(["replay", "acme"])).stdout).toMatch(/^Begun again: \d+ hooks, 0 moves/);
      const unknown = await boardwalk(["replay", "acme", "--ticket", "jira.x.1"]);
      expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no such ticket") });
    },
    PATIENCE_MS,
  );

  it(
    "shows and makes a team's choices",
    async () => {
      expect((await boardwalk(["tenant", "settings", "acme"])).stdout).toMatch(
        /^SETTING +CHOSEN\nmcp\.tools +default/,
      );
      const chosen = await boardwalk([
        "tenant",
        "settings",
        "acme",
        "--locale",
        "ja-JP",
        "--max-tools",
        "12",
        "--json",
      ]);
      expect(JSON.parse(chosen.stdout)).toEqual({
        budgets: {},
        mcp: { maxTools: 12 },
        speech: { locale: "ja-JP" },
      });
      const back = await boardwalk([
        ...["tenant", "settings", "acme", "--json"],
        ...["--locale", "default", "--max-tools", "default", "--tickets", "5000"],
      ]);
      expect(JSON.parse(back.stdout)).toEqual({ mcp: {}, speech: {}, budgets: { tickets: 5_000 } });
      const wrong = await boardwalk(["tenant", "settings", "acme", "--locale", "xx"]);
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("en, pt-BR, ja-JP, default") });
    },
    PATIENCE_MS,
  );

  it(
    "exports who did what, to a file or to whoever reads on",
    async () => {
      const exported = await boardwalk(["audit", "export", "--tenant", "acme"]);
      const events = exported.stdout.trimEnd().split("\n");
      expect(events.map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({ action: "replay" }),
      );
      const file = join(dir, "audit.csv");
      const args = ["audit", "export", "--tenant", "acme", "--format", "csv", "--out", file];
      expect(await boardwalk(args)).toEqual({ code: 0, stdout: "", stderr: "" });
      const rows = (await readFile(file, "utf8")).trimEnd().split("\r\n");
      expect(rows[0]).toBe("at,action,person,client,tool,ticket,from,to,outcome,detail");
      expect(rows).toHaveLength(events.length + 1);
      const unknown = await boardwalk(["audit", "export", "--tenant", "nobody", "--out", join(dir, "none")]);
      expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no tenant") });
      expect(existsSync(join(dir, "none"))).toBe(false);
    },
    PATIENCE_MS,
  );

  it(
    "sets up a team, its board and a token",
    async () => {
      expect(await boardwalk(["tenant", "add", "hooli", "--name", "Hooli"])).toMatchObject({ code: 0 });
      expect((await boardwalk(["tenant", "list"])).stdout).toMatch(/^ID +NAME +SINCE\nacme +Acme/);
      const made = await boardwalk(["tenant", "token", "hooli", "--name", "ann", "--json"]);
      expect(JSON.parse(made.stdout)).toMatchObject({ token: expect.stringMatching(/^bw_/) });
      const connected = await boardwalk(["connect", "hooli", "--file", await boardFile()]);
      expect(connected).toMatchObject({
        code: 0,
        stdout: "Connected eng (jira): 1 workflow, 10 tickets.\n",
      });
      expect((await boardwalk(["import", "hooli", "eng"])).stdout).toMatch(
        /^1 workflow, \d+ tickets read\.\n/,
      );
      const shown = await boardwalk(["workflow", "show", "hooli"]);
      expect(shown.stdout).toMatch(/In Progress +In Review +Ask for review +21/);
      const { workflows } = JSON.parse((await boardwalk(["workflow", "show", "hooli", "--json"])).stdout) as {
        workflows: { id: string }[];
      };
      const explained = await boardwalk(["workflow", "explain", "hooli", workflows[0]?.id ?? ""]);
      expect(explained.stdout).toMatch(/workflow/);
    },
    PATIENCE_MS,
  );

  it(
    "shows the tools of each surface and how they have changed",
    async () => {
      const listed = await boardwalk(["tools", "list", "acme"]);
      expect(listed.stdout).toMatch(
        /^\/t\/acme\/mcp \(.*\), follows the boards, sha256 [0-9a-f]{12}\nTOOL +TITLE +SAY\n/m,
      );
      expect(listed.stdout).toMatch(/^acme_engineering_move_to_in_review +Move to In Review +\S/m);
      const frozen = await boardwalk(["tools", "list", "acme", "--surface", "alexa"]);
      expect(frozen.stdout).toContain("never changes");
      expect(frozen.stdout).not.toContain("acme_engineering");
      expect((await boardwalk(["tools", "diff", "acme"])).stdout).toBe("The tools are the same.\n");
      const kept = join(dir, "tools.json");
      await writeFile(kept, (await boardwalk(["tools", "list", "acme", "--json"])).stdout);
      const eyes = eyesOf(acme);
      await eyes.rename("Blocked", "On ice");
      expect(await boardwalk(["import", "acme", "eng"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("renamed Blocked -> On ice"),
      });
      const seen = await boardwalk(["tools", "diff", "acme"]);
      expect(seen.stdout).toMatch(
        /renamed +acme_engineering_move_to_blocked +acme_engineering_move_to_on_ice/,
      );
      const since = await boardwalk(["tools", "diff", "acme", "--since", kept, "--json"]);
      const { changes } = JSON.parse(since.stdout) as { changes: object[] };
      expect(changes).toContainEqual({
        surface: "2025",
        kind: "added",
        after: "acme_engineering_move_to_on_ice",
      });
      expect(JSON.stringify(changes)).not.toContain("alexa");
      await eyes.rename("On ice", "Blocked");
      await boardwalk(["import", "acme", "eng"]);
    },
    PATIENCE_MS,
  );

  it(
    "shows what an import would bring and change, and keeps nothing of it",
    async () => {
      const eyes = eyesOf(acme);
      const audit = async () => (await boardwalk(["audit", "export", "--tenant", "acme"])).stdout;
      const before = [await audit(), (await boardwalk(["workflow", "show", "acme"])).stdout];
      const same = await boardwalk(["import", "acme", "eng", "--dry-run"]);
      expect(same).toMatchObject({ code: 0, stderr: "" });
      expect(same.stdout).toMatch(
        /^Nothing was kept\. The import would bring 1 workflow, 10 tickets \(0 new, 0 in another status than is known\) and 11 tools\. No workflow would change\.\n/,
      );
      expect(same.stdout).toMatch(/^In Review +doing +1 +Done, In Progress, Blocked$/m);
      await eyes.rename("Blocked", "To Do");
      const changed = await boardwalk(["import", "acme", "eng", "--dry-run"]);
      expect(changed.stdout).toMatch(/^What would change:\nrenamed Blocked -> To Do/m);
      expect(changed.stdout).toContain('2 statuses of Acme engineering are called "To Do"');
      expect([await audit(), (await boardwalk(["workflow", "show", "acme"])).stdout]).toEqual(before);
      const { tickets, changes, tools } = JSON.parse(
        (await boardwalk(["import", "acme", "eng", "--dry-run", "--json"])).stdout,
      ) as { tickets: object; changes: object[]; tools: object[] };
      expect(tickets).toMatchObject({ counted: 10, more: false, fresh: 0, moved: 0 });
      expect(changes).toMatchObject([{ kind: "renamed", before: "Blocked", after: "To Do" }]);
      expect(tools).toHaveLength(11);
      await eyes.rename("To Do", "Blocked");
      expect(await boardwalk(["import", "acme", "nowhere", "--dry-run"])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no connection "nowhere"'),
      });
    },
    PATIENCE_MS,
  );

  it(
    "tries a board without keeping anything, and forgets one only when told so",
    async () => {
      await boardwalk(["tenant", "add", "piper"]);
      const file = await boardFile();
      const tried = await boardwalk(["connect", "piper", "--file", file, "--dry-run"]);
      expect(tried).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(
          "Nothing was kept. The import would bring 1 workflow, 10 tickets and 11 tools.",
        ),
      });
      const nothing = await boardwalk(["import", "piper", "eng"]);
      expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('no connection "eng"') });
      expect(await boardwalk(["connect", "piper", "--file", file, "--json"])).toMatchObject({ code: 0 });
      const replayed = await boardwalk(["replay", "piper", "--wait"]);
      expect(replayed.stdout).toMatch(/1 board\. Every board has been read\.\n$/);
      expect(replayed.stderr).toContain("reading anew ...");
      const unsure = await boardwalk(["disconnect", "piper", "eng"]);
      expect(unsure).toMatchObject({ code: 1, stderr: expect.stringContaining("add --yes") });
      expect((await boardwalk(["disconnect", "piper", "eng", "--yes"])).stdout).toBe("Disconnected eng.\n");
      expect((await boardwalk(["import", "piper", "eng"])).code).toBe(1);
    },
    PATIENCE_MS,
  );

  it(
    "makes secrets, prints settings without them, and completes itself",
    async () => {
      const made = await boardwalk(["init-secrets"]);
      expect(made.stdout).toMatch(/^BOARDWALK_ADMIN_TOKEN=.{40,}\nBOARDWALK_ENCRYPTION_KEYS=k1:.{44}\n$/);
      const printed = await boardwalk(["config", "print"], { BOARDWALK_ENCRYPTION_KEYS: "" });
      expect(printed.stdout).toMatch(/^BOARDWALK_ADMIN_TOKEN +\(set\)$/m);
      expect(printed.stdout).not.toContain(demo.line.admin.token);
      expect((await boardwalk(["complete", "--", "tools", ""])).stdout).toMatch(/^list\t.*\ndiff\t/);
      for (const shell of ["bash", "zsh", "fish"])
        expect((await boardwalk(["completion", shell])).stdout).toContain("boardwalk complete --");
    },
    PATIENCE_MS,
  );

  it(
    "fails with one sentence that says what to do",
    async () => {
      expect(await boardwalk(["tenant", "add", "Not An Id"])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^boardwalk: .*a-z/),
      });
      expect(await boardwalk(["import", "hooli", "nowhere"])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no connection "nowhere"'),
      });
      const debugged = await boardwalk(["--debug", "import", "hooli", "nowhere"]);
      expect(debugged.stderr).toMatch(/no connection "nowhere".*"code": "not_found_or_hidden"/s);
      const away = await boardwalk(["tenant", "list"], { BOARDWALK_URL: "http://127.0.0.1:9" });
      expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining("boardwalk serve") });
      const wrong = await boardwalk(["tenant", "list"], { BOARDWALK_ADMIN_TOKEN: "not-the-token-of-it" });
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("BOARDWALK_ADMIN_TOKEN") });
      expect(await boardwalk(["doctor"], { REDIS_URL: "", BOARDWALK_ENCRYPTION_KEYS: "" })).toMatchObject({
        code: 1,
        stdout: expect.stringContaining("fault encryption keys"),
      });
    },
    PATIENCE_MS,
  );
});
