import { z } from "zod";
import type { DemoLine, DemoTenant } from "./demo-line.js";
import { BoardwalkError } from "./errors.js";

/** The demo from outside: its MCP surfaces as a client has them, and its boards as their own people see them. */

const text = z.string();

/** What a tool answers, as far as the demo looks into it. */
const answerShape = z.looseObject({
  spoken: text,
  outcome: text.optional(),
  ticket: z.looseObject({ id: text, key: text.optional() }).optional(),
  question: z
    .looseObject({
      about: text,
      options: z.array(z.looseObject({ id: text, label: text })),
      token: text.optional(),
    })
    .optional(),
  hooks: z.array(z.looseObject({ hook: text, state: text })).optional(),
});
export type ToolAnswer = z.infer<typeof answerShape>;

const rpcReply = z.object({
  result: z.looseObject({ structuredContent: answerShape.optional() }).optional(),
  error: z.looseObject({ message: text }).optional(),
});

/** @throws BoardwalkError `forbidden` or what else the surface says instead of an answer */
export async function callTool(
  url: string,
  token: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  const { result, error } = rpcReply.parse(await rpc(url, token, "tools/call", { name, arguments: args }));
  if (result?.structuredContent !== undefined) return result.structuredContent;
  throw new BoardwalkError("invalid", error?.message ?? `${name} answered without facts.`);
}

/** Every tool as this client is shown it. */
export async function listTools(url: string, token: string): Promise<readonly { readonly name: string }[]> {
  const shape = z.object({ result: z.object({ tools: z.array(z.looseObject({ name: text })) }) });
  return shape.parse(await rpc(url, token, "tools/list", {})).result.tools;
}

const problem = z.object({ detail: text });

async function rpc(url: string, token: string, method: string, params: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const said: unknown = await response.json();
  if (response.ok) return said;
  const { detail } = problem.catch({ detail: `The surface answered ${response.status}.` }).parse(said);
  throw new BoardwalkError(response.status === 403 ? "forbidden" : "unavailable", detail);
}

/** The admin API of the demo's service. */
export async function adminGet(line: DemoLine, path: string): Promise<unknown> {
  return await getJson(`${line.url}/api/v1${path}`, `Bearer ${line.admin.token}`);
}

async function getJson(url: string, authorization: string): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization } });
  if (response.ok) return await response.json();
  throw new BoardwalkError("unavailable", `${new URL(url).pathname} answered ${response.status}.`);
}

async function send(method: string, url: string, authorization: string, body: object): Promise<void> {
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok)
    throw new BoardwalkError("unavailable", `${new URL(url).pathname} answered ${response.status}.`);
}

export interface Pull {
  readonly number: number;
  readonly draft: boolean;
}

/** Is this a branch of that ticket? */
export function isBranchOf(key: string, branch: string): boolean {
  return new RegExp(`(^|[^a-z0-9])${key}($|[^0-9])`, "i").test(branch);
}

/** What people see who look at the team's Jira and at its repository. */
export interface Eyes {
  /** The name of the status that this issue is in. */
  status(key: string): Promise<string>;
  /** How many transitions Jira was asked to make of this issue, and has made. */
  moves(key: string): Promise<number>;
  /** Reads of this issue by its id, which is how Boardwalk asks for it: people ask by its key. */
  reads(id: string): Promise<number>;
  pulls(branch: string): Promise<readonly Pull[]>;
  /** All of a ticket's, by its key in the name of their branch. */
  pullsOf(key: string): Promise<readonly Pull[]>;
  branches(): Promise<readonly string[]>;
  /** Pushes a branch with the commit of another, as a developer does. */
  push(branch: string, like: string): Promise<void>;
  /** Renames a status, as an administrator of the site does. */
  rename(from: string, to: string): Promise<void>;
}

const issue = z.object({ id: text, fields: z.object({ status: z.object({ name: text }) }) });
const journal = z.array(z.object({ method: text, path: text, status: z.number() }));
const branch = z.object({ name: text });
const ref = z.object({ object: z.object({ sha: text }) });
const pull = z.object({ number: z.number(), draft: z.boolean(), head: z.object({ ref: text }) });
const statuses = z.object({ values: z.array(z.looseObject({ id: text, name: text, statusCategory: text })) });

/** @throws BoardwalkError `invalid` when the team has no Jira */
export function eyesOf({ connections, vcs }: DemoTenant): Eyes {
  const jira = connections.find(({ provider }) => provider === "jira");
  if (jira === undefined) throw new BoardwalkError("invalid", "This team has no Jira.");
  const { boardUrl, authorization } = jira;
  const look = (path: string) => getJson(`${boardUrl}${path}`, authorization);
  const journalOf = async () => journal.parse(await look("/__emulator/journal"));
  const repo = `${vcs.url}/repos/${vcs.repo}`;
  const allPulls = async () =>
    pull.array().parse(await getJson(`${repo}/pulls?state=all&per_page=100`, vcs.authorization));
  const issueOf = async (key: string) => issue.parse(await look(`/rest/api/3/issue/${key}?fields=status`));
  return {
    status: async (key) => (await issueOf(key)).fields.status.name,
    async moves(key) {
      const { id } = await issueOf(key);
      const paths = [key, id].map((name) => `/issue/${name}/transitions`);
      return (await journalOf()).filter(
        ({ method, path, status }) =>
          method === "POST" && status < 300 && paths.some((end) => path.split("?")[0]?.endsWith(end)),
      ).length;
    },
    async reads(id) {
      const board = id.slice(id.lastIndexOf(".") + 1);
      const isRead = ({ method, path }: { method: string; path: string }) =>
        method === "GET" && path.split("?")[0]?.endsWith(`/issue/${board}`);
      return (await journalOf()).filter(isRead).length;
    },
    pulls: async (branch) => (await allPulls()).filter(({ head }) => head.ref === branch),
    pullsOf: async (key) => (await allPulls()).filter(({ head }) => isBranchOf(key, head.ref)),
    async branches() {
      const all = await getJson(`${repo}/branches?per_page=100`, vcs.authorization);
      return branch
        .array()
        .parse(all)
        .map(({ name }) => name);
    },
    async push(branch, like) {
      const refs = `${repo}/git`;
      const { object } = ref.parse(await getJson(`${refs}/ref/heads/${like}`, vcs.authorization));
      const body = { ref: `refs/heads/${branch}`, sha: object.sha };
      await send("POST", `${refs}/refs`, vcs.authorization, body);
    },
    async rename(from, to) {
      const found = statuses.parse(
        await look(`/rest/api/3/statuses/search?searchString=${encodeURIComponent(from)}`),
      );
      const status = found.values.find(({ name }) => name === from);
      const body = { statuses: [{ id: status?.id, name: to, statusCategory: status?.statusCategory }] };
      await send("PUT", `${boardUrl}/rest/api/3/statuses`, authorization, body);
    },
  };
}
