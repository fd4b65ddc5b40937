import { Agile, type Client, Version3 } from "jira.js";
import { z } from "zod";
import type { ConnectorKit } from "../../src/board/connector.js";
import { errorFromShape, retryRead } from "../../src/board/http.js";
import type { BoardwalkError } from "../../src/errors.js";
import { safeParse } from "../../src/parse.js";
import type { AdfDocument } from "./adf.js";
import { errorFrom, type Refusal, statusOf } from "./answers.js";
import type { JiraAuth } from "./auth.js";
import { createClient } from "./client.js";
import { numericId, projectKeyOrId } from "./keys.js";
import * as shapes from "./shapes.js";

/** The endpoints, as the client library knows them; `client.ts` sends what it asks for. Ids are checked before it sees them, replies before we believe them. */

export interface TransitionInput {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly update: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

export interface JiraApiOptions {
  readonly baseUrl: string;
  readonly auth: JiraAuth;
  readonly kit: ConnectorKit;
  readonly timeoutMs?: number;
}

interface Call {
  readonly signal: AbortSignal;
  /** Writes are sent once: whether one that went unanswered has landed, only a read can tell. */
  readonly write?: boolean;
  /** On the workflow endpoints 401 may mean "not allowed", so it must not spend a refresh token. */
  readonly unauthorizedIsFinal?: boolean;
  /** A better reading of a refusal than its status alone gives. */
  readonly explain?: (refusal: Refusal) => BoardwalkError | undefined;
}

type Send = (client: Client) => Promise<unknown>;

/** A success whose body says nothing we need. */
const anything = z.unknown();
const ISSUE_FIELDS = ["summary", "status", "issuetype", "project", "updated", "archiveddate"];

/** Sends one request with the credentials of now; a 401 is answered by one refresh where there is a refresh token. */
export function createJiraRequest(options: JiraApiOptions) {
  const { baseUrl, auth, kit, timeoutMs } = options;
  const { reach } = kit;
  const timing = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(reach === undefined ? {} : { reach }),
  };

  const once = (send: Send, authorization: string, signal: AbortSignal): Promise<unknown> =>
    send(createClient(baseUrl, authorization, { ...timing, signal }));

  async function attempt<T>(schema: z.ZodType<T>, send: Send, call: Call): Promise<T> {
    call.signal.throwIfAborted();
    await kit.checkUrl(baseUrl);
    const authorization = auth.header();
    let body: unknown;
    try {
      body = await once(send, authorization, call.signal);
    } catch (thrown) {
      // Not authorized means not done, so this may be sent again even when it is a write.
      const mayRefresh = statusOf(thrown) === 401 && call.unauthorizedIsFinal !== true;
      if (!mayRefresh || !(await auth.refresh(authorization))) throw thrown;
      body = await once(send, auth.header(), call.signal);
    }
    const parsed = safeParse(schema, body);
    if (!parsed.success) throw errorFromShape("Jira", parsed.error);
    return parsed.data;
  }

  return async function request<T>(schema: z.ZodType<T>, send: Send, call: Call): Promise<T> {
    const read = async () => {
      try {
        return await attempt(schema, send, call);
      } catch (thrown) {
        throw errorFrom(thrown, call.signal, call.explain);
      }
    };
    return call.write === true ? read() : retryRead(read, call.signal);
  };
}

type Request = ReturnType<typeof createJiraRequest>;

export type JiraApi = ReturnType<typeof createJiraApi>;

/** Jira's endpoints as we use them. Every function rejects with a BoardwalkError. */
export function createJiraApi(options: JiraApiOptions) {
  const request = createJiraRequest(options);
  return {
    ...issueCalls(request),
    ...workflowCalls(request),
    ...accountCalls(request),
    ...webhookCalls(request),
  };
}

