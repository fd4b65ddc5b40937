import { z } from "zod";
import { epochMs, isoTime } from "../../src/board/times.js";
import { isUuid } from "./keys.js";

/** Linear's replies as far as we read them. Anything more is left alone, so that it may grow. */

/** Written into ids of ours, so one that is no UUID is an answer we cannot read. */
const id = z.string().refine(isUuid, "must be a UUID");
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

export interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: z.infer<typeof pageInfo>;
}

export function pageOf<T extends z.ZodType>(node: T) {
  return z.object({ nodes: z.array(node), pageInfo });
}

export const stateShape = z.object({
  id,
  name: z.string(),
  /** A String in Linear's schema: a new value may appear any day. */
  type: z.string(),
  position: z.number(),
  archivedAt: z.string().nullish(),
  inheritedFrom: z.object({ name: z.string() }).nullish(),
});
export type LinearState = z.infer<typeof stateShape>;
export const statesShape = pageOf(stateShape);

const stateRef = z.object({ id }).nullish();

export const teamShape = z.object({
  id,
  key: z.string(),
  name: z.string(),
  retiredAt: z.string().nullish(),
  archivedAt: z.string().nullish(),
  visibility: z.string().nullish(),
});
export type LinearTeam = z.infer<typeof teamShape>;

export const workflowShape = teamShape.extend({
  triageEnabled: z.boolean(),
  triageIssueState: stateRef,
  defaultIssueState: stateRef,
  states: statesShape,
});
export type LinearWorkflow = z.infer<typeof workflowShape>;

export const issueShape = z.object({
  id,
  identifier: z.string(),
  previousIdentifiers: z.array(z.string()),
  title: z.string(),
  branchName: z.string().nullish(),
  priority: z.number(),
  updatedAt: isoTime,
  archivedAt: z.string().nullish(),
  trashed: z.boolean().nullish(),
  state: z.object({ id }),
  team: z.object({ id }),
});
export type LinearIssue = z.infer<typeof issueShape>;

export const issueWithStatesShape = issueShape.extend({
  team: z.object({ id, requirePriorityToLeaveTriage: z.boolean(), states: statesShape }),
});
export type LinearIssueWithStates = z.infer<typeof issueWithStatesShape>;

export const gitRuleShape = z.object({
  event: z.string(),
  state: z.object({ id, name: z.string() }).nullish(),
  targetBranch: z.object({ branchPattern: z.string() }).nullish(),
});
export type LinearGitRule = z.infer<typeof gitRuleShape>;

export const webhookShape = z.object({
  id,
  url: z.string().nullish(),
  enabled: z.boolean(),
  resourceTypes: z.array(z.string()),
  allPublicTeams: z.boolean(),
  team: z.object({ id }).nullish(),
});
export type LinearWebhook = z.infer<typeof webhookShape>;

/** `errors[]` of a reply, and of the SDK's error around one. */
export const faultShape = z.object({
  message: z.string().catch(""),
  extensions: z
    .object({
      type: z.string().optional().catch(undefined),
      code: z.string().optional().catch(undefined),
      userPresentableMessage: z.string().optional().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
export type LinearFault = z.infer<typeof faultShape>;

/** What every reply is, refusals too. Neither part is believed yet. */
export const replyShape = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.unknown()).optional().catch(undefined),
});

/** What a webhook carries, as far as we use it. */
export const deliveryShape = z.object({
  action: z.string().optional(),
  type: z.string(),
  webhookTimestamp: epochMs,
  actor: z.object({ id: z.string() }).nullish().catch(undefined),
  data: z
    .object({
      id: z.string().optional(),
      stateId: z.string().nullish(),
      teamId: z.string().nullish(),
    })
    .nullish()
    .catch(undefined),
  updatedFrom: z.object({ teamId: z.string().nullish() }).nullish().catch(undefined),
});
export type LinearDelivery = z.infer<typeof deliveryShape>;
