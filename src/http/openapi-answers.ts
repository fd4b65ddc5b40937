import { z } from "zod";
import { historyEvent } from "../store/records.js";
import { syncReply } from "../sync/handlers.js";
import { choicesAnswer } from "../sync/previews.js";
import { changeRecord, healthRecord, webhookRecord } from "../sync/records.js";
import { owedAnswer } from "../tickets/owed.js";
import { budgetsSetting, catalogueChoice, speechSetting } from "../tickets/settings.js";
import { boardShape, hookShape, moveShape, ticketShape } from "../tickets/shapes.js";
import { auditNames } from "./admin-audit.js";
import { tokenRecord } from "./auth.js";
import { shownSurface, shownTool } from "./tool-lists.js";

/** What the admin API answers, for its description: more keys may be added, none taken away. */

const text = z.string();
const tenant = z.object({ id: text, name: text, createdAt: text });
const next = text.describe("The cursor of the next page.").optional();

export const connection = z.object({
  id: text,
  provider: text,
  health: healthRecord,
  imported: z.object({ workflows: z.number(), tickets: z.number(), at: text }).optional(),
  progress: z.object({ read: z.number(), at: text }).optional(),
  webhook: webhookRecord.optional(),
});

const workflow = z.object({
  id: text,
  connection: text,
  name: text,
  edges: z.enum(["authoritative", "preview", "observed", "implied"]),
  version: z.number(),
  statuses: z.array(
    z.object({
      id: text,
      name: text,
      category: text,
      order: z.number(),
      retired: z.boolean().optional(),
      offBoard: z.boolean().optional(),
    }),
  ),
  moves: z.array(z.object({ id: text, from: text, to: text, name: text.optional() })),
});

const problem = z.object({ code: text, message: text, fix: text });
const speaker = z.object({ person: text, client: text.optional(), tool: text.optional() });
const auditEvent = z.object({
  at: text,
  action: text,
  by: speaker.optional(),
  ticket: text.optional(),
  from: text.optional(),
  to: text.optional(),
  outcome: text.optional(),
  detail: z.record(text, z.unknown()).optional(),
  named: auditNames.describe("What its ids are called now, where they are known.").optional(),
});

export const answers = {
  tenant,
  tenants: z.object({ tenants: z.array(tenant) }),
  token: z.object({ id: text, token: text.describe("Shown this once.") }),
  tokens: z.object({ tokens: z.array(tokenRecord) }),
  settings: z.object({ mcp: catalogueChoice, speech: speechSetting, budgets: budgetsSetting }),
  pairing: z.object({ name: text, code: text, expiresAt: text }),
  members: z.object({ members: z.array(z.object({ name: text, createdAt: text })) }),
  connection,
  choices: choicesAnswer,
  preview: z.object({
    problems: z.array(problem),
    warnings: z.array(problem).describe("Nothing is wrong with it, but somebody will ask."),
    workflows: z.array(workflow),
    tickets: z.object({
      counted: z.number(),
      more: z.boolean().describe("There are more than were counted in the time."),
      boards: z.array(
        z.object({ workflow: text, statuses: z.array(z.object({ id: text, tickets: z.number() })) }),
      ),
      fresh: z.number().describe("Not known yet."),
      moved: z.number().describe("In another status than the one that is known."),
    }),
    changes: z
      .array(changeRecord)
      .describe("Of a kept connection: what would change in its workflows.")
      .optional(),
    tools: z.array(shownTool),
  }),
  connections: z.object({ connections: z.array(connection) }),
  sync: z.union([syncReply, z.object({ accepted: z.literal(true) })]),
  workflow,
  workflows: z.object({ workflows: z.array(workflow) }),
  changes: z.object({ changes: z.array(changeRecord) }),
  ticket: ticketShape.extend({ hooks: z.array(hookShape).optional() }),
  tickets: z.object({ tickets: z.array(ticketShape), total: z.number(), next }),
  history: z.object({ events: z.array(historyEvent), next }),
  move: moveShape,
  replay: z.object({ hooks: z.number(), moves: z.number(), connections: z.number() }),
  said: z.object({
    tool: text,
    args: z.record(text, z.unknown()),
    answer: z.looseObject({ spoken: text }),
  }),
  boards: boardShape.pick({ boards: true }),
  session: z.object({ token: text, tenant: text, person: text, expiresAt: text }),
  caller: z.union([
    z.object({ role: z.literal("operator"), demo: z.boolean().optional() }),
    z.object({ role: z.literal("member"), tenant: text, person: text }),
  ]),
  tools: z.object({ surfaces: z.array(shownSurface) }),
  owed: owedAnswer,
  audit: z.object({ events: z.array(auditEvent), next }),
} as const;