function issueCalls(request: Request) {
  return {
    search(jql: string, page: { token?: string; maxResults: number }, signal: AbortSignal) {
      const query = {
        jql,
        maxResults: page.maxResults,
        fields: ISSUE_FIELDS,
        ...(page.token === undefined ? {} : { nextPageToken: page.token }),
      };
      const send: Send = (client) =>
        new Version3.IssueSearch(client).searchForIssuesUsingJqlEnhancedSearch<unknown>(query);
      return request(shapes.searchShape, send, { signal });
    },
    issue(issueId: string, signal: AbortSignal, expand?: string) {
      const issueIdOrKey = numericId(issueId, "issue id");
      const query = { issueIdOrKey, fields: ISSUE_FIELDS, ...(expand === undefined ? {} : { expand }) };
      const send: Send = (client) => new Version3.Issues(client).getIssue<unknown>(query);
      return request(shapes.issueShape, send, { signal });
    },
    transitions(issueId: string, signal: AbortSignal, includeUnavailableTransitions = false) {
      const query = {
        issueIdOrKey: numericId(issueId, "issue id"),
        expand: "transitions.fields",
        ...(includeUnavailableTransitions ? { includeUnavailableTransitions } : {}),
      };
      const send: Send = (client) => new Version3.Issues(client).getTransitions<unknown>(query);
      return request(shapes.transitionsShape, send, { signal });
    },
    async transition(issueId: string, transitionId: string, input: TransitionInput, call: Call) {
      const issueIdOrKey = numericId(issueId, "issue id");
      const transition = { id: numericId(transitionId, "transition id") };
      // Built anew for each call, because the library writes into what it is given.
      const body = {
        issueIdOrKey,
        transition,
        ...(Object.keys(input.fields).length > 0 ? { fields: { ...input.fields } } : {}),
        ...(Object.keys(input.update).length > 0 ? { update: structuredClone(input.update) } : {}),
      } as Parameters<Version3.Issues["doTransition"]>[0];
      await request(anything, (client) => new Version3.Issues(client).doTransition<unknown>(body), {
        ...call,
        write: true,
      });
    },
    async comment(issueId: string, comment: AdfDocument, signal: AbortSignal) {
      const body = { issueIdOrKey: numericId(issueId, "issue id"), comment } as unknown as Parameters<
        Version3.IssueComments["addComment"]
      >[0];
      const send: Send = (client) => new Version3.IssueComments(client).addComment<unknown>(body);
      await request(anything, send, { signal, write: true });
    },
    changelog(issueId: string, signal: AbortSignal) {
      const query = { issueIdOrKey: numericId(issueId, "issue id"), maxResults: 100 };
      const send: Send = (client) => new Version3.Issues(client).getChangeLogs<unknown>(query);
      return request(shapes.changelogShape, send, { signal });
    },
  };
}

function workflowCalls(request: Request) {
  return {
    project(keyOrId: string, signal: AbortSignal) {
      const query = { projectIdOrKey: projectKeyOrId(keyOrId) };
      const send: Send = (client) => new Version3.Projects(client).getProject<unknown>(query);
      return request(shapes.projectShape, send, { signal });
    },
    /** Those that this login may browse, archived ones left out. */
    projects(startAt: number, signal: AbortSignal) {
      const query = { startAt, maxResults: 100, orderBy: "name" as const };
      const send: Send = (client) => new Version3.Projects(client).searchProjects<unknown>(query);
      return request(shapes.projectPageShape, send, { signal });
    },
    projectStatuses(projectId: string, signal: AbortSignal) {
      const query = { projectIdOrKey: numericId(projectId, "project id") };
      const send: Send = (client) => new Version3.Projects(client).getAllStatuses<unknown>(query);
      return request(shapes.projectStatusesShape, send, { signal });
    },
    previewWorkflows(projectId: string, issueTypeIds: string[], signal: AbortSignal) {
      const send: Send = (client) =>
        new Version3.Workflows(client).readWorkflowPreviews<unknown>({ projectId, issueTypeIds });
      return request(shapes.workflowsShape, send, { signal, unauthorizedIsFinal: true });
    },
    readWorkflows(projectId: string, issueTypeId: string, signal: AbortSignal) {
      const query = { projectAndIssueTypes: [{ projectId, issueTypeId }] };
      const send: Send = (client) => new Version3.Workflows(client).readWorkflows<unknown>(query);
      return request(shapes.workflowsShape, send, { signal, unauthorizedIsFinal: true });
    },
    boards(projectKeyOrId_: string, signal: AbortSignal) {
      const query = { projectKeyOrId: projectKeyOrId(projectKeyOrId_), maxResults: 50 };
      const send: Send = (client) => new Agile.Board(client).getAllBoards<unknown>(query);
      return request(shapes.boardsShape, send, { signal, unauthorizedIsFinal: true });
    },
    boardConfiguration(boardId: number, signal: AbortSignal) {
      const send: Send = (client) => new Agile.Board(client).getConfiguration<unknown>({ boardId });
      return request(shapes.boardConfigurationShape, send, { signal, unauthorizedIsFinal: true });
    },
  };
}

