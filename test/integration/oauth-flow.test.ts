import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";
import { signIn } from "../support/oauth-browser.js";

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
});
afterAll(() => demo.close());

async function pairingCode(name: string, tenant = "acme"): Promise<string> {
  const response = await fetch(`${demo.line.url}/api/v1/tenants/${tenant}/members`, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { code: string }).code;
}

const REDIRECT = "http://localhost:9000/callback";

/** A client's own memory, as Claude Desktop or an editor has one. */
class Wallet implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "An editor",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  asked: URL | undefined;
  kept: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = "";

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  tokens() {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

async function connect(url: string, wallet: Wallet): Promise<Client> {
  const client = new Client({ name: "editor", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: wallet });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

describe("the official client", () => {
  it.each(["/mcp", "/t/acme/mcp", "/alexa/mcp"])(
    "goes from 401 at %s to a moved ticket by itself",
    async (path) => {
      const url = `${demo.line.url}${path}`;
      const wallet = new Wallet();
      await expect(connect(url, wallet)).rejects.toThrow(UnauthorizedError);
      expect(wallet.asked?.searchParams.get("resource")).toBe(url);
      const answer = await signIn(wallet.asked?.href ?? "", await pairingCode("ann"));
      expect(answer.get("iss")).toBe(demo.line.url);

      const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: wallet });
      await transport.finishAuth(answer.get("code") ?? "");
      expect(wallet.kept).toMatchObject({ token_type: "Bearer", expires_in: 3600 });
      expect(wallet.kept?.refresh_token).toBeTypeOf("string");

      const client = await connect(url, wallet);
      const { tools } = await client.listTools();
      const move = tools.find(({ name }) => name === "move_ticket" || name.endsWith("_move_to_in_review"));
      const to = move?.name === "move_ticket" ? { to: "In Review" } : {};
      const moved = await client.callTool({
        name: move?.name ?? "",
        arguments: { ticket: TICKETS[path], ...to },
      });
      expect(moved.structuredContent).toMatchObject({ ticket: { status: { name: "In Review" } } });
      await client.close();

      const [last] = (await demo.app.store.tenant("acme").auditPage({ limit: 1 })).items;
      expect(last).toMatchObject({
        action: "move",
        by: { person: "ann", client: "An editor" },
        outcome: "confirmed",
      });
    },
  );
});

const TICKETS: Readonly<Record<string, string>> = {
  "/mcp": "ENG-1",
  "/t/acme/mcp": "ENG-3",
  "/alexa/mcp": "ENG-5",
};
