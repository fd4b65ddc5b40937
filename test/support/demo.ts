import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { CLI } from "./cli.js";

const text = z.string();
const line = z.object({
  url: text,
  admin: z.object({ url: text, token: text }),
  tenants: z.array(
    z.object({
      id: text,
      mcpUrl: text,
      token: text,
      connections: z.array(z.object({ id: text, provider: text, boardUrl: text, authorization: text })),
      vcs: z.object({ provider: text, url: text, repo: text, authorization: text }),
    }),
  ),
});
export type DemoLine = z.infer<typeof line>;
export type DemoTenant = DemoLine["tenants"][number];

export interface DemoProcess {
  readonly line: DemoLine;
  /** Every line that it printed on stdout. */
  readonly printed: readonly string[];
  tenant(id: string): DemoTenant;
  stop(): Promise<number | null>;
}

/** `npm run demo -- --json --port 0` as a process of its own, once it has said its line. */
export async function startDemoProcess(args: readonly string[] = []): Promise<DemoProcess> {
  const child: ChildProcess = spawn(process.execPath, [...CLI, "demo", "--json", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: string[] = [];
  if (child.stdout === null) throw new Error("the demo has no stdout");
  const lines = createInterface(child.stdout);
  lines.on("line", (said) => printed.push(said));
  const ended = once(child, "exit");
  await Promise.race([
    once(lines, "line"),
    ended.then(() => Promise.reject(new Error("the demo ended before it was ready"))),
  ]);
  const parsed = line.parse(JSON.parse(printed[0] ?? ""));
  return {
    line: parsed,
    printed,
    tenant(id) {
      const found = parsed.tenants.find((tenant) => tenant.id === id);
      if (found === undefined) throw new Error(`the demo has no tenant ${id}`);
      return found;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

/** The status of an issue, by the board's own API. */
export async function boardStatus(tenant: DemoTenant, key: string): Promise<string> {
  const issue = await boardJson(tenant, `/rest/api/3/issue/${key}?fields=status`);
  return z.object({ fields: z.object({ status: z.object({ name: text }) }) }).parse(issue).fields.status.name;
}

async function boardJson(tenant: DemoTenant, path: string): Promise<unknown> {
  const [board] = tenant.connections;
  const response = await fetch(`${board?.boardUrl}${path}`, {
    headers: { authorization: board?.authorization ?? "" },
  });
  return await response.json();
}

const journal = z.array(z.object({ method: text, path: text, status: z.number() }));

/** The transitions that the board was asked to make. */
export async function boardWrites(tenant: DemoTenant): Promise<z.infer<typeof journal>> {
  const entries = journal.parse(await boardJson(tenant, "/__emulator/journal"));
  return entries.filter(({ method, path }) => method === "POST" && path.includes("/transitions"));
}

const pulls = z.array(
  z.object({ number: z.number(), draft: z.boolean(), state: text, head: z.object({ ref: text }) }),
);

/** Pull requests, by GitHub's own API. */
export async function pullRequests(tenant: DemoTenant): Promise<z.infer<typeof pulls>> {
  const response = await fetch(`${tenant.vcs.url}/repos/${tenant.vcs.repo}/pulls?state=all&per_page=100`, {
    headers: { authorization: tenant.vcs.authorization },
  });
  return pulls.parse(await response.json());
}
