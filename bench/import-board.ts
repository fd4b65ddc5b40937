/**
 * A board of (d), as a process of its own: `import-board.ts PROVIDER TICKETS NETWORK_MS`. Prints the connection to make, and answers
 * every line with the requests for pages of tickets that it has had since the last one.
 */
import { createInterface } from "node:readline";
import type { Request } from "express";
import { startGithubEmulator } from "../connectors/github/emulator.js";
import { demoJiraSite, startJiraEmulator } from "../connectors/jira/emulator.js";
import { demoLinearTeam, startLinearEmulator } from "../connectors/linear/emulator.js";
import { demoTrelloBoard, startTrelloEmulator } from "../connectors/trello/emulator.js";

export interface ImportBoard {
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
}

/** One request as it came, to be sent again. */
export interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const [provider = "", count = "0", networkMs = "0"] = process.argv.slice(2);
const network = { latencyMs: Number(networkMs) };
const titles = Array.from({ length: Number(count) }, (_, i) => `Ticket number ${i + 1} of a long list`);

let pages: PageRequest[] = [];

function notePages(base: () => string, authorization: () => string, isPage: (request: Request) => boolean) {
  return (request: Request) => {
    if (!isPage(request)) return undefined;
    const body = request.method === "GET" ? {} : { body: JSON.stringify(request.body) };
    const headers = { authorization: authorization(), "content-type": "application/json" };
    pages.push({ method: request.method, url: `${base()}${request.originalUrl}`, headers, ...body });
    return undefined;
  };
}

const asks = (operation: string) => (request: Request) =>
  JSON.stringify(request.body ?? "").includes(`query ${operation}(`);

const START: Readonly<Record<string, () => Promise<ImportBoard>>> = {
  async jira() {
    const jira = await startJiraEmulator({
      site: demoJiraSite({ issues: titles.map((title) => ({ title })) }),
    });
    const isPage = ({ path }: Request) => path === "/rest/api/3/search/jql";
    jira.setGate(
      notePages(
        () => jira.url,
        () => jira.authorization,
        isPage,
      ),
    );
    jira.setFaults(network);
    return { provider, settings: { baseUrl: jira.url, project: "ENG" }, credentials: jira.credentials };
  },
  async linear() {
    const linear = await startLinearEmulator(demoLinearTeam({ issues: titles.map((title) => ({ title })) }));
    linear.setGate(
      notePages(
        () => linear.url,
        () => linear.authorization,
        asks("Issues"),
      ),
    );
    linear.setFaults(network);
    return { provider, settings: { team: "MOB", apiUrl: linear.url }, credentials: linear.credentials };
  },
  async github() {
    const items = titles.map((title) => ({ title, repo: "web", status: "Todo" }));
    const github = await startGithubEmulator({
      repos: [{ owner: "acme", name: "web" }],
      projects: [{ owner: "acme", number: 1, items }],
    });
    github.host.setGate(
      notePages(
        () => github.url,
        () => github.authorization,
        asks("BoardwalkItems"),
      ),
    );
    github.host.setFaults(network);
    const settings = { owner: "acme", project: 1, apiUrl: github.url };
    return { provider, settings, credentials: { token: github.token } };
  },
  async trello() {
    // A page of cards is told by the second in which they were made, so they are made one after another.
    const began = Date.parse("2026-01-01T00:00:00Z");
    const cards = titles.map((title, i) => ({ title, list: "To Do", made: new Date(began + i * 1_000) }));
    const trello = await startTrelloEmulator({ board: { ...demoTrelloBoard({ cards: [] }), cards } });
    const isPage = ({ path }: Request) => path.endsWith("/cards/all");
    trello.setGate(
      notePages(
        () => trello.url,
        () => trello.authorization,
        isPage,
      ),
    );
    trello.setFaults(network);
    return {
      provider,
      settings: { board: trello.boardId, apiUrl: trello.url },
      credentials: trello.credentials,
    };
  },
};

const start = START[provider];
if (start === undefined) throw new Error(`no such board: ${provider}`);
process.stdout.write(`${JSON.stringify(await start())}\n`);
for await (const _line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(pages)}\n`);
  pages = [];
}
