import type { AccountSeed, FieldSeed, TransitionSeed } from "./seed.js";
import type { ChangeItem, Issue, Site } from "./site.js";

/** What Jira allows and refuses when a ticket is moved. */

export interface TransitionRequest {
  readonly id: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly update: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

export interface RefusalBody {
  readonly errorMessages: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

export const TEXTAREA = "com.atlassian.jira.plugin.system.customfieldtypes:textarea";

/** The transitions of an issue for this account; the unavailable ones too when asked for. */
export function transitionsOf(
  site: Site,
  issue: Issue,
  account: AccountSeed,
): { readonly transition: TransitionSeed; readonly available: boolean }[] {
  if (!site.may(account, "TRANSITION_ISSUES")) return [];
  return site
    .workflowOf(issue)
    .transitions.filter(({ from }) => from === "*" || [from].flat().includes(issue.status))
    .map((transition) => ({
      transition,
      available: transition.onlyFor === undefined || transition.onlyFor.includes(account.accountId),
    }));
}

/** Moves the issue, or says why not in Jira's words. */
export function doTransition(
  site: Site,
  issue: Issue,
  account: AccountSeed,
  request: TransitionRequest,
): RefusalBody | undefined {
  if (issue.archived || issue.project.archived) {
    return refusal([`Issue ${issue.key} is archived. You cannot change an archived issue.`]);
  }
  const open = transitionsOf(site, issue, account).filter(({ available }) => available);
  const transition = open.find((each) => each.transition.id === request.id)?.transition;
  if (transition === undefined) return notValid(site, request.id);
  const screen = transition.fields ?? [];
  const errors = {
    ...foreignFields(screen, request),
    ...missingFields(screen, request),
    ...badValues(screen, request),
  };
  if (Object.keys(errors).length > 0) return refusal([], errors);
  const hidden = screen.find((field) => field.undeclared && !given(field, request));
  if (hidden !== undefined) return refusal([`${hidden.name} must be filled in before this transition.`]);
  const items = applyFields(issue, screen, request);
  addComment(site, issue, account, screen, request);
  if (transition.to === undefined) site.change(issue, account, items);
  else site.setStatus(issue, transition.to, account, items);
  if (transition.thenTo !== undefined) site.setStatus(issue, transition.thenTo, account);
  return undefined;
}

export function refusal(errorMessages: readonly string[], errors: RefusalBody["errors"] = {}): RefusalBody {
  return { errorMessages, errors };
}

function notValid(site: Site, id: string | undefined): RefusalBody {
  return refusal([
    site.seed.language === "de"
      ? `Die Übergangs-ID '${id}' ist für diesen Vorgang nicht gültig.`
      : `Transition id '${id}' is not valid for this issue.`,
  ]);
}

function foreignFields(screen: readonly FieldSeed[], request: TransitionRequest): Record<string, string> {
  const known = new Set(screen.map((field) => field.id));
  const foreign = Object.keys(request.fields).filter((id) => !known.has(id));
  return Object.fromEntries(
    foreign.map((id) => [
      id,
      `Field '${id}' cannot be set. It is not on the appropriate screen, or unknown.`,
    ]),
  );
}

function missingFields(screen: readonly FieldSeed[], request: TransitionRequest): Record<string, string> {
  const missing = screen.filter((field) => field.required && !field.undeclared && !given(field, request));
  return Object.fromEntries(missing.map((field) => [field.id, `${field.name} is required.`]));
}

function given(field: FieldSeed, request: TransitionRequest): boolean {
  return request.fields[field.id] !== undefined || (request.update[field.id]?.length ?? 0) > 0;
}

function badValues(screen: readonly FieldSeed[], request: TransitionRequest): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const field of screen) {
    const value = request.fields[field.id];
    const message = value === undefined ? undefined : badValue(field, value);
    if (message !== undefined) errors[field.id] = message;
  }
  const comments = request.update.comment ?? [];
  if (comments.some((operation) => !isDocument((operation.add as { body?: unknown } | undefined)?.body))) {
    errors.comment = NOT_A_DOCUMENT;
  }
  return errors;
}

const NOT_A_DOCUMENT = "Operation value must be an Atlassian Document (see the Atlassian Document Format)";

function badValue(field: FieldSeed, value: unknown): string | undefined {
  const rich = field.schema.custom === TEXTAREA || field.schema.system === "description";
  if (rich) return isDocument(value) ? undefined : NOT_A_DOCUMENT;
  if (field.schema.type === "array") {
    if (!Array.isArray(value)) return "data was not an array";
    const { items } = field.schema;
    const bad = value.map((item) => badSingle({ ...field, schema: { type: items ?? "string" } }, item));
    return bad.find((message) => message !== undefined);
  }
  return badSingle(field, value);
}

function badSingle(field: FieldSeed, value: unknown): string | undefined {
  switch (field.schema.type) {
    case "string":
      return typeof value === "string" ? undefined : "Operation value must be a string";
    case "number":
      return typeof value === "number" ? undefined : "Operation value must be a number";
    case "date":
      return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value)
        ? undefined
        : "Error parsing date string: expected yyyy-MM-dd";
    case "user":
      return hasText(value, "accountId") ? undefined : "expected Object with an accountId";
    default:
      return isAllowed(field, value) ? undefined : `Specify a valid 'id' or 'name' for ${field.name}`;
  }
}

function isAllowed(field: FieldSeed, value: unknown): boolean {
  return (field.allowedValues ?? []).some(
    (allowed) =>
      (hasText(value, "id") && value.id === allowed.id) ||
      (hasText(value, "name") && value.name === allowed.name) ||
      (hasText(value, "value") && value.value === allowed.value),
  );
}

function hasText(value: unknown, key: string): value is Record<string, string> {
  return (
    typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[key] === "string"
  );
}

export function isDocument(value: unknown): boolean {
  return (
    hasText(value, "type") && value.type === "doc" && Array.isArray((value as { content?: unknown }).content)
  );
}

function applyFields(issue: Issue, screen: readonly FieldSeed[], request: TransitionRequest): ChangeItem[] {
  return screen.flatMap((field) => {
    const value = request.fields[field.id];
    if (value === undefined) return [];
    const allowed = (field.allowedValues ?? []).find((each) =>
      hasText(value, "id") ? each.id === value.id : hasText(value, "name") && each.name === value.name,
    );
    issue.values.set(field.id, allowed ?? value);
    const label = String(allowed?.name ?? allowed?.value ?? "set");
    return [
      { field: field.id, from: null, fromString: null, to: String(allowed?.id ?? ""), toString: label },
    ];
  });
}

/** A comment that the screen has no field for is dropped without a word, as Jira does. */
function addComment(
  site: Site,
  issue: Issue,
  author: AccountSeed,
  screen: readonly FieldSeed[],
  request: TransitionRequest,
): void {
  if (!screen.some((field) => field.schema.system === "comment")) return;
  for (const operation of request.update.comment ?? []) {
    const { body } = operation.add as { body: unknown };
    issue.comments.push({ id: site.nextId(), body, author, created: site.now() });
  }
}
