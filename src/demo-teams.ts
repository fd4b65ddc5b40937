import type { ProjectSeed } from "../connectors/github/emulator/projects.js";
import {
  githubBoard,
  jiraBoard,
  linearBoard,
  type StartBoard,
  type Tickets,
  trelloBoard,
} from "./demo-boards.js";

/** Who works on what in the demo: titles worth saying aloud, on every board two that are easily mixed up. */

export interface DemoTeam {
  readonly id: string;
  readonly name: string;
  /** In the order in which they are told. */
  readonly boards: readonly { readonly id: string; readonly start: StartBoard }[];
  /** Of its repository, each with a commit of its own. */
  readonly branches: readonly string[];
  readonly projects?: readonly ProjectSeed[];
}

const [TO_DO, IN_PROGRESS, IN_REVIEW, DONE, BLOCKED] = ["10000", "10001", "10002", "10003", "10004"] as const;

const ACME_ENGINEERING: Tickets = [
  ["Login bug: the second tap is ignored", IN_PROGRESS],
  ["Login page forgets the chosen language", TO_DO],
  ["Checkout total is wrong with two coupons", IN_PROGRESS],
  ["Search finds nothing for names with accents", TO_DO],
  ["Export the monthly report as a spreadsheet", IN_PROGRESS],
  ["Welcome mail arrives twice", BLOCKED],
  ["Dark mode for the settings page", TO_DO],
  ["Upload fails for large photos", IN_REVIEW],
  ["Speed up the dashboard on slow phones", TO_DO],
  ["Invite links expire after a week", DONE],
];

const ACME_MOBILE: Tickets = [
  ["Swipe to archive skips a message", "In Progress"],
  ["Push notifications arrive an hour late", "In Progress"],
  ["Push notifications ignore quiet hours", "Backlog"],
  ["Battery drains while maps are open", "In Progress"],
  ["Offline drafts vanish after an update", "In Review"],
  ["Camera stays black on incoming calls", "Backlog"],
  ["Contacts import doubles every name", "Done"],
];

const GLOBEX_ENGINEERING: Tickets = [
  ["Rotate the signing keys every month", IN_PROGRESS],
  ["Invoice numbers skip after midnight", TO_DO],
  ["Audit log misses deleted accounts", IN_PROGRESS],
  ["Refunds stay pending on holidays", IN_REVIEW],
  ["Move the archive to cold storage", TO_DO],
  ["Support chat loses the last message", IN_PROGRESS],
  ["Warn before the trial ends", TO_DO],
  ["Refunds round the currency wrongly", BLOCKED],
  ["Onboarding tour for new admins", TO_DO],
  ["Retire the old billing page", DONE],
];

const GLOBEX_PLATFORM: ProjectSeed = {
  owner: "globex",
  number: 1,
  title: "Globex platform",
  items: [
    {
      title: "Cache the exchange rates",
      repo: "web",
      status: "In Progress",
      branches: ["1-cache-exchange-rates"],
    },
    { title: "Database backups run at noon", repo: "web", status: "In Progress" },
    { title: "Database connections leak on timeouts", repo: "web", status: "Todo" },
    { title: "Health check lies during a deploy", repo: "web", status: "In Review" },
    { title: "Shrink the container image", repo: "web", status: "Todo" },
    { title: "Metrics lose their labels", repo: "web", status: "Done" },
    // A draft: it has neither a number nor a repository.
    { title: "Decide how services are named", status: "In Progress" },
  ],
};

const GLOBEX_EVENTS: Tickets = [
  ["Update the opening hours on the website", "In Progress"],
  ["Write the newsletter about the new prices", "In Progress"],
  ["Print posters for the open day", "In Progress"],
  ["Print badges for the open day", "To Do"],
  ["Find a speaker for the winter evening", "Backlog"],
  ["Translate the welcome letter into Spanish", "In Review"],
  ["Thank the volunteers of last weekend", "Done"],
];

export const TEAMS: readonly DemoTeam[] = [
  {
    id: "acme",
    name: "Acme",
    boards: [
      { id: "eng", start: jiraBoard("Acme engineering", ACME_ENGINEERING) },
      { id: "mobile", start: linearBoard("Acme mobile", ACME_MOBILE) },
    ],
    branches: ["feat/ENG-1-second-tap", "fix/ENG-3-coupons", "feat/ENG-12-unrelated", "feat/MOB-1-swipe"],
  },
  {
    id: "globex",
    name: "Globex",
    boards: [
      { id: "eng", start: jiraBoard("Globex engineering", GLOBEX_ENGINEERING) },
      { id: "platform", start: githubBoard("globex", 1) },
      { id: "events", start: trelloBoard("Globex events", GLOBEX_EVENTS) },
    ],
    branches: [
      "feat/ENG-1-rotate-keys",
      "fix/ENG-6-chat",
      "1-cache-exchange-rates",
      "site/card-1-opening-hours",
    ],
    projects: [GLOBEX_PLATFORM],
  },
];
