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

export function isExcepted(violation: Violation, exceptions: readonly Exception[]): Exception | undefined {
  return exceptions.find(
    ({ operation, part, message }) =>
      part === violation.part && operation.test(violation.operation) && message.test(violation.message),
  );
}
