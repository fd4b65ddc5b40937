import { changeWords } from "./diff.js";
import type { AuditEvent } from "./shapes.js";

/** What an entry of the audit log is called, for people: its ids are for the saved file. Pure. */

export interface AuditWords {
  readonly what: string;
  /** What it was about, beyond its ticket. */
  readonly about: string;
  readonly outcome: string;
  /** What the outcome alone would hide. */
  readonly note: string;
}

export function auditWords(event: AuditEvent): AuditWords {
  const { action, detail = {}, outcome = "" } = event;
  const say = SAID[action];
  const { what, about } = say === undefined ? { what: action, about: plain(detail) } : say(detail, event);
  const already = action === "move" && outcome === "confirmed" && detail.already === true;
  return { what, about, outcome, note: already ? "It was there already: nothing was written." : "" };
}

type Detail = NonNullable<AuditEvent["detail"]>;
type Say = (detail: Detail, event: AuditEvent) => Pick<AuditWords, "what" | "about">;

const SAID: Readonly<Record<string, Say>> = {
  move: () => ({ what: "Move", about: "" }),
  workflow: ({ workflow, kind, before, after }, { named }) => ({
    what: `Workflow ${named?.workflow ?? words(workflow)}`,
    about: `${changeWords(words(kind))}: ${[before, after].map(words).filter(Boolean).join(" → ")}`,
  }),
  setting: ({ setting, ...values }) => ({
    what: "Setting",
    about: `${words(setting)}: ${plain(values, true) || "as for everybody"}`,
  }),
  replay: ({ hooks, moves, connections }) => ({
    what: "Tried again",
    about: [counted(moves, "move"), counted(hooks, "hook"), counted(connections, "board")]
      .filter(Boolean)
      .join(", "),
  }),
  webhook: ({ connection, was }) => ({
    what: "Webhook",
    about: `${words(connection)}, ${words(was)} before`,
  }),
  "sign-in": () => ({ what: "Signed in", about: "at this page" }),
  bouncing: () => ({
    what: "Moved back and forth too often",
    about: "Nothing is started for it by itself any more.",
  }),
  stray: ({ address }) => ({ what: "At another team's address", about: words(address) }),
};

function counted(number: unknown, noun: string): string {
  return typeof number !== "number" || number === 0 ? "" : `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Only what is one word or number: what is nested is for the saved file. */
function plain(values: Readonly<Record<string, unknown>>, named = false): string {
  return Object.entries(values)
    .filter(([, value]) => words(value) !== "")
    .map(([name, value]) => (named ? `${name} ${words(value)}` : words(value)))
    .join(", ");
}

function words(value: unknown): string {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
}
