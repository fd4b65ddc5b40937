import { z } from "zod";
import {
  gitRuleShape,
  issueShape,
  issueWithStatesShape,
  pageOf,
  statesShape,
  teamShape,
  webhookShape,
  workflowShape,
} from "./shapes.js";

/**
 * Every document we send, flat and with `first` on each list: left out it is 50, and what is beyond does not exist for
 * us; nested lists multiply towards Linear's limit of 10,000 points a query.
 */

export interface LinearDocument<T> {
  readonly kind: "query" | "mutation";
  readonly query: string;
  readonly data: z.ZodType<T>;
}

export const PAGE = 250;
/** Beside an issue there is room for less. */
const FEW = 50;

const STATE = "id name type position archivedAt inheritedFrom { name }";
const STATES = `states(first: ${PAGE}, after: $after, includeArchived: true) {
  nodes { ${STATE} } pageInfo { hasNextPage endCursor }
}`;
const TEAM = "id key name retiredAt archivedAt visibility";
const ISSUE_FACTS =
  "id identifier previousIdentifiers title branchName priority updatedAt archivedAt trashed state { id }";
const WEBHOOK = "id url enabled resourceTypes allPublicTeams team { id }";

export const VIEWER = document("query", "query Viewer { viewer { id name } }", {
  viewer: z.object({ id: z.string(), name: z.string() }),
});

/** By key or name, in whatever case; of several the caller chooses. Retired ones too, so that they can be told to be. */
export const FIND_TEAMS = document(
  "query",
  `query FindTeams($text: String!) {
  teams(
    first: ${FEW}
    includeArchived: true
    filter: { or: [{ key: { eqIgnoreCase: $text } }, { name: { eqIgnoreCase: $text } }] }
  ) {
    nodes { ${TEAM} } pageInfo { hasNextPage endCursor }
  }
}`,
  { teams: pageOf(teamShape) },
);

/** Every team that these credentials show. */
export const TEAMS = document(
  "query",
  `query Teams($after: String) {
  teams(first: ${PAGE}, after: $after) { nodes { ${TEAM} } pageInfo { hasNextPage endCursor } }
}`,
  { teams: pageOf(teamShape) },
);

export const TEAM_BY_ID = document("query", `query TeamById($id: String!) { team(id: $id) { ${TEAM} } }`, {
  team: teamShape,
});

export const WORKFLOW = document(
  "query",
  `query Workflow($id: String!, $after: String) {
  team(id: $id) {
    ${TEAM} triageEnabled triageIssueState { id } defaultIssueState { id } ${STATES}
  }
}`,
  { team: workflowShape },
);

export const MORE_STATES = document(
  "query",
  `query MoreStates($id: String!, $after: String) { team(id: $id) { ${STATES} } }`,
  { team: z.object({ states: statesShape }) },
);

export const GIT_RULES = document(
  "query",
  `query GitRules($id: String!, $after: String) {
  team(id: $id) {
    gitAutomationStates(first: ${PAGE}, after: $after) {
      nodes { event state { id name } targetBranch { branchPattern } } pageInfo { hasNextPage endCursor }
    }
  }
}`,
  { team: z.object({ gitAutomationStates: pageOf(gitRuleShape) }) },
);

/**
 * In the order of their making, which does not change while we page: ordered by the time of change, an issue changed
 * meanwhile would take the cursor with it. Archived ones are told too, else they would look gone.
 */
export const ISSUES = document(
  "query",
  `query Issues($filter: IssueFilter!, $after: String) {
  issues(first: ${PAGE}, after: $after, filter: $filter, orderBy: createdAt, includeArchived: true) {
    nodes { ${ISSUE_FACTS} team { id } } pageInfo { hasNextPage endCursor }
  }
}`,
  { issues: pageOf(issueShape) },
);

/** By its UUID, archived or not. */
export const ISSUE = document(
  "query",
  `query Issue($id: String!) { issue(id: $id) { ${ISSUE_FACTS} team { id } } }`,
  { issue: issueShape },
);

/** With the states of the team it is in now, which need not be the one we knew it in. */
export const ISSUE_WITH_STATES = document(
  "query",
  `query IssueWithStates($id: String!, $after: String) {
  issue(id: $id) { ${ISSUE_FACTS} team { id requirePriorityToLeaveTriage ${STATES} } }
}`,
  { issue: issueWithStatesShape },
);

export const MOVE = document(
  "mutation",
  `mutation IssueMove($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success issue { id state { id } } }
}`,
  {
    issueUpdate: z.object({
      success: z.boolean(),
      issue: z.object({ state: z.object({ id: z.string() }) }).nullish(),
    }),
  },
);

export const COMMENT = document(
  "mutation",
  "mutation CommentCreate($input: CommentCreateInput!) { commentCreate(input: $input) { success } }",
  { commentCreate: z.object({ success: z.boolean() }) },
);

export const WEBHOOKS = document(
  "query",
  `query Webhooks($after: String) {
  webhooks(first: ${FEW}, after: $after) { nodes { ${WEBHOOK} } pageInfo { hasNextPage endCursor } }
}`,
  { webhooks: pageOf(webhookShape) },
);

export const CREATE_WEBHOOK = document(
  "mutation",
  `mutation WebhookCreate($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { success webhook { ${WEBHOOK} } }
}`,
  { webhookCreate: z.object({ success: z.boolean(), webhook: webhookShape }) },
);

export const UPDATE_WEBHOOK = document(
  "mutation",
  `mutation WebhookUpdate($id: String!, $input: WebhookUpdateInput!) {
  webhookUpdate(id: $id, input: $input) { success webhook { ${WEBHOOK} } }
}`,
  { webhookUpdate: z.object({ success: z.boolean(), webhook: webhookShape }) },
);

export const ALL_DOCUMENTS = [
  VIEWER,
  FIND_TEAMS,
  TEAMS,
  TEAM_BY_ID,
  WORKFLOW,
  MORE_STATES,
  GIT_RULES,
  ISSUES,
  ISSUE,
  ISSUE_WITH_STATES,
  MOVE,
  COMMENT,
  WEBHOOKS,
  CREATE_WEBHOOK,
  UPDATE_WEBHOOK,
] as const satisfies readonly LinearDocument<unknown>[];

function document<S extends z.core.$ZodLooseShape>(kind: "query" | "mutation", query: string, shape: S) {
  return { kind, query, data: z.object(shape) };
}

export function operationName(query: string): string {
  return /^(?:query|mutation) (\w+)/.exec(query)?.[1] ?? "request";
}