function accountCalls(request: Request) {
  return {
    myself(signal: AbortSignal) {
      const send: Send = (client) => new Version3.Myself(client).getCurrentUser<unknown>();
      return request(shapes.myselfShape, send, { signal });
    },
    myPermissions(projectKey: string, permissions: readonly string[], signal: AbortSignal) {
      const query = { projectKey: projectKeyOrId(projectKey), permissions: permissions.join(",") };
      const send: Send = (client) => new Version3.Permissions(client).getMyPermissions<unknown>(query);
      return request(shapes.permissionsShape, send, { signal });
    },
  };
}

const ADMIN_WEBHOOKS = "/rest/webhooks/1.0/webhook";

export interface AdminWebhook {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly filters: Readonly<Record<string, string>>;
  readonly excludeBody: boolean;
  readonly enabled: boolean;
  readonly secret: string;
}

function webhookCalls(request: Request) {
  return {
    /** The administrators' webhooks: the only kind an API token may register, and in no published contract. */
    adminWebhooks(signal: AbortSignal) {
      const send: Send = (client) => client.sendRequest<unknown>({ url: ADMIN_WEBHOOKS, method: "GET" });
      return request(z.array(shapes.adminWebhookShape), send, { signal });
    },
    saveAdminWebhook(webhook: AdminWebhook, id: string | undefined, signal: AbortSignal) {
      const url = id === undefined ? ADMIN_WEBHOOKS : `${ADMIN_WEBHOOKS}/${numericId(id, "webhook id")}`;
      const method = id === undefined ? "POST" : "PUT";
      const send: Send = (client) => client.sendRequest<unknown>({ url, method, data: webhook });
      return request(shapes.adminWebhookShape, send, { signal, write: true });
    },
    dynamicWebhooks(startAt: number, signal: AbortSignal) {
      const query = { startAt, maxResults: 100 };
      const send: Send = (client) => new Version3.Webhooks(client).getDynamicWebhooksForApp<unknown>(query);
      return request(shapes.dynamicWebhooksShape, send, { signal });
    },
    registerDynamicWebhook(url: string, events: readonly string[], jqlFilter: string, signal: AbortSignal) {
      const body = { url, webhooks: [{ events: [...events], jqlFilter }] };
      const send: Send = (client) => new Version3.Webhooks(client).registerDynamicWebhooks<unknown>(body);
      return request(shapes.registeredWebhooksShape, send, { signal, write: true });
    },
    refreshDynamicWebhook(id: number, signal: AbortSignal) {
      const send: Send = (client) =>
        new Version3.Webhooks(client).refreshWebhooks<unknown>({ webhookIds: [id] });
      return request(shapes.webhookExpiryShape, send, { signal, write: true });
    },
  };
}
