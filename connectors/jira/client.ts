import type { Client, RequestConfig } from "jira.js";
import { type BoardReply, type SendOptions, send } from "../../src/board/send.js";
import { parseJson } from "../../src/parse.js";

/** What the client library sends its requests through: it knows Jira's endpoints, and how they are sent is ours. */

/** An answer that was no success. Of what was asked it keeps no more than the path: the rest holds people's words. */
export class JiraRefusal extends Error {
  readonly reply: BoardReply;

  constructor(asked: string, reply: BoardReply) {
    super(`${asked}: ${reply.status}`);
    this.reply = reply;
  }
}

/**
 * For one request: made anew with the credentials of now.
 * Its requests fail with `JiraRefusal`, or with the system's own error where there was no answer.
 */
export function createClient(baseUrl: string, authorization: string, options: SendOptions): Client {
  const base = baseUrl.replace(/\/+$/, "");

  async function sendRequest({ url = "", method = "GET", params, data }: RequestConfig): Promise<unknown> {
    const request = {
      method,
      url: `${base}${url}${queryOf(params ?? {})}`,
      headers: {
        accept: "application/json",
        authorization,
        "x-atlassian-token": "no-check",
        ...(data === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(data === undefined ? {} : { body: JSON.stringify(data) }),
    };
    const reply = await send(request, options);
    if (reply.status < 200 || reply.status >= 300) throw new JiraRefusal(`${method} ${url}`, reply);
    return parseJson(reply.body);
  }

  return { ...UNUSED, sendRequest } as Client;
}

/** Of the library's interface, what none of its endpoints that we call goes through. */
const UNUSED = {
  sendRequestFullResponse: unused,
  handleSuccessResponse: unused,
  handleFailedResponse: unused,
};

function unused(): never {
  throw new Error("No endpoint of ours is sent this way.");
}

/** As the library writes it: lists in one parameter, and nothing for what is not given. */
function queryOf(params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null) continue;
    query.append(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}
