import type { Move, Ticket, WorkflowId } from "../../src/board/connector.js";
import type { FieldSpec } from "../../src/machine/index.js";
import { safeParse } from "../../src/parse.js";
import { ticketId } from "./keys.js";
import { allowedValueShape, type JiraField, type JiraIssue, type JiraTransition } from "./shapes.js";

/** Jira's shapes as ours. Pure. */

const ARCHIVED = "It is archived in Jira, so it cannot be moved there.";

export function mapTicket(issue: JiraIssue, site: string, workflow: WorkflowId): Ticket {
  const { fields } = issue;
  const archived = typeof fields.archiveddate === "string" || fields.project.archived === true;
  return {
    id: ticketId(site, issue.id),
    key: issue.key,
    title: fields.summary ?? "",
    workflow,
    status: fields.status.id,
    updatedAt: fields.updated,
    ...(archived ? { archived, immovable: ARCHIVED } : {}),
    ref: { project: fields.project.id, issueType: fields.issuetype.id },
  };
}

/** The moves among a ticket's transitions: what loops back to where it is, or is not available to us, is none. */
export function mapMoves(transitions: readonly JiraTransition[]): readonly Move[] {
  return transitions.flatMap((transition) => {
    const { to } = transition;
    if (to === undefined || transition.looped === true || transition.isAvailable === false) return [];
    const fields = Object.entries(transition.fields ?? {});
    return [
      {
        id: transition.id,
        to: to.id,
        ...(transition.name === undefined ? {} : { name: transition.name }),
        // An optional comment is no field to be asked for: it travels as the move's comment.
        fields: fields
          .filter(([, field]) => !isComment(field) || field.required)
          .map(([id, field]) => mapField(id, field)),
        ...(fields.some(([, field]) => isComment(field)) ? { takesComment: true } : {}),
      },
    ];
  });
}

function isComment(field: JiraField): boolean {
  return field.schema.system === "comment";
}

export function mapField(id: string, field: JiraField): FieldSpec {
  const { type, multiple } = fieldType(field);
  const allowed = type === "option" ? mapAllowed(field.allowedValues ?? []) : [];
  return {
    id,
    name: field.name,
    type,
    required: field.required,
    ...(multiple ? { multiple } : {}),
    ...(allowed.length > 0 ? { allowed } : {}),
  };
}

const TEXTAREA = "com.atlassian.jira.plugin.system.customfieldtypes:textarea";
const RICH_TEXT_SYSTEM_FIELDS = new Set(["description", "environment", "comment"]);
/** Values of these are chosen from `allowedValues` and sent by id. */
const CHOICES = new Set([
  "option",
  "resolution",
  "priority",
  "version",
  "component",
  "securitylevel",
  "issuetype",
]);

function fieldType({ schema, allowedValues }: JiraField): { type: FieldSpec["type"]; multiple: boolean } {
  const multiple = schema.type === "array";
  const base = multiple ? (schema.items ?? "") : schema.type;
  const rich = schema.custom === TEXTAREA || RICH_TEXT_SYSTEM_FIELDS.has(schema.system ?? "");
  if (rich) return { type: "rich_text", multiple: false };
  if (CHOICES.has(base)) return { type: allowedValues?.length ? "option" : "unsupported", multiple };
  if (base === "string") return { type: "text", multiple };
  if (base === "user") return { type: "user", multiple };
  if (!multiple && (base === "number" || base === "date")) return { type: base, multiple };
  return { type: "unsupported", multiple: false };
}

function mapAllowed(values: readonly unknown[]): { id: string; label: string }[] {
  return values.flatMap((value) => {
    const parsed = safeParse(allowedValueShape, value);
    if (!parsed.success || parsed.data.id === undefined) return [];
    const id = String(parsed.data.id);
    return [{ id, label: parsed.data.name ?? parsed.data.value ?? id }];
  });
}
