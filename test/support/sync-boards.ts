import { startGithubEmulator } from "../../connectors/github/emulator.js";
import { demoJiraSite, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { demoLinearTeam, startLinearEmulator } from "../../connectors/linear/emulator.js";
import { demoTrelloBoard, startTrelloEmulator } from "../../connectors/trello/emulator.js";
import type { Faults } from "../../src/board/emulator.js";

/** One emulated board as the people on it use it, alike for every kind. */
export interface PeoplesBoard {
  readonly provider: string;
  readonly settings: Record<string, unknown>;
  readonly credentials: Record<string, unknown>;
  /** The columns it begins with, in order, as people call them. */
  readonly columns: readonly [first: string, second: string, ...rest: string[]];
  rename(column: string, name: string): void;
  /** Puts one more column at the end, reachable from everywhere. */
  add(name: string): void;
  /** Takes away an empty column. */
  remove(column: string): void;
  /** Puts the column before all others, where the board has an order of its own. */
  toFront?(column: string): void;
  /** Drags a card, named by its title. */
  move(title: string, column: string): void;
  statusOf(title: string): string;
  /** Webhooks registered at the board. */
  webhooks(): number;
  setFaults(faults: Faults): void;
  close(): Promise<void>;
}

const TITLES = ["Fix the login page", "Dark mode is too dark"];
let lastId = 60_000;

async function jira(): Promise<PeoplesBoard> {
  const emulator = await startJiraEmulator({
    site: demoJiraSite({ issues: TITLES.map((title) => ({ title, status: "10001" })) }),
  });
  const key = (title: string) =>
    [...emulator.site.issues.values()].find((issue) => issue.title === title)?.key ?? "";
  return {
    provider: "jira",
    settings: { baseUrl: emulator.url, project: "ENG" },
    credentials: emulator.credentials,
    columns: ["In Progress", "In Review"],
    rename: (column, name) => emulator.renameStatus(column, name),
    add(name) {
      const id = String(++lastId);
      emulator.addStatus({ id, name, category: "indeterminate" });
      emulator.addTransition({ id: `9${id}`, name: `To ${name}`, from: "*", to: id });
    },
    remove: (column) => emulator.removeStatus(column),
    toFront(column) {
      const [project] = emulator.site.projects;
      const id = emulator.site.statusNamed(column).id;
      project?.columns?.sort((a, b) => Number(b.statuses.includes(id)) - Number(a.statuses.includes(id)));
    },
    move: (title, column) => emulator.moveIssue(key(title), column),
    statusOf: (title) =>
      emulator.site.statuses.get(emulator.site.issueOf(key(title))?.status ?? "")?.name ?? "",
    webhooks: () => emulator.webhooks.registered.length,
    setFaults: (faults) => emulator.setFaults(faults),
    close: () => emulator.close(),
  };
}

async function linear(): Promise<PeoplesBoard> {
  const emulator = await startLinearEmulator(
    demoLinearTeam({ issues: TITLES.map((title) => ({ title, state: "In Progress" })) }),
  );
  const issue = (title: string) => {
    const found = [...emulator.workspace.issues.values()].find((one) => one.title === title);
    if (found === undefined) throw new Error(`the emulated Linear has no "${title}"`);
    return found;
  };
  return {
    provider: "linear",
    settings: { team: "MOB", apiUrl: emulator.url },
    credentials: emulator.credentials,
    columns: ["In Progress", "In Review"],
    rename: (column, name) => emulator.renameState(column, name),
    add: (name) => void emulator.addState({ name, type: "started" }),
    remove: (column) => emulator.archiveState(column),
    toFront: (column) => emulator.reorderState(column, -1_000),
    move: (title, column) => emulator.moveIssue(issue(title).id, column),
    statusOf: (title) => issue(title).state.name,
    webhooks: () => emulator.webhooks.registered.length,
    setFaults: (faults) => emulator.setFaults(faults),
    close: () => emulator.close(),
  };
}

async function github(): Promise<PeoplesBoard> {
  const emulator = await startGithubEmulator({
    repos: [{ owner: "acme", name: "web" }],
    projects: [
      {
        owner: "acme",
        number: 3,
        title: "Roadmap",
        items: TITLES.map((title) => ({ title, repo: "web", status: "In Progress" })),
      },
    ],
  });
  const project = emulator.project();
  return {
    provider: "github",
    settings: { owner: "acme", project: 3, apiUrl: emulator.url },
    credentials: { token: emulator.token },
    columns: ["In Progress", "Done"],
    rename: (column, name) => project.renameOption(column, name),
    add: (name) => void project.addOption(name),
    remove: (column) => project.removeOption(column),
    toFront(column) {
      const id = project.optionId(column);
      project.state.fields[0]?.options.sort((a, b) => Number(b.id === id) - Number(a.id === id));
    },
    move: (title, column) => project.move(title, column),
    statusOf: (title) => project.statusOf(title) ?? "No Status",
    webhooks: () => emulator.hooks.all.length,
    setFaults: (faults) => emulator.host.setFaults(faults),
    close: () => emulator.close(),
  };
}

async function trello(): Promise<PeoplesBoard> {
  const emulator = await startTrelloEmulator({
    board: demoTrelloBoard({ cards: TITLES.map((title) => ({ title, list: "In Progress" })) }),
  });
  const card = (title: string) => {
    const found = [...emulator.world.cards.values()].find((one) => one.name === title);
    if (found === undefined) throw new Error(`the emulated Trello has no "${title}"`);
    return found;
  };
  return {
    provider: "trello",
    settings: { board: emulator.boardId, apiUrl: emulator.url },
    credentials: emulator.credentials,
    columns: ["In Progress", "In Review"],
    rename: (column, name) => emulator.renameList(column, name),
    add: (name) => void emulator.addList({ name }),
    remove: (column) => emulator.archiveList(column),
    toFront: (column) => emulator.reorderList(column, 1),
    move: (title, column) => emulator.moveCard(card(title).id, column),
    statusOf: (title) => card(title).list.name,
    webhooks: () => emulator.webhooks.registered.length,
    setFaults: (faults) => emulator.setFaults(faults),
    close: () => emulator.close(),
  };
}

export const BOARDS: readonly (readonly [name: string, start: () => Promise<PeoplesBoard>])[] = [
  ["Jira", jira],
  ["Linear", linear],
  ["GitHub", github],
  ["Trello", trello],
];

export const [LOGIN, DARK] = TITLES as [string, string];
