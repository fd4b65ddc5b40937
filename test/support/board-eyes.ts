import { z } from "zod";
import type { DemoTenant } from "./demo.js";

/** The demo's boards as anyone can look at them: by each board's own API, with the header value that the line gives. */

type Connection = DemoTenant["connections"][number];

export interface BoardEyes {
  /** Every ticket's status by its title, by names as the board has them. */
  statuses(): Promise<ReadonlyMap<string, string>>;
  /** How many moves the board has been asked to make. */
  writes(): Promise<number>;
}

interface Looks {
  readonly read: (connection: Connection, tenant: string) => Promise<readonly (readonly [string, string])[]>;
  readonly isMove: (request: z.infer<typeof journal>[number]) => boolean;
}

const text = z.string();
const journal = z.array(z.object({ method: text, path: text, operation: text.optional() }));

export function eyesOn(tenant: DemoTenant, id: string): BoardEyes {
  const connection = tenant.connections.find((each) => each.id === id);
  if (connection === undefined) throw new Error(`the demo's ${tenant.id} has no connection ${id}`);
  const looks = LOOKS[connection.provider];
  if (looks === undefined) throw new Error(`nobody knows how to look at ${connection.provider}`);
  return {
    statuses: async () => new Map(await looks.read(connection, tenant.id)),
    async writes() {
      const entries = journal.parse(await get(connection, "/__emulator/journal"));
      return entries.filter(looks.isMove).length;
    },
  };
}

const LOOKS: Readonly<Record<string, Looks>> = {
  jira: {
    async read(connection) {
      const shape = z.object({
        issues: z.array(z.object({ fields: z.object({ summary: text, status: z.object({ name: text }) }) })),
      });
      const path = "/rest/api/3/search/jql?jql=project%3DENG&fields=summary,status&maxResults=100";
      const { issues } = shape.parse(await get(connection, path));
      return issues.map(({ fields }) => [fields.summary, fields.status.name]);
    },
    isMove: ({ method, path }) => method === "POST" && path.endsWith("/transitions"),
  },
  linear: {
    async read(connection) {
      const shape = z.object({
        issues: z.object({ nodes: z.array(z.object({ title: text, state: z.object({ name: text }) })) }),
      });
      const query = "query Look { issues(first: 100) { nodes { title state { name } } } }";
      const { issues } = shape.parse(await graphql(connection, query));
      return issues.nodes.map(({ title, state }) => [title, state.name]);
    },
    isMove: ({ operation }) => operation === "IssueMove",
  },
  github: {
    async read(connection, owner) {
      const item = z.object({
        content: z.object({ title: text }),
        fieldValueByName: z.object({ name: text }),
      });
      const shape = z.object({
        organization: z.object({ projectV2: z.object({ items: z.object({ nodes: z.array(item) }) }) }),
      });
      const query = `query Look { organization(login: "${owner}") { projectV2(number: 1) { items(first: 100) { nodes {
        content { ... on Issue { title } ... on DraftIssue { title } }
        fieldValueByName(name: "Status") { ... on ProjectV2ItemFieldSingleSelectValue { name } }
      } } } } }`;
      const { organization } = shape.parse(await graphql(connection, query));
      return organization.projectV2.items.nodes.map(({ content, fieldValueByName }) => [
        content.title,
        fieldValueByName.name,
      ]);
    },
    isMove: ({ operation }) => operation === "BoardwalkMoveItem",
  },
  trello: {
    async read(connection) {
      const named = z.array(z.object({ id: text, name: text }));
      const lists = named.parse(await get(connection, "/1/boards/bwDemo01/lists?fields=name"));
      const cards = z.array(z.object({ name: text, idList: text }));
      const read = cards.parse(await get(connection, "/1/boards/bwDemo01/cards?fields=name,idList"));
      return read.map(({ name, idList }) => [name, lists.find(({ id }) => id === idList)?.name ?? idList]);
    },
    isMove: ({ method, path }) => method === "PUT" && path.startsWith("/1/cards/"),
  },
};

async function get({ boardUrl, authorization }: Connection, path: string): Promise<unknown> {
  const response = await fetch(`${boardUrl}${path}`, { headers: { authorization } });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
  return await response.json();
}

async function graphql({ boardUrl, authorization }: Connection, query: string): Promise<unknown> {
  const response = await fetch(`${boardUrl}/graphql`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const answer = z.object({ data: z.unknown(), errors: z.array(z.unknown()).optional() });
  const { data, errors = [] } = answer.parse(await response.json());
  if (errors.length > 0) throw new Error(`query: ${JSON.stringify(errors)}`);
  return data;
}
