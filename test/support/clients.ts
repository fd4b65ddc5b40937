import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { DemoTenant } from "./demo.js";
import { checkSpoken } from "./speech.js";

/** What the tests ask of a client, alike in both eras. */
export interface TestClient {
  listTools(): Promise<string[]>;
  call(
    name: string,
    args?: Record<string, unknown>,
  ): Promise<{ isError: boolean; text: string; facts: Record<string, unknown> }>;
  readResource(uri: string): Promise<Record<string, unknown>>;
  listResources(): Promise<string[]>;
  close(): Promise<void>;
}

type Connect = (tenant: Pick<DemoTenant, "mcpUrl" | "token">) => Promise<TestClient>;

/** `@modelcontextprotocol/sdk` 1.x, which speaks 2025-11-25. */
const legacy: Connect = async ({ mcpUrl, token }) => {
  const client = new LegacyClient({ name: "walk", version: "1.0.0" });
  const transport = new LegacyTransport(new URL(mcpUrl), bearer(token));
  await client.connect(transport as Parameters<LegacyClient["connect"]>[0]);
  return wrap(client as unknown as AnyClient);
};

/** `@modelcontextprotocol/client` 2.x, pinned to 2026-07-28. */
const modern: Connect = async ({ mcpUrl, token }) => {
  const client = new ModernClient(
    { name: "walk", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(new ModernTransport(new URL(mcpUrl), bearer(token)));
  return wrap(client as unknown as AnyClient);
};

export const ERAS = [
  ["2025-11-25", legacy],
  ["2026-07-28", modern],
] as const;

function bearer(token: string) {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<{
    isError?: boolean;
    content: { type: string; text?: string }[];
    structuredContent?: Record<string, unknown>;
  }>;
  readResource(request: { uri: string }): Promise<{ contents: { text?: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  close(): Promise<void>;
}

function wrap(client: AnyClient): TestClient {
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const {
        isError = false,
        content,
        structuredContent,
      } = await client.callTool({ name, arguments: args });
      const text = content.map((part) => part.text ?? "").join(" ");
      checkSpoken({ ...structuredContent, spoken: text });
      return { isError, text, facts: structuredContent ?? {} };
    },
    async readResource(uri) {
      const { contents } = await client.readResource({ uri });
      return JSON.parse(contents[0]?.text ?? "") as Record<string, unknown>;
    },
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    close: () => client.close(),
  };
}
