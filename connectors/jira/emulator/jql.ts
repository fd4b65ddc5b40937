import type { Issue, Site } from "./site.js";

/** The part of JQL that the connector and people with a terminal use. */

export class JqlError extends Error {}

type Test = (issue: Issue) => boolean;

const CLAUSE =
  /^(project|key|issuekey|id|issuetype|type|status|updated|created)\s*(=|!=|>=|in)\s*(\([^)]*\)|"[^"]*"|-?[A-Za-z0-9_.-]+)$/i;

/** @throws JqlError in Jira's words. */
export function findIssues(site: Site, jql: string): Issue[] {
  const [where = "", order] = jql.split(/\border\s+by\b/i);
  if (where.trim() === "") {
    throw new JqlError(
      "Unbounded JQL queries are not allowed here. Please add a search restriction to your query.",
    );
  }
  const tests = where.split(/\band\b/i).map((clause) => test(site, clause.trim()));
  const found = [...site.issues.values()].filter(
    (issue) => !issue.archived && tests.every((each) => each(issue)),
  );
  return order === undefined ? found : found.sort(comparison(order.trim()));
}

function test(site: Site, clause: string): Test {
  const [, field = "", operator = "", operand = ""] = CLAUSE.exec(clause) ?? [];
  if (field === "") throw new JqlError(`Error in the JQL Query: "${clause}" is not understood.`);
  const values = operand
    .replace(/^\(|\)$/g, "")
    .split(",")
    .map((value) => value.trim().replace(/^"|"$/g, ""));
  if (/^(updated|created)$/i.test(field))
    return timeTest(site, field.toLowerCase(), operator, values[0] ?? "");
  const names = valuesOf(site, field.toLowerCase(), values);
  const negative = operator === "!=";
  return (issue) => names(issue).some((name) => values.includes(name)) !== negative;
}

function valuesOf(site: Site, field: string, values: readonly string[]): (issue: Issue) => readonly string[] {
  switch (field) {
    case "project": {
      const unknown = values.find((value) => site.projectOf(value) === undefined);
      if (unknown !== undefined) {
        throw new JqlError(`The value '${unknown}' does not exist for the field 'project'.`);
      }
      return (issue) => [issue.project.id, issue.project.key, issue.project.name];
    }
    case "status":
      return (issue) => [issue.status, site.statuses.get(issue.status)?.name ?? ""];
    case "issuetype":
    case "type":
      return (issue) => [issue.type.id, issue.type.name];
    default:
      return (issue) => [issue.id, issue.key];
  }
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function timeTest(site: Site, field: string, operator: string, value: string): Test {
  const [, amount, unit = ""] = /^-(\d+)([mhdw])$/.exec(value) ?? [];
  if (operator !== ">=" || amount === undefined) {
    throw new JqlError(
      `Date value '${value}' for field '${field}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.`,
    );
  }
  // To the minute, as JQL counts.
  const edge = Math.floor((site.now().getTime() - Number(amount) * (UNITS[unit] ?? 0)) / 60_000) * 60_000;
  return (issue) => (field === "created" ? issue.created : issue.updated).getTime() >= edge;
}

function comparison(order: string): (a: Issue, b: Issue) => number {
  const [, field = "", direction = "asc"] = /^(\w+)(?:\s+(asc|desc))?$/i.exec(order) ?? [];
  const sign = direction.toLowerCase() === "desc" ? -1 : 1;
  const value = (issue: Issue): number => {
    switch (field.toLowerCase()) {
      case "updated":
        return issue.updated.getTime();
      case "created":
        return issue.created.getTime();
      case "key":
      case "issuekey":
      case "id":
        return Number(issue.key.split("-")[1]);
      default:
        throw new JqlError(`Not able to sort using field '${field}'.`);
    }
  };
  return (a, b) => sign * (value(a) - value(b) || Number(a.id) - Number(b.id));
}
