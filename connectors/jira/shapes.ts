import { z } from "zod";
import { epochMs, isoTime } from "../../src/board/times.js";

/** Jira's replies, as far as we read them. Unknown keys are dropped; what we rely on must be there. */

const numeric = z.string().regex(/^[0-9]{1,19}$/);

export const statusShape = z.object({
  id: numeric,
  name: z.string(),
  untranslatedName: z.string().optional(),
  statusCategory: z.object({ key: z.string() }).optional(),
});

const fieldSchemaShape = z.object({
  type: z.string(),
  items: z.string().optional(),
  system: z.string().optional(),
  custom: z.string().optional(),
});

export const fieldShape = z.object({
  required: z.boolean(),
  name: z.string(),
  schema: fieldSchemaShape,
  allowedValues: z.array(z.unknown()).optional(),
});

export const allowedValueShape = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  name: z.string().optional(),
  value: z.string().optional(),
});

export const transitionShape = z.object({
  id: numeric,
  name: z.string().optional(),
  to: statusShape.optional(),
  looped: z.boolean().optional(),
  isGlobal: z.boolean().optional(),
  isAvailable: z.boolean().optional(),
  fields: z.record(z.string(), fieldShape).optional(),
});

export const transitionsShape = z.object({ transitions: z.array(transitionShape) });

export const issueShape = z.object({
  id: numeric,
  key: z.string(),
  fields: z.object({
    summary: z.string().nullish(),
    status: statusShape,
    issuetype: z.object({ id: numeric }),
    project: z.object({ id: numeric, archived: z.boolean().optional() }),
    updated: isoTime,
    archiveddate: z.string().nullish(),
  }),
  transitions: z.array(transitionShape).optional(),
});

export const searchShape = z.object({
  issues: z.array(issueShape).optional(),
  nextPageToken: z.string().nullish(),
  isLast: z.boolean().optional(),
});

export const projectShape = z.object({
  id: numeric,
  key: z.string(),
  name: z.string(),
  archived: z.boolean().optional(),
  issueTypes: z.array(z.object({ id: numeric, name: z.string() })).optional(),
});

export const projectPageShape = z.object({
  isLast: z.boolean(),
  values: z.array(z.object({ key: z.string(), name: z.string() })),
});

export const projectStatusesShape = z.array(
  z.object({ id: numeric, name: z.string(), statuses: z.array(statusShape) }),
);

const category = z.enum(["TODO", "IN_PROGRESS", "DONE"]).optional();

const workflowStatusShape = z.object({
  id: numeric,
  name: z.string(),
  rawName: z.string().optional(),
  statusCategory: category,
  statusReference: z.string(),
});

const workflowShape = z.object({
  id: z.string(),
  name: z.string().optional(),
  queryContext: z
    .array(z.object({ project: z.string().optional(), issueTypes: z.array(z.string()).optional() }))
    .optional(),
  statuses: z.array(z.object({ statusReference: z.string() })),
  transitions: z.array(
    z.object({
      id: z.string(),
      name: z.string().optional(),
      type: z.string(),
      toStatusReference: z.string().nullish(),
      links: z.array(z.object({ fromStatusReference: z.string().nullish() }).nullable()).nullish(),
    }),
  ),
});

/** Of `workflows/preview` and of `workflows` alike. */
export const workflowsShape = z.object({
  statuses: z.array(workflowStatusShape),
  workflows: z.array(workflowShape),
});

export const boardsShape = z.object({
  values: z.array(z.object({ id: z.number().int(), name: z.string().optional() })),
});

export const boardConfigurationShape = z.object({
  columnConfig: z.object({
    columns: z.array(z.object({ name: z.string(), statuses: z.array(z.object({ id: numeric })).optional() })),
  }),
});

export const changelogShape = z.object({
  values: z.array(
    z.object({
      items: z.array(z.object({ field: z.string().optional(), from: z.string().nullish() })).optional(),
    }),
  ),
});

export const myselfShape = z.object({ accountId: z.string(), displayName: z.string().optional() });

export const permissionsShape = z.object({
  permissions: z.record(z.string(), z.object({ havePermission: z.boolean().optional() })),
});

export const adminWebhookShape = z.object({
  self: z.string(),
  url: z.string(),
  enabled: z.boolean().optional(),
  events: z.array(z.string()).optional(),
  isSigned: z.boolean().optional(),
});

export const dynamicWebhooksShape = z.object({
  isLast: z.boolean().optional(),
  values: z.array(
    z.object({
      id: z.number().int(),
      url: z.string().optional(),
      jqlFilter: z.string(),
      expirationDate: epochMs.optional(),
    }),
  ),
});

export const registeredWebhooksShape = z.object({
  webhookRegistrationResult: z.array(
    z.object({ createdWebhookId: z.number().int().optional(), errors: z.array(z.string()).optional() }),
  ),
});

export const webhookExpiryShape = z.object({ expirationDate: epochMs });

/** What Jira says when it refuses; either part may be empty, or the body no JSON at all. */
export const refusalShape = z.object({
  errorMessages: z.array(z.string()).optional(),
  errors: z.record(z.string(), z.string()).optional(),
});

export const deliveryShape = z.object({
  webhookEvent: z.string(),
  timestamp: epochMs.optional().catch(undefined),
  issue: z
    .object({
      id: z.union([numeric, z.number().int().transform(String)]),
      fields: z
        .object({ updated: isoTime, status: z.object({ id: numeric }) })
        .optional()
        .catch(undefined),
    })
    .optional(),
  user: z.object({ accountId: z.string().optional() }).optional(),
});

export type JiraDelivery = z.infer<typeof deliveryShape>;
export type JiraIssue = z.infer<typeof issueShape>;
export type JiraStatus = z.infer<typeof statusShape>;
export type JiraTransition = z.infer<typeof transitionShape>;
export type JiraField = z.infer<typeof fieldShape>;
export type JiraProject = z.infer<typeof projectShape>;
export type JiraWorkflows = z.infer<typeof workflowsShape>;
export type JiraColumns = z.infer<typeof boardConfigurationShape>["columnConfig"]["columns"];
