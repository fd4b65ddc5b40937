import type { FieldSeed, JiraSiteSeed } from "./seed.js";

/** A site good for a first look: one project, ten tickets whose titles are worth saying aloud. */

export const RESOLUTION: FieldSeed = {
  id: "resolution",
  name: "Resolution",
  required: true,
  schema: { type: "resolution", system: "resolution" },
  allowedValues: [
    { id: "10000", name: "Done" },
    { id: "10001", name: "Won't Do" },
    { id: "10002", name: "Duplicate" },
  ],
};

const TITLES: readonly (readonly [title: string, status: string])[] = [
  ["Login button ignores the second tap", "10001"],
  ["Login page forgets the chosen language", "10000"],
  ["Checkout total is wrong for two coupons", "10002"],
  ["Search finds nothing for names with accents", "10000"],
  ["Export the monthly report as a spreadsheet", "10001"],
  ["Welcome mail arrives twice", "10004"],
  ["Dark mode for the settings page", "10000"],
  ["Upload fails for photos over ten megabytes", "10002"],
  ["Speed up the dashboard on slow phones", "10000"],
  ["Invite links should expire after a week", "10003"],
];

export interface DemoJiraOptions {
  readonly key?: string;
  readonly name?: string;
  /** Instead of the ten of the house; all start in To Do unless a status is named. */
  readonly issues?: readonly { readonly title: string; readonly status?: string }[];
}

/** To Do, In Progress, In Review, Blocked and Done; Done wants a resolution. */
export function demoJiraSite(options: DemoJiraOptions = {}): JiraSiteSeed {
  const issues = options.issues ?? TITLES.map(([title, status]) => ({ title, status }));
  return {
    project: { key: options.key ?? "ENG", name: options.name ?? "Engineering" },
    issueTypes: [
      { id: "10101", name: "Task" },
      { id: "10102", name: "Bug" },
    ],
    statuses: [
      { id: "10000", name: "To Do", category: "new" },
      { id: "10001", name: "In Progress", category: "indeterminate" },
      { id: "10002", name: "In Review", category: "indeterminate" },
      { id: "10004", name: "Blocked", category: "indeterminate" },
      { id: "10003", name: "Done", category: "done" },
    ],
    workflows: [
      {
        id: "5f6c1a52-8f0b-4a7e-9a53-0d1f6a1c2b01",
        name: "Software workflow",
        issueTypes: ["Task", "Bug"],
        initial: "10000",
        transitions: [
          { id: "11", name: "Start work", from: "10000", to: "10001" },
          { id: "21", name: "Ask for review", from: "10001", to: "10002" },
          { id: "31", name: "Finish", from: "10002", to: "10003", fields: [RESOLUTION] },
          { id: "12", name: "Stop work", from: "10001", to: "10000" },
          { id: "22", name: "Send back", from: "10002", to: "10001" },
          { id: "41", name: "Reopen", from: "10003", to: "10000" },
          { id: "51", name: "Block", from: ["10000", "10001", "10002"], to: "10004" },
          { id: "52", name: "Unblock", from: "10004", to: "10001" },
        ],
      },
    ],
    columns: [
      { name: "To Do", statuses: ["10000"] },
      { name: "In Progress", statuses: ["10001"] },
      { name: "In Review", statuses: ["10002"] },
      { name: "Blocked", statuses: ["10004"] },
      { name: "Done", statuses: ["10003"] },
    ],
    issues: issues.map((issue) => ({ title: issue.title, status: issue.status ?? "10000" })),
  };
}
