import type { Express } from "express";
import { z } from "zod";
import { keptConnection, triedConnection } from "../sync/previews.js";
import { newConnection } from "../sync/records.js";
import { budgetsSetting } from "../tickets/settings.js";
import { newTenant, newToken, replayBody } from "./admin.js";
import { pageQuery } from "./admin-deps.js";
import { signInBody } from "./admin-session.js";
import { mcpBody, speechBody } from "./admin-settings.js";
import { againBody, sentenceBody, undoAgainBody } from "./admin-talk.js";
import { moveBody, ticketsQuery } from "./admin-tickets.js";
import { shownAs } from "./admin-workflows.js";
import { newMember } from "./members.js";
import { answers } from "./openapi-answers.js";

/** The admin API described, from the very schemas that its requests are parsed with. */

interface Operation {
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** @default 200 */
  readonly status?: number;
  /** The same answer, or none yet, while the work goes on. */
  readonly underWay?: 202;
  /** Left out: no content. */
  readonly answer?: z.ZodType;
  /** @default application/json */
  readonly type?: string;
  /** Asked without a token. */
  readonly open?: true;
}

const T = "/tenants/{tenant}";
const TICKET = `${T}/tickets/{id}`;
const CONNECTION = `${T}/connections/{connection}`;
const syncQuery = z.object({ wait: z.enum(["true", "false"]).optional() });
const moveHeaders = z.object({
  "Idempotency-Key": z.string().describe("The same key asks for the same move, for a day.").optional(),
});

