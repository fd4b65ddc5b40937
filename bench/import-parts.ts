/**
 * The measured process of (d): importing a board through the service, and fetching the same pages plainly. Speaks JSON
 * lines: a question is `{side: "ours", board}` or `{side: "theirs", pages}`, an answer the milliseconds it took.
 */
import { createInterface } from "node:readline";
import { createApp } from "../src/app.js";
import { parseConfig } from "../src/config.js";
import { syncJobFor } from "../src/tickets/jobs.js";
import type { ImportBoard, PageRequest } from "./import-board.js";

type Question =
  | { readonly side: "ours"; readonly board: ImportBoard; readonly tickets: number }
  | { readonly side: "theirs"; readonly pages: readonly PageRequest[] };

const [redisUrl = ""] = process.argv.slice(2);
const app = await createApp(
  parseConfig({
    REDIS_URL: redisUrl,
    BOARDWALK_ROLE: "worker",
    LOG_LEVEL: "error",
    BOARDWALK_ENCRYPTION_KEYS: `bench:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_TICKET_POLL_MS: "3600000",
  }),
);
let made = 0;

/** The first import of a new tenant, from asking for it to its answer: every ticket is kept then. */
async function importBoard(board: ImportBoard, tickets: number): Promise<number> {
  const id = `bench-${Date.now()}-${made++}`;
  await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  await app.connections.add(app.store.tenant(id), { id: "board", ...board });
  const startedAt = performance.now();
  const reply = await app.hooks.ask(syncJobFor(id, "board", "bench"), 120_000);
  const tookMs = performance.now() - startedAt;
  const read = reply?.ok ? (reply.result as { tickets: number }).tickets : JSON.stringify(reply);
  if (read !== tickets) throw new Error(`imported ${read} of ${tickets} tickets`);
  return tookMs;
}

async function fetchPages(pages: readonly PageRequest[]): Promise<number> {
  const startedAt = performance.now();
  for (const { url, ...request } of pages) {
    const response = await fetch(url, request);
    if (!response.ok) throw new Error(`${request.method} ${url}: ${response.status}`);
    await response.json();
  }
  return performance.now() - startedAt;
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line) as Question;
  const tookMs = await (question.side === "ours"
    ? importBoard(question.board, question.tickets)
    : fetchPages(question.pages));
  process.stdout.write(`${JSON.stringify(tookMs)}\n`);
}
await app.close();
