/** One HTTP request to an MCP endpoint, as `curl` would send it; without a body for GET and DELETE. */
export function ask(
  url: string,
  token: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = "POST",
): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
