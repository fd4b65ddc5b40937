import { z } from "zod";
import { moveShape } from "../../src/tickets/shapes.js";
import type { ChaosBoards } from "./boards.js";
import { THERE } from "./boards.js";
import type { Fleet } from "./fleet.js";

/** The admin API of a fleet whose processes come and go: each call goes to whichever is asked. */

export interface ChaosTicket {
  readonly id: string;
  readonly key: string | undefined;
  readonly title: string;
  readonly board: string;
}

export type Reply =
  | { readonly kind: "answered"; readonly move: z.infer<typeof moveShape> }
  /** Said to be our fault or a passing one: to be asked again. */
  | { readonly kind: "refused"; readonly status: number; readonly code: string }
  /** Nobody answered, or half. */
  | { readonly kind: "silence" };

export const TENANT = "acme";
const GIVE_UP_MS = 15_000;

const ticketList = z.object({
  tickets: z.array(z.object({ id: z.string(), key: z.string().optional(), title: z.string() })),
  next: z.string().optional(),
});
const ticketPage = z.object({ hooks: z.array(z.object({ state: z.string() })).default([]) });
const problem = z.object({ code: z.string() });

export function createApi({ urls, adminToken }: Pick<Fleet, "urls" | "adminToken">) {
  async function call(base: string, method: string, path: string, body?: object, key?: string) {
    const response = await fetch(`${base}/api/v1/tenants${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(path.includes("/sync") ? 120_000 : GIVE_UP_MS),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  }

  async function must(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await call(urls[0] ?? "", method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  return {
    /** Connects every board, each with the hook that opens draft pull requests. */
    async connect({ boards, vcs, repo }: ChaosBoards): Promise<void> {
      await must("POST", "", { id: TENANT, name: "Acme" });
      for (const { id, settings, credentials } of boards) {
        await must("POST", `/${TENANT}/connections`, {
          id,
          provider: id,
          settings: {
            ...settings,
            vcs: { provider: "github", repo, apiUrl: vcs.url },
            hooks: [{ on: "enter", status: THERE, run: "draft-pull-request" }],
          },
          credentials: { ...credentials, vcs: { token: vcs.token } },
        });
        await must("POST", `/${TENANT}/connections/${id}/sync?wait=true`, {});
      }
    },
    async token(): Promise<string> {
      const made = await must("POST", `/${TENANT}/tokens`, { name: "Ann" });
      return z.object({ token: z.string() }).parse(made).token;
    },
    async tickets({ boards }: ChaosBoards): Promise<readonly ChaosTicket[]> {
      const all: ChaosTicket[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
        const page = ticketList.parse(await must("GET", `/${TENANT}/tickets${query}`));
        for (const { id, key, title } of page.tickets) {
          const board = boards.find(({ titles }) => titles.includes(title))?.id;
          if (board !== undefined) all.push({ id, key, title, board });
        }
        cursor = page.next;
      }
      return all;
    },
    /** Whether nothing is owed to the ticket any more; `undefined` when nobody answered. */
    async allDone(url: string, { id }: ChaosTicket): Promise<boolean | undefined> {
      try {
        const { status, body } = await call(url, "GET", `/${TENANT}/tickets/${id}`);
        if (status !== 200) return undefined;
        return ticketPage.parse(body).hooks.every(({ state }) => state === "done");
      } catch {
        return undefined;
      }
    },
    /** Asks for a move; the same `key` is the same wish. */
    async move(url: string, ticket: ChaosTicket, to: string, key: string): Promise<Reply> {
      try {
        const path = `/${TENANT}/tickets/${ticket.id}/moves`;
        const { status, body } = await call(url, "POST", path, { to }, key);
        const move = moveShape.safeParse(body);
        if (move.success) return { kind: "answered", move: move.data };
        return { kind: "refused", status, code: problem.parse(body).code };
      } catch {
        return { kind: "silence" };
      }
    },
  };
}

export type Api = ReturnType<typeof createApi>;
