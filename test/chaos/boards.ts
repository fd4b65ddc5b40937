import type { Request } from "express";
import { startGithubEmulator } from "../../connectors/github/emulator.js";
import { demoJiraSite, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { demoLinearTeam, startLinearEmulator } from "../../connectors/linear/emulator.js";
import { demoTrelloBoard, startTrelloEmulator } from "../../connectors/trello/emulator.js";
import type { Gate, JournalEntry } from "../../src/board/emulator.js";

/** The four boards under chaos, alike: where each ticket truly is, and what each was asked to write. */

export interface ChaosBoard {
  /** Of the connection, which is the provider's name too. */
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly titles: readonly string[];
  /** The status of a ticket, from the board's own state. */
  statusOf(title: string): string;
  /** Moves the ticket as a person at the board would. */
  drag(title: string, to: string): void;
  /** The board's own id of a status. */
  statusId(name: string): string;
  /** The tickets whose move was asked for, one entry a request, in the order of their arrival. */
  readonly asked: readonly string[];
  /** How many moves the board has answered as done. */
  landed(): number;
  /** How many requests it has answered, of whatever kind. */
  answered(): number;
  close(): Promise<void>;
}

export const HERE = "In Progress";
export const THERE = "In Review";

export interface ChaosBoards {
  readonly boards: readonly ChaosBoard[];
  readonly repo: string;
  readonly vcs: { readonly url: string; readonly token: string };
  addBranch(name: string): void;
  /** The head branches of all pull requests there are. */
  pulls(): readonly string[];
  close(): Promise<void>;
}

const REPO = "acme/web";

/** `perBoard` tickets on each of four boards, all in progress; GitHub's have their branches already. */
export async function startBoards(perBoard: number): Promise<ChaosBoards> {
  const titles = (board: string) => Array.from({ length: perBoard }, (_, i) => `${board} chaos ${i + 1}`);
  const github = await githubBoard(titles("github"));
  const boards = [
    await jiraBoard(titles("jira")),
    await linearBoard(titles("linear")),
    await trelloBoard(titles("trello")),
    github.board,
  ];
  return {
    boards,
    repo: REPO,
    vcs: { url: github.emulator.url, token: github.emulator.token },
    addBranch: (name) => github.emulator.addBranch(REPO, name, { commitsAhead: 1 }),
    pulls: () => github.emulator.pulls(REPO).map(({ head }) => head),
    close: async () => void (await Promise.all(boards.map((board) => board.close()))),
  };
}

/** Which ticket does this request move? `undefined`: it moves none. */
type Moved = (request: Request) => string | undefined;

function recorder(moved: Moved): { readonly asked: string[]; readonly gate: Gate } {
  const asked: string[] = [];
  return {
    asked,
    gate(request) {
      const title = moved(request);
      if (title !== undefined) asked.push(title);
      return undefined;
    },
  };
}

function countLanded(journal: readonly JournalEntry[], isMove: (entry: JournalEntry) => boolean): number {
  return journal.filter((entry) => entry.status < 300 && isMove(entry)).length;
}

function variablesOf({ body }: Request): {
  readonly query: string;
  readonly variables: Record<string, unknown>;
} {
  const { query, variables } = (body ?? {}) as { query?: unknown; variables?: Record<string, unknown> };
  return { query: String(query ?? ""), variables: variables ?? {} };
}

/** @throws Error: a test that looks for what is not there is wrong. */
function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the emulated board has no ${what}`);
  return value;
}

async function jiraBoard(titles: readonly string[]): Promise<ChaosBoard> {
  const issues = titles.map((title) => ({ title, status: "10001" }));
  const jira = await startJiraEmulator({ site: demoJiraSite({ key: "ENG", issues }) });
  const all = () => [...jira.site.issues.values()];
  const record = recorder(({ method, path }) => {
    const key = /^\/rest\/api\/3\/issue\/([^/]+)\/transitions$/.exec(path)?.[1];
    return method === "POST" && key !== undefined ? jira.site.issueOf(key)?.title : undefined;
  });
  jira.setGate(record.gate);
  return {
    id: "jira",
    settings: { baseUrl: jira.url, project: "ENG" },
    credentials: jira.credentials,
    titles,
    asked: record.asked,
    statusOf(title) {
      const issue = found(
        all().find((each) => each.title === title),
        title,
      );
      return found(jira.site.statuses.get(issue.status)?.name, issue.status);
    },
    drag: (title, to) =>
      jira.moveIssue(
        found(
          all().find((each) => each.title === title),
          title,
        ).id,
        to,
      ),
    statusId: (name) => jira.site.statusNamed(name).id,
    landed: () =>
      countLanded(jira.journal, ({ method, path }) => method === "POST" && path.endsWith("/transitions")),
    answered: () => jira.journal.length,
    close: () => jira.close(),
  };
}

async function linearBoard(titles: readonly string[]): Promise<ChaosBoard> {
  const issues = titles.map((title) => ({ title, state: HERE }));
  const linear = await startLinearEmulator(demoLinearTeam({ key: "MOB", issues }));
  const record = recorder((request) => {
    const { query, variables } = variablesOf(request);
    return query.includes("issueUpdate")
      ? linear.workspace.issues.get(String(variables.id))?.title
      : undefined;
  });
  linear.setGate(record.gate);
  return {
    id: "linear",
    settings: { team: "MOB", apiUrl: linear.url },
    credentials: linear.credentials,
    titles,
    asked: record.asked,
    statusOf: (title) =>
      found(
        [...linear.workspace.issues.values()].find((each) => each.title === title),
        title,
      ).state.name,
    drag(title, to) {
      const issue = [...linear.workspace.issues.values()].find((each) => each.title === title);
      linear.moveIssue(found(issue, title).id, to);
    },
    statusId(name) {
      const [team] = linear.workspace.teams;
      return linear.workspace.stateNamed(found(team, "team"), name).id;
    },
    landed: () => countLanded(linear.journal, ({ operation }) => operation === "IssueMove"),
    answered: () => linear.journal.length,
    close: () => linear.close(),
  };
}

async function trelloBoard(titles: readonly string[]): Promise<ChaosBoard> {
  const cards = titles.map((title) => ({ title, list: HERE }));
  const trello = await startTrelloEmulator({ board: demoTrelloBoard({ cards }) });
  const record = recorder(({ method, path }) => {
    const id = /^\/1\/cards\/(\w+)$/.exec(path)?.[1];
    return method === "PUT" && id !== undefined ? trello.world.cards.get(id)?.name : undefined;
  });
  trello.setGate(record.gate);
  return {
    id: "trello",
    settings: { board: trello.boardId, apiUrl: trello.url },
    credentials: trello.credentials,
    titles,
    asked: record.asked,
    statusOf: (title) =>
      found(
        [...trello.world.cards.values()].find((each) => each.name === title),
        title,
      ).list.name,
    drag(title, to) {
      const card = [...trello.world.cards.values()].find((each) => each.name === title);
      trello.moveCard(found(card, title).id, to);
    },
    statusId: (name) => trello.listId(name),
    landed: () =>
      countLanded(trello.journal, ({ method, path }) => method === "PUT" && path.startsWith("/1/cards/")),
    answered: () => trello.journal.length,
    close: () => trello.close(),
  };
}

async function githubBoard(titles: readonly string[]) {
  const branchOf = (index: number) => `${index + 1}-chaos`;
  const emulator = await startGithubEmulator({
    repos: [
      {
        owner: "acme",
        name: "web",
        branches: titles.map((_, index) => ({ name: branchOf(index), commitsAhead: 1 })),
      },
    ],
    projects: [
      {
        owner: "acme",
        number: 1,
        title: "Platform",
        items: titles.map((title, i) => ({ title, repo: "web", status: HERE, branches: [branchOf(i)] })),
      },
    ],
  });
  const project = emulator.project();
  const record = recorder((request) => {
    const { query, variables } = variablesOf(request);
    if (!query.includes("updateProjectV2ItemFieldValue")) return undefined;
    return project.state.items.find((item) => item.id === variables.item)?.content.title;
  });
  emulator.host.setGate(record.gate);
  const board: ChaosBoard = {
    id: "github",
    settings: { owner: "acme", project: 1, apiUrl: emulator.url },
    credentials: { token: emulator.token },
    titles,
    asked: record.asked,
    statusOf: (title) => found(project.statusOf(title) ?? undefined, title),
    drag: (title, to) => project.move(title, to),
    statusId: (name) => project.optionId(name),
    landed: () => countLanded(emulator.journal, ({ operation }) => operation === "BoardwalkMoveItem"),
    answered: () => emulator.journal.length,
    close: () => emulator.close(),
  };
  return { emulator, board };
}
