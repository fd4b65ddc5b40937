import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { type Certificates, makeCertificates } from "../support/certificates.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { type Service, startService } from "../support/service.js";
import { callApi, serviceEnv } from "../support/sync-world.js";

/** The whole service over a Redis that speaks TLS only, with a user who has the rights that docs/operating.md names. */

const run = promisify(execFile);
const PASSWORD = "s3cret/with?signs";
const LOGIN = `boardwalk:${encodeURIComponent(PASSWORD)}`;

let dir: string;
let certificates: Certificates;
let redis: RedisServer;
let plain: RedisServer;
let jira: JiraEmulator;
let service: Service;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "boardwalk-tls-"));
  certificates = await makeCertificates(dir);
  const user = documentedUser();
  const poor = user.replace("user boardwalk", "user poor").replace("&bw:{*}:revisions ", "");
  writeFileSync(join(dir, "users.acl"), `user default off\n${user}\n${poor}\n`);
  redis = await startRedis({
    appendOnly: true,
    more: (port) => [
      ...["--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no"],
      ...["--tls-cert-file", certificates.certificate, "--tls-key-file", certificates.key],
      ...["--tls-ca-cert-file", certificates.authority, "--aclfile", join(dir, "users.acl")],
    ],
    answers: speaksTls,
  });
  plain = await startRedis();
  jira = await startJiraEmulator({ site: demoJiraSite() });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await jira?.close();
  await Promise.all([redis?.stop(), plain?.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

/** The line of the documentation, with the password in it. */
function documentedUser(): string {
  const line = /^user boardwalk .*$/m.exec(readFileSync("docs/operating.md", "utf8"))?.[0];
  if (line === undefined) throw new Error("docs/operating.md names no user");
  return line.replace("<password>", PASSWORD);
}

function speaksTls(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

const env = (url: string, authority = certificates.authority) => ({
  ...serviceEnv(url),
  NODE_EXTRA_CA_CERTS: authority,
  LOG_LEVEL: "info",
});
const url = (login = LOGIN) => `rediss://${login}@localhost:${redis.port}`;

/** What `boardwalk doctor` finds at fault about Redis. */
async function doctor(settings: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const told = await run(process.execPath, ["--import", "tsx", "src/cli.ts", "doctor", "--json"], {
    env: { ...process.env, ...settings },
  }).catch((failed: { stdout: string }) => failed);
  const { findings } = JSON.parse(told.stdout) as { findings: { check: string; problems: unknown[] }[] };
  return findings.find(({ check }) => check === "redis")?.problems ?? ["was not looked at"];
}

describe("a Redis that speaks TLS and asks who is there", () => {
  it("serves the whole service: a board is imported and a move confirmed", async () => {
    service = await startService({ role: "all", env: env(url()) });
    const api = (method: string, path: string, body?: object) => callApi(service.url, method, path, body);
    await api("POST", "/tenants", { id: "acme", name: "Acme" });
    const settings = { baseUrl: jira.url, project: "ENG" };
    const { credentials } = jira;
    await api("POST", "/tenants/acme/connections", { id: "web", provider: "jira", settings, credentials });
    await api("POST", "/tenants/acme/connections/web/sync?wait=true");
    const { tickets } = (await api("GET", "/tenants/acme/tickets")) as {
      tickets: { id: string; key: string }[];
    };
    const ticket = tickets.find(({ key }) => key === "ENG-2");
    const moved = await api("POST", `/tenants/acme/tickets/${ticket?.id}/moves`, { to: "In Progress" });
    expect(moved).toMatchObject({ outcome: "confirmed" });
    expect(jira.site.statuses.get(jira.site.issueOf("ENG-2")?.status ?? "")?.name).toBe("In Progress");
    const ready = await fetch(`${service.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(JSON.stringify(service.log)).not.toContain("NOPERM");
  }, 60_000);

  it("satisfies doctor", async () => {
    expect(await doctor(env(url()))).toEqual([]);
  }, 30_000);

  const faults: readonly (readonly [string, () => Record<string, string>, RegExp])[] = [
    ["an authority that nobody named", () => env(url(), ""), /NODE_EXTRA_CA_CERTS/],
    ["a wrong password", () => env(url("boardwalk:wrong")), /user or password/],
    ["TLS where there is none", () => env(`rediss://localhost:${plain.port}`), /redis:\/\/ where/],
    [
      "no TLS where there is some",
      () => env(`redis://${LOGIN}@localhost:${redis.port}`),
      /rediss:\/\/ where/,
    ],
  ];

  it.each(faults)(
    "says through doctor what to mend about %s",
    async (_, settings, says) => {
      const found = await doctor(settings());
      expect(found).toEqual([{ code: "unavailable", message: expect.any(String), fix: expect.any(String) }]);
      expect(JSON.stringify(found)).toMatch(says);
    },
    60_000,
  );

  it("is not begun with a wrong password, and says so without it", async () => {
    const started = startService({ role: "all", env: env(url("boardwalk:wr0ng-one")) });
    await expect(started).rejects.toThrow(/user or password/);
    await expect(started).rejects.not.toThrow(/wr0ng/);
  }, 30_000);

  it("is not begun by a user who lacks rights, and says so", async () => {
    const started = startService({ role: "all", env: env(url(LOGIN.replace("boardwalk", "poor"))) });
    await expect(started).rejects.toThrow(/rights/);
  }, 30_000);
});
