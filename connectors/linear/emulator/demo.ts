import type { LinearWorkspaceSeed } from "./seed.js";

/** A workspace good for a first look: one team, ten issues whose titles are worth saying aloud. */

const TITLES: readonly (readonly [title: string, state: string])[] = [
  ["Swipe to archive skips a message", "In Progress"],
  ["Offline drafts vanish after an update", "Todo"],
  ["Push notifications arrive an hour late", "In Review"],
  ["Camera stays black on the second call", "In Progress"],
  ["Shorten the sign up form to one page", "Backlog"],
  ["Large fonts push the send button away", "Todo"],
  ["Battery drains while maps are open", "In Progress"],
  ["Add a quiet mode for weekends", "Backlog"],
  ["Contacts import doubles every name", "Done"],
  ["Rebuild the tutorial as a video", "Canceled"],
];

export interface DemoLinearOptions {
  readonly key?: string;
  readonly name?: string;
  /** Instead of the ten of the house; all start in Todo unless a state is named. */
  readonly issues?: readonly { readonly title: string; readonly state?: string }[];
}

/** Backlog, Todo, In Progress, In Review, Done, Canceled and Duplicate, as Linear makes them for a new team. */
export function demoLinearTeam(options: DemoLinearOptions = {}): LinearWorkspaceSeed {
  const issues = options.issues ?? TITLES.map(([title, state]) => ({ title, state }));
  return {
    teams: [
      {
        key: options.key ?? "MOB",
        name: options.name ?? "Mobile",
        defaultState: "Backlog",
        states: [
          { name: "Backlog", type: "backlog" },
          { name: "Todo", type: "unstarted" },
          { name: "In Progress", type: "started" },
          { name: "In Review", type: "started" },
          { name: "Done", type: "completed" },
          { name: "Canceled", type: "canceled" },
          { name: "Duplicate", type: "duplicate" },
        ],
      },
    ],
    issues: issues.map(({ title, state = "Todo" }) => ({ title, state })),
  };
}
