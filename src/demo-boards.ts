import type { GithubEmulator } from "../connectors/github/emulator.js";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../connectors/jira/emulator.js";
import { demoLinearTeam, startLinearEmulator } from "../connectors/linear/emulator.js";
import { demoTrelloBoard, startTrelloEmulator } from "../connectors/trello/emulator.js";

/** The demo's boards, each an emulator of its own, and what a connection to it needs. */

/** Tickets as they stand when the demo begins: what they are called, and in which status. */
export type Tickets = readonly (readonly [title: string, status: string])[];

export interface DemoBoard {
  readonly provider: string;
  readonly boardUrl: string;
  /** The header value that lets anyone look at the board. */
  readonly authorization: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Its status In Review, by what stays the same when a person renames it, where that is known. */
  readonly review?: string;
  /** Holds the answer to the next move that it makes. */
  readonly holdMove?: () => HeldMove;
  close(): Promise<void>;
}

/** A move that a board has made and whose answer it has not sent. */
export interface HeldMove {
  readonly made: Promise<void>;
  /** Sends the answer, to nobody if nobody listens any more. */
  release(): void;
}

/** `github` is where the team's repository is; a GitHub project lives there too. */
export type StartBoard = (github: GithubEmulator) => Promise<DemoBoard>;

/** Jira's id of its status In Review, in `demoJiraSite`. */
const IN_REVIEW = "10002";

/** Jira has rules of its own: its workflow's transitions. */
export function jiraBoard(name: string, tickets: Tickets): StartBoard {
  return async () => {
    const key = "ENG";
    const issues = tickets.map(([title, status]) => ({ title, status }));
    const jira = await startJiraEmulator({ site: demoJiraSite({ key, name, issues }) });
    return {
      provider: "jira",
      boardUrl: jira.url,
      authorization: jira.authorization,
      settings: { baseUrl: jira.url, project: key },
      credentials: jira.credentials,
      review: IN_REVIEW,
      holdMove: () => holdTransition(jira),
      close: () => jira.close(),
    };
  };
}

function holdTransition(jira: JiraEmulator): HeldMove {
  let made = () => {};
  let release = () => {};
  const reached = new Promise<void>((resolve) => {
    made = resolve;
  });
  const released = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  const pass = () => jira.setGate(() => undefined);
  jira.setGate(({ method, path }) => {
    if (method !== "POST" || !path.endsWith("/transitions")) return undefined;
    pass();
    return {
      after: () => {
        made();
        return released;
      },
    };
  });
  return {
    made: reached,
    release() {
      pass();
      release();
    },
  };
}

export function linearBoard(name: string, tickets: Tickets): StartBoard {
  return async () => {
    const key = "MOB";
    const issues = tickets.map(([title, state]) => ({ title, state }));
    const linear = await startLinearEmulator(demoLinearTeam({ key, name, issues }));
    return {
      provider: "linear",
      boardUrl: linear.url,
      authorization: linear.authorization,
      settings: { team: key, apiUrl: linear.url, allowedMoves: rules("Backlog", "Todo") },
      credentials: linear.credentials,
      close: () => linear.close(),
    };
  };
}

export function trelloBoard(name: string, tickets: Tickets): StartBoard {
  return async () => {
    const cards = tickets.map(([title, list]) => ({ title, list }));
    const trello = await startTrelloEmulator({ board: demoTrelloBoard({ name, cards }) });
    return {
      provider: "trello",
      boardUrl: trello.url,
      authorization: trello.authorization,
      settings: { board: trello.boardId, apiUrl: trello.url, allowedMoves: rules("Backlog", "To Do") },
      credentials: trello.credentials,
      close: () => trello.close(),
    };
  };
}

/** A project of the GitHub that is there anyway. */
export function githubBoard(owner: string, project: number): StartBoard {
  return async (github) => ({
    provider: "github",
    boardUrl: github.url,
    authorization: github.authorization,
    settings: { owner, project, apiUrl: github.url, allowedMoves: rules("No Status", "Todo") },
    credentials: { token: github.token },
    close: async () => {},
  });
}

/** A team's own rules for a board that has none: one step at a time, and back. */
function rules(before: string, todo: string): Readonly<Record<string, readonly string[]>> {
  return {
    [before]: [todo],
    [todo]: [before, "In Progress"],
    "In Progress": [todo, "In Review"],
    "In Review": ["In Progress", "Done"],
    Done: [todo],
  };
}
