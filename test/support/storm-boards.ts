import { startGithubEmulator } from "../../connectors/github/emulator.js";
import { demoJiraSite, RESOLUTION, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { demoLinearTeam, startLinearEmulator } from "../../connectors/linear/emulator.js";
import { demoTrelloBoard, startTrelloEmulator } from "../../connectors/trello/emulator.js";
import type { Faults, JournalEntry } from "../../src/board/emulator.js";

/** The four boards for rough weather: each writes down every change of status it has truly made, and by whom. */

/** Something the board did: counted over all boards, so that it can be told what was before and what after. */
export interface Arrival {
  readonly seq: number;
  /** The board's own id of the ticket. */
  readonly ticket: string;
  readonly to: string;
  readonly by: "us" | "people";
}

/** All boards' arrivals in the order of their happening. */
export interface Chronicle {
  readonly arrivals: readonly Arrival[];
  /** How much has happened by now. */
  now(): number;
  note(ticket: string, to: string, by: Arrival["by"]): void;
}

export function createChronicle(): Chronicle {
  const arrivals: Arrival[] = [];
  return {
    arrivals,
    now: () => arrivals.length,
    note: (ticket, to, by) => void arrivals.push({ seq: arrivals.length, ticket, to, by }),
  };
}

export interface StormBoard {
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Ids of the columns that are moved between. */
  readonly statuses: readonly string[];
  /** For a move that the board wants fields for. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly journal: readonly JournalEntry[];
  readonly isWrite: (request: JournalEntry) => boolean;
  /** Where the ticket is, by the board's own id of it. */
  statusOf(ticket: string): string;
  /** Someone drags the card. */
  drag(ticket: string, to: string): void;
  setFaults(faults: Faults): void;
  /** The next requests are answered "too many". */
  limit(times: number): void;
  close(): Promise<void>;
}

type Start = (chronicle: Chronicle, titles: readonly string[]) => Promise<StormBoard>;

function need<T>(found: T | undefined): T {
  if (found === undefined) throw new Error("the emulated board does not have that");
  return found;
}

const jira: Start = async (chronicle, titles) => {
  const jira = await startJiraEmulator({
    site: demoJiraSite({ issues: titles.map((title) => ({ title })) }),
  });
  const { site } = jira;
  const us = site.accounts[0];
  const setStatus = site.setStatus.bind(site);
  site.setStatus = (issue, to, by, more) => {
    setStatus(issue, to, by, more);
    chronicle.note(issue.id, to, by.accountId === us?.accountId ? "us" : "people");
  };
  return {
    provider: "jira",
    settings: { baseUrl: jira.url, project: "ENG" },
    credentials: jira.credentials,
    statuses: ["10000", "10001", "10002", "10003", "10004"],
    fields: { [RESOLUTION.id]: "Done" },
    journal: jira.journal,
    isWrite: ({ method, path }) => method === "POST" && path.endsWith("/transitions"),
    statusOf: (ticket) => need(site.issueOf(ticket)).status,
    drag: (ticket, to) => jira.moveIssue(ticket, to),
    setFaults: (faults) => jira.setFaults(faults),
    limit: (times) => jira.limitRate({ times, retryAfterSeconds: 1 }),
    close: () => jira.close(),
  };
};

const linear: Start = async (chronicle, titles) => {
  const linear = await startLinearEmulator(demoLinearTeam({ issues: titles.map((title) => ({ title })) }));
  const { workspace } = linear;
  const change = workspace.change.bind(workspace);
  workspace.change = (issue, what, by) => {
    const before = issue.state;
    change(issue, what, by);
    if (issue.state === before) return;
    chronicle.note(issue.id, issue.state.id, by === workspace.someoneElse ? "people" : "us");
  };
  const names = ["Backlog", "Todo", "In Progress", "In Review", "Done"];
  return {
    provider: "linear",
    settings: { team: "MOB", apiUrl: linear.url },
    credentials: linear.credentials,
    statuses: names.map((name) => linear.state(name).id),
    journal: linear.journal,
    isWrite: ({ operation }) => operation === "IssueMove",
    statusOf: (ticket) => linear.issue(ticket).state.id,
    drag: (ticket, to) => linear.moveIssue(ticket, to),
    setFaults: (faults) => linear.setFaults(faults),
    limit: (times) => linear.limitRate({ times, retryAfterSeconds: 1 }),
    close: () => linear.close(),
  };
};

const github: Start = async (chronicle, titles) => {
  const names = ["Todo", "In Progress", "In Review", "Done"];
  const github = await startGithubEmulator({
    repos: [{ owner: "acme", name: "web" }],
    projects: [
      {
        owner: "acme",
        number: 1,
        fields: [{ name: "Status", options: names }],
        items: titles.map((title) => ({ title, repo: "web", status: "Todo" })),
      },
    ],
  });
  const project = github.project();
  const columns = need(project.state.fields[0]);
  const statusOf = (ticket: string) => need(project.item(ticket).values.get(columns.id));
  // The board's place for rules of its own, which see every value that the API has set.
  project.state.automation = (item) => chronicle.note(item.id, statusOf(item.id), "us");
  return {
    provider: "github",
    settings: { owner: "acme", project: 1, apiUrl: github.url },
    credentials: { token: github.token },
    statuses: names.map((name) => project.optionId(name)),
    journal: github.journal,
    isWrite: ({ operation }) => operation === "BoardwalkMoveItem",
    statusOf,
    drag(ticket, to) {
      project.move(ticket, need(columns.options.find(({ id }) => id === to)).name);
      chronicle.note(ticket, to, "people");
    },
    setFaults: (faults) => github.host.setFaults(faults),
    limit: (times) => github.limit("secondary", { times, seconds: 1 }),
    close: () => github.close(),
  };
};

const trello: Start = async (chronicle, titles) => {
  const cards = titles.map((title) => ({ title, list: "To Do" }));
  const trello = await startTrelloEmulator({ board: demoTrelloBoard({ cards }) });
  const { world } = trello;
  const moveCard = world.moveCard.bind(world);
  world.moveCard = (card, to, by, pos) => {
    moveCard(card, to, by, pos);
    chronicle.note(card.id, to.id, by === world.me ? "us" : "people");
  };
  return {
    provider: "trello",
    settings: { board: trello.boardId, apiUrl: trello.url },
    credentials: trello.credentials,
    statuses: ["To Do", "In Progress", "In Review", "Done"].map((name) => trello.listId(name)),
    journal: trello.journal,
    isWrite: ({ method, path }) => method === "PUT" && path.startsWith("/1/cards/"),
    statusOf: (ticket) => need(world.cardOf(ticket)).list.id,
    drag: (ticket, to) => trello.moveCard(ticket, to),
    setFaults: (faults) => trello.setFaults(faults),
    limit: (times) => trello.limits.refuseNext(times),
    close: () => trello.close(),
  };
};

export const STORM_BOARDS: readonly Start[] = [jira, linear, github, trello];
