import type { JiraSiteSeed, ProjectSeed, StatusSeed, TransitionSeed } from "../connectors/jira/emulator.js";

/** Boards that put the page to the test: long workflows, unusual names, long titles, and writing from right to left. */

const TYPES = [{ id: "10101", name: "Task" }] as const;

const FIFTEEN = [
  ...[
    "Idea",
    "Triage",
    "Backlog",
    "Ready for development",
    "In Progress",
    "Code review",
    "Changes requested",
  ],
  ...[
    "QA",
    "QA failed",
    "Staging",
    "Security review",
    "Ready to release",
    "Released",
    "Verified",
    "Rejected",
  ],
];

/** One after the other, with ways back and a few short cuts, as teams grow them. */
function grown(
  names: readonly string[],
  firstId: number,
): { statuses: StatusSeed[]; transitions: TransitionSeed[] } {
  const ids = names.map((_name, at) => String(firstId + at));
  const last = names.length - 1;
  const statuses = names.map((name, at) => ({
    id: ids[at] ?? "",
    name,
    category: at < 3 ? ("new" as const) : at > last - 3 ? ("done" as const) : ("indeterminate" as const),
  }));
  const ways = names.flatMap((_name, at) => [
    ...(at < last ? [[at, at + 1]] : []),
    ...(at > 3 && at % 3 === 0 ? [[at, at - 2]] : []),
    ...(at % 5 === 0 && at + 4 < last ? [[at, at + 4]] : []),
  ]);
  const transitions = ways.map(([from = 0, to = 0], at) => ({
    id: String(at + 1),
    name: `To ${names[to]}`,
    from: ids[from] ?? "",
    to: ids[to] ?? "",
  }));
  return { statuses, transitions };
}

function project(key: string, name: string, names: readonly string[], firstId: number): ProjectSeed {
  const { statuses, transitions } = grown(names, firstId);
  return {
    project: { id: String(20_000 + firstId), key, name },
    issueTypes: TYPES,
    statuses,
    workflows: [
      {
        id: `wf-${key}`,
        name: `${name} workflow`,
        issueTypes: ["Task"],
        initial: String(firstId),
        transitions,
      },
    ],
    columns: statuses.map((status) => ({ name: status.name, statuses: [status.id] })),
    issues: statuses.slice(0, 12).map((status, at) => ({
      title: `${name} ticket number ${at + 1}`,
      status: status.id,
    })),
  };
}

const ODD = [
  "待办",
  "قيد التنفيذ",
  "🚀",
  "Waiting for the external legal department's approval (EMEA)",
  "<b>Done?</b>",
];
const ODD_TITLES = [
  "تسجيل الدخول لا يعمل بعد التحديث (iOS 17)",
  "כפתור השמירה נעלם במסך ההגדרות",
  "Very long: " +
    "the import of the customers' address books stops half way when a contact has several addresses ".repeat(
      2,
    ),
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
  "<script>alert(1)</script> & \"quotes\" — 'and' dashes",
];

export const HARD_PROJECTS = ["MID", "BIG", "ODD"] as const;

/** The given site with three projects more: of 15 and 40 statuses, and of odd names. */
export function withHardBoards(site: JiraSiteSeed): JiraSiteSeed {
  const forty = Array.from({ length: 40 }, (_, at) => `Step ${at + 1}: ${FIFTEEN[at % FIFTEEN.length]}`);
  const odd = project("ODD", "Odd names", ODD, 30_000);
  const issues = ODD_TITLES.map((title, at) => ({ title, status: String(30_000 + at) }));
  return {
    ...site,
    otherProjects: [
      project("MID", "Fifteen", FIFTEEN, 31_000),
      project("BIG", "Forty", forty, 32_000),
      { ...odd, issues },
    ],
  };
}
