/**
 * The doors through which values come in from outside, and behind each of them its parsers: the file, and what it reads
 * by (a schema's name, `JSON`, `YAML`, or a function called `parse...` or `decode...`). `parsers.test.ts` holds this against
 * the sources: a new parser needs a door.
 */
const DOOR = {
  "JSON bodies": { "src/mcp/body.ts": ["JSON"] },
  "bodies and queries of the admin API": {
    "src/http/problems.ts": ["schema", "parseBody"],
    "src/http/admin-audit.ts": ["pageQuery"],
    "src/http/admin-connections.ts": ["keptConnection"],
    "src/http/admin-session.ts": ["signInBody"],
    "src/http/admin-settings.ts": ["mcpBody", "speechBody", "budgetsSetting"],
    "src/http/admin-talk.ts": ["sentenceBody", "againBody", "undoAgainBody"],
    "src/http/admin-tickets.ts": ["ticketsQuery", "pageQuery", "moveBody"],
    "src/http/admin-workflows.ts": ["shownAs"],
    "src/http/admin.ts": ["newTenant", "newToken", "replayBody"],
    "src/http/members.ts": ["newMember"],
    "src/sync/connections.ts": ["newConnection"],
    "src/sync/previews.ts": ["keptConnection", "triedConnection", "sharedSettings"],
  },
  "envelopes and headers of MCP": { "src/mcp/wire.ts": ["listenShape"] },
  "arguments of tools": {
    "src/mcp/call.ts": ["entry.args"],
    "src/bridge/arguments.ts": ["schema", "parseArguments"],
    "src/tickets/wrong-arguments.ts": ["carried"],
  },
  "resource URIs": {},
  "OAuth documents": {
    "src/board/oauth.ts": ["tokensShape", "JSON", "z.looseObject(oauthFields)"],
    "src/http/oauth-documents.ts": ["clientDocument", "JSON"],
  },
  "deliveries of boards": {
    "connectors/github/webhook.ts": ["itemEvent", "projectEvent", "JSON"],
    "connectors/jira/jwt.ts": ["headerShape", "claimsShape", "JSON"],
    "connectors/jira/webhook.ts": ["deliveryShape", "JSON"],
    "connectors/linear/webhook.ts": ["deliveryShape", "JSON"],
    "connectors/trello/webhook.ts": ["deliveryShape", "JSON"],
  },
  "replies of Jira": {
    "connectors/jira/answers.ts": ["refusalShape", "JSON"],
    "connectors/jira/api.ts": ["schema"],
    "connectors/jira/client.ts": ["JSON"],
    "connectors/jira/map.ts": ["allowedValueShape"],
  },
  "replies of Linear": {
    "connectors/linear/answers.ts": ["faultShape.array()"],
    "connectors/linear/api.ts": ["document.data", "replyShape", "JSON"],
  },
  "replies of GitHub": {
    "connectors/github/api.ts": ["schema"],
    "connectors/github/graphql.ts": ["envelope", "document.data"],
  },
  "replies of Trello": {
    "connectors/trello/answers.ts": ["errorBody", "JSON"],
    "connectors/trello/api.ts": ["call.reply", "JSON"],
  },
  "settings, credentials and addresses of boards": {
    "src/board/http.ts": ["parseRetryAfter"],
    "src/sync/open-board.ts": [
      ...["schema", "parsePart", "kind.settings", "kind.credentials", "kind.choices.settings"],
      ...["sharedSettings", "sharedCredentials"],
    ],
  },
  "records in Redis": {
    "src/app-metrics-state.ts": ["board"],
    "src/http/auth.ts": ["tokenRecord", "keptToken", "JSON"],
    "src/http/members.ts": ["member", "pairing"],
    "src/http/oauth-adapter.ts": ["z.looseObject({})", "keptClient"],
    "src/http/oauth.ts": ["keptToken"],
    "src/http/page-sessions.ts": ["kept"],
    "src/mcp/catalogues.ts": ["keptNames"],
    "src/mcp/tool-names.ts": ["ids", "JSON"],
    "src/store/codec.ts": [
      ...["actorRecord", "historyEvent", "auditEvent", "tenantInfo"],
      ...["decodeActor", "decodeDocument", "decodeHistory", "decodeAudit", "decodeTenant"],
    ],
    "src/store/format.ts": ["JSON", "decodeContent"],
    "src/store/records.ts": ["schema", "parseRecord"],
    "src/store/redis/keys.ts": ["decodeTenantId"],
    "src/sync/changes.ts": ["changesRecord"],
    "src/sync/connections.ts": ["connectionRecord"],
    "src/sync/credentials.ts": ["credentialsShape", "JSON"],
    "src/tickets/confirm.ts": ["askedSchema"],
    "src/tickets/heard.ts": ["heardSchema"],
    "src/tickets/settings.ts": ["schema"],
    "src/tickets/workflow.ts": ["workflowRecord"],
  },
  "sealed secrets": {},
  "messages between processes": {
    "src/hooks/bullmq-replies.ts": ["messageShape", "JSON"],
    "src/hooks/bullmq-worker.ts": ["payloadSchema"],
    "src/hooks/hooks.ts": ["schema"],
    "src/hooks/run-job.ts": ["replySchema", "JSON", "dataShape", "parseReply"],
    "src/mcp/shared-sessions.ts": ["message", "factsShape", "JSON"],
    "src/sync/news.ts": ["ticketNews", "workflowNews", "connectionNews", "JSON"],
    "src/tickets/look.ts": ["observeJob"],
    "src/tickets/moves.ts": ["moveReply"],
    "src/tickets/perform-hook.ts": ["hookJob"],
    "src/tickets/perform.ts": ["moveJob"],
  },
  "settings of the service": {
    "src/config.ts": ["redisAddress", "settings", "YAML", "parseConfig"],
    "src/redis/address.ts": ["redisAddress", "query", "parseRedisUrl"],
  },
  "status graphs": {
    "src/bridge/logic.ts": ["JSON"],
    "src/bridge/state-store.ts": ["parseStateSnapshot"],
    "src/bridge/xstate.ts": ["JSON"],
  },
  "what is said": {},
  "answers to the command line": {
    "src/cli/boards.ts": ["connection", "preview", "synced"],
    "src/cli/connections.ts": ["connections"],
    "src/cli/member.ts": ["members", "pairing"],
    "src/cli/replay.ts": ["replayReply", "connections"],
    "src/cli/service.ts": ["problem", "schema"],
    "src/cli/settings.ts": ["settings"],
    "src/cli/tenant.ts": ["tenants", "token"],
    "src/cli/tools.ts": ["shown", "workflows", "z.object({changes:z.array(change)})"],
    "src/cli/workflow.ts": ["changes", "z.object({workflows:z.array(workflow)})"],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export type Door = keyof typeof DOOR;
export const DOORS: Readonly<Record<Door, Readonly<Record<string, readonly string[]>>>> = DOOR;

/** What is read of ourselves, or by a parser that is fuzzed elsewhere, and why that is enough. */
export const TRUSTED: Readonly<Record<string, readonly [why: string, ...parsers: string[]]>> = {
  "src/app-inspect.ts": [
    "the schema of all connections, which is fuzzed where they are opened",
    "connectionRecord",
  ],
  "src/cli/alexa-manifest.ts": ["made of settings that were parsed, and held to Amazon's limits", "manifest"],
  "src/cli/boards.ts": ["a file of the operator's own; what is in it the service parses", "JSON"],
  "src/cli/tools.ts": [
    "a file that the command has printed; whatever is wrong with it is one sentence",
    "JSON",
  ],
  "src/hooks/bullmq.ts": ["its value goes to parseReply, which is fuzzed", "JSON"],
  "src/http/admin-connections.ts": [
    "by jobResult, as the replies to moves are, which are fuzzed",
    "syncReply",
  ],
  "src/http/admin-tickets.ts": ["what is not an answer of ours counts as none", "keptAnswer"],
  "src/log.ts": ["a line that the log itself has made", "JSON"],
  "src/redis-server.ts": [
    "a file of ours; whatever is wrong with it means that nobody runs there",
    "JSON",
    "runningFile",
  ],
  "src/store/memory.ts": ["what this process has written", "JSON"],
  "src/sync/connections.ts": ["whatever is no workflow of the connection's is passed over", "owned"],
  "src/sync/handlers.ts": ["by jobData, as the data of the other jobs, which are fuzzed", "syncJob"],
  "src/sync/import.ts": ["by parseRecord, as all records, of a record that was parsed", "sharedSettings"],
  "src/sync/pull-workflows.ts": [
    "by parseRecord, as all records; the same schemas are fuzzed where they are read",
    ...["sharedSettings", "workflowRecord", "changeRecord.array()"],
  ],
  "src/tickets/endings.ts": ["a word of a parsed record", "moveOutcome"],
  "src/tickets/moves.ts": ["by jobResult, as the reply to the move itself", "hookReply"],
  "src/version.ts": [
    "this package's own manifest",
    'z.object({name:z.literal("boardwalk"),version:z.string()})',
  ],
};
