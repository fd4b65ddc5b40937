import type { Violation } from "./validate.js";

/**
 * Where a board's published description and the board differ. Each names where that is known from and why we follow
 * the board. The tests fail for a difference that is not here, and for one here that no longer shows.
 */
export interface Exception {
  readonly operation: RegExp;
  readonly part: Violation["part"];
  readonly message: RegExp;
  readonly source: string;
  readonly reason: string;
}

export const jiraExceptions: readonly Exception[] = [
  {
    operation: / \/rest\/webhooks\/1\.0\/webhook/,
    part: "path",
    message: /is not described/,
    source: "https://developer.atlassian.com/cloud/jira/platform/webhooks/",
    reason:
      "The administrators' webhooks, the only kind an API token may register, are in no published description.",
  },
  {
    operation: /^GET \/rest\/api\/3\/search$/,
    part: "path",
    message: /is not described/,
    source: "https://developer.atlassian.com/changelog/#CHANGE-2046",
    reason: "Removed from the description and from Jira, which answers 410: so does the emulator.",
  },
  {
    operation: /^POST \/rest\/api\/3\/workflows\/update$/,
    part: "path",
    message: /is not described/,
    source: "https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-workflows/",
    reason: "Left out of our trimmed copy: the connector never changes a workflow, people do.",
  },
  {
    operation: /^POST \/oauth\/token$/,
    part: "path",
    message: /is not described/,
    source: "https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/",
    reason: "Tokens come from auth.atlassian.com, which is another service; the emulator plays both.",
  },
  {
    operation: /^POST \/rest\/api\/3\/workflows/,
    part: "status",
    message: /^40[34] is not described$/,
    source: "https://github.com/tenable/integration-jira-cloud/issues/129",
    reason:
      "The workflow endpoints are described to answer 401 to accounts that may not; sites have answered 403.",
  },
  {
    operation: /./,
    part: "status",
    message: /^429 is not described$/,
    source: "https://developer.atlassian.com/cloud/jira/platform/rate-limiting/",
    reason: "Any endpoint may answer 429; the description lists it for none.",
  },
];

const TRELLO_GUIDES = "https://developer.atlassian.com/cloud/trello/guides/rest-api";

export const trelloExceptions: readonly Exception[] = [
  {
    operation: /^GET \/boards\/[0-9a-f]+\/actions$/,
    part: "path",
    message: /is not described/,
    source: `${TRELLO_GUIDES}/nested-resources/`,
    reason:
      "The description leaves board actions out; the guides have them, and what left a board only they tell.",
  },
  {
    operation: /^GET \/(?:boards\/\{id\}|lists\/\{id\})\/cards/,
    part: "query",
    message: /^(?:fields|filter|limit|before|since) is not described$/,
    source: `${TRELLO_GUIDES}/nested-resources/`,
    reason: "Cards as a nested resource take these; the description lists no parameter for them at all.",
  },
  {
    operation: /^GET \/members\/\{id\}$/,
    part: "query",
    message: /^(?:key|token) is not described$/,
    source: `${TRELLO_GUIDES}/authorization/`,
    reason:
      "Credentials may stand in the address; the emulator takes them there as Trello does. The connector never does.",
  },
  {
    operation: /./,
    part: "status",
    message: /^4(?:00|01|04) is not described$/,
    source: `${TRELLO_GUIDES}/status-codes/`,
    reason: "Any endpoint may refuse; the description says so for boards only.",
  },
  {
    operation: /./,
    part: "status",
    message: /^429 is not described$/,
    source: `${TRELLO_GUIDES}/rate-limits/`,
    reason: "Any endpoint may answer 429; the description lists it for none.",
  },
  {
    operation: /^GET \/boards\/\{id\}$/,
    part: "response",
    message: /^must have required property 'code'$/,
    source: `${TRELLO_GUIDES}/rate-limits/`,
    reason: "Over the limit Trello answers `error` and `message`, not the described `code`.",
  },
  {
    operation: /^GET \/boards\/\{id\}$/,
    part: "response",
    message: /^is text\/plain; charset=utf-8, not JSON$/,
    source: "https://github.com/GothenburgBitFactory/bugwarrior/issues/639",
    reason: "Refusals are described as JSON, and Trello sends them as bare text.",
  },
  {
    operation: /^GET \/boards\/\{id\}\/memberships$/,
    part: "response",
    message: /^must be object$/,
    source: "https://github.com/rwjdk/TrelloDotNet/wiki/GetMembershipsOfBoardAsync",
    reason: "Described as one membership; Trello answers the list of them.",
  },
  {
    operation: /\/webhooks/,
    part: "response",
    message: /callbackURL must match format "url"$/,
    source: "https://ajv.js.org/packages/ajv-formats.html",
    reason: "The checker's `url` leaves out addresses of the own machine, where the tests listen.",
  },
  {
    operation: /^POST \/webhooks\/$/,
    part: "query",
    message: /^callbackURL must match format "url"$/,
    source: "https://ajv.js.org/packages/ajv-formats.html",
    reason: "As above, in what is sent.",
  },
];

export function isExcepted(violation: Violation, exceptions: readonly Exception[]): Exception | undefined {
  return exceptions.find(
    ({ operation, part, message }) =>
      part === violation.part && operation.test(violation.operation) && message.test(violation.message),
  );
}