/** By method and path below `/api/v1`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "post /session": {
    summary: "Sign in at the page by a pairing code: a token for one's own team, for ten hours.",
    body: signInBody,
    status: 201,
    answer: answers.session,
    open: true,
  },
  "get /session": { summary: "Whose token this is.", answer: answers.caller },
  "delete /session": { summary: "Sign out.", status: 204 },
  "post /tenants": { summary: "Make a team.", body: newTenant, status: 201, answer: answers.tenant },
  "get /tenants": { summary: "All teams.", answer: answers.tenants },
  [`post ${T}/tokens`]: { summary: "Make a token.", body: newToken, status: 201, answer: answers.token },
  [`get ${T}/tokens`]: { summary: "A team's tokens, without their text.", answer: answers.tokens },
  [`delete ${T}/tokens/{id}`]: { summary: "Revoke a token.", status: 204 },
  [`get ${T}/settings`]: { summary: "What a team has chosen.", answer: answers.settings },
  [`put ${T}/settings/mcp`]: {
    summary: "Choose how the team's tools are made; what is left out goes back to its default.",
    body: mcpBody,
    answer: answers.settings,
  },
  [`put ${T}/settings/speech`]: {
    summary:
      "Choose the team's language, and which moves ask first; what is left out goes back to its default.",
    body: speechBody,
    answer: answers.settings,
  },
  [`post ${T}/members`]: {
    summary: "Add a person, or get another pairing code.",
    body: newMember,
    status: 201,
    answer: answers.pairing,
  },
  [`get ${T}/members`]: { summary: "The people of a team.", answer: answers.members },
  [`delete ${T}/members/{name}`]: { summary: "Remove a person, and what was granted.", status: 204 },
  [`post ${T}/connections`]: {
    summary: "Connect a board: the credentials are tried, and its import begins.",
    body: newConnection,
    status: 201,
    answer: answers.connection,
  },
  [`post ${T}/connections/choices`]: {
    summary: "Which boards these credentials show; nothing is kept.",
    body: triedConnection,
    answer: answers.choices,
  },
  [`post ${T}/connections/preview`]: {
    summary:
      "What an import would bring, of a board that is not connected yet or of a connection that is; nothing is kept.",
    body: z.union([keptConnection, triedConnection]),
    answer: answers.preview,
  },
  [`get ${T}/connections`]: { summary: "A team's boards and their health.", answer: answers.connections },
  [`get ${CONNECTION}`]: { summary: "One board's health.", answer: answers.connection },
  [`delete ${CONNECTION}`]: { summary: "Forget a board. The board itself is not touched.", status: 204 },
  [`post ${CONNECTION}/sync`]: {
    summary: "Read a board anew; 202 at once, or 200 with what has changed when waited for.",
    query: syncQuery,
    underWay: 202,
    answer: answers.sync,
  },
  [`get ${T}/workflows`]: { summary: "A team's workflows.", answer: answers.workflows },
  [`get ${T}/workflows/{id}`]: {
    summary: "One workflow; in other formats as text or as what their tools read.",
    query: shownAs,
    answer: answers.workflow,
  },
  [`get ${T}/workflows/{id}/changes`]: { summary: "What has changed in it.", answer: answers.changes },
  [`get ${T}/tickets`]: { summary: "Tickets.", query: ticketsQuery, answer: answers.tickets },
  [`get ${TICKET}`]: { summary: "One ticket, and its hooks.", answer: answers.ticket },
  [`get ${TICKET}/history`]: { summary: "What happened to it.", query: pageQuery, answer: answers.history },
  [`post ${TICKET}/moves`]: {
    summary: "Move it: 200 when the board has confirmed it, 202 while it is under way.",
    headers: moveHeaders,
    body: moveBody,
    underWay: 202,
    answer: answers.move,
  },
  [`post ${T}/replay`]: {
    summary: "Try again what failed or waits.",
    body: replayBody,
    status: 202,
    answer: answers.replay,
  },
  [`post ${T}/say`]: {
    summary: "Say a sentence, or answer a question: the call that was made of it, and its answer.",
    body: z.union([sentenceBody, againBody, undoAgainBody]),
    answer: answers.said,
  },
  [`get ${T}/boards`]: { summary: "How many tickets are in each status.", answer: answers.boards },
  [`get ${T}/tools`]: {
    summary: "The tools as each kind of client sees them, with things to say for each.",
    answer: answers.tools,
  },
  [`get ${T}/owed`]: {
    summary: "Work owed: moves under way, hooks that wait or failed.",
    answer: answers.owed,
  },
  [`get ${T}/live`]: {
    summary: "Server-sent events that say what has changed: `ready`, `tickets`, `workflows`, `connections`.",
    answer: z.string(),
    type: "text/event-stream",
  },
  [`put ${T}/settings/budgets`]: {
    summary: "Choose how much of the service the team may use; what is left out is as for everybody.",
    body: budgetsSetting,
    answer: answers.settings,
  },
  [`get ${T}/audit`]: { summary: "Who did what, newest first.", query: pageQuery, answer: answers.audit },
  [`get ${T}/audit.ndjson`]: {
    summary: "All of it that is kept, newest first: one event a line, as JSON.",
    answer: z.string(),
    type: "application/x-ndjson",
  },
  [`get ${T}/audit.csv`]: {
    summary: "The same for spreadsheets; no cell is taken for a formula.",
    answer: z.string(),
    type: "text/csv",
  },
};

const PROBLEM = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string().describe("A sentence that a person can act on."),
  code: z.string(),
});

/** An OpenAPI 3.1 document. */
export function openapi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const [method = "", path = ""] = name.split(" ");
    paths[`/api/v1${path}`] = { ...paths[`/api/v1${path}`], [method]: described(path, operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Boardwalk admin API", version, license: { name: "MIT", identifier: "MIT" } },
    externalDocs: {
      url: "/llms.txt",
      description: "What this service is, for agents, and all of its documentation.",
    },
    security: [{ admin: [] }],
    paths,
    components: {
      securitySchemes: { admin: { type: "http", scheme: "bearer" } },
      schemas: { Problem: schemaOf(PROBLEM, "output") },
      responses: {
        Problem: {
          description: "What went wrong, by RFC 9457.",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

export function addOpenapiRoute(app: Express, version: string): void {
  let document: object | undefined;
  app.get("/openapi.json", (_request, response) => {
    document ??= openapi(version);
    response.json(document);
  });
}

function described(path: string, operation: Operation): object {
  const {
    summary,
    query,
    headers,
    body,
    status = 200,
    underWay,
    answer,
    type = "application/json",
    open,
  } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const parameters = [...inPath, ...parametersOf("query", query), ...parametersOf("header", headers)];
  const answered = {
    description: answer === undefined ? "Done." : summary,
    ...(answer === undefined ? {} : { content: { [type]: { schema: schemaOf(answer, "output") } } }),
  };
  return {
    summary,
    ...(open ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemaOf(body, "input") } },
          },
        }),
    responses: {
      [status]: answered,
      ...(underWay === undefined ? {} : { [underWay]: answered }),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

function parametersOf(place: "query" | "header", schema: z.ZodObject | undefined): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input");
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

/** Objects stay open unless they are strict: an answer may gain keys. */
function schemaOf(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    reused: "inline",
    override: ({ jsonSchema }) => {
      if (io === "output") delete jsonSchema.additionalProperties;
    },
  });
  return json;
}
