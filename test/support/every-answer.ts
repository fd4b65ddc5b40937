import { afterEach } from "vitest";
import { faultsOf, type SpokenAnswer } from "./speech.js";

/**
 * Set up before every suite: each reply that a test fetches, whatever it tests, is looked through for sentences that a
 * person would hear, and each of them is held to the rules of speech. A fault fails the test that heard it.
 */

const heard = new Set<Promise<void>>();
let faults: string[] = [];
/** A body that does not end is no answer. */
const PATIENCE_MS = 2_000;

const fetchFor = globalThis.fetch;
globalThis.fetch = async (...request) => {
  const response = await fetchFor(...request);
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || response.url.startsWith("https:")) return response;
  if (type.includes("json")) {
    const read = response
      .clone()
      .text()
      .then(hear, () => undefined)
      .finally(() => heard.delete(read));
    heard.add(read);
  }
  return type.startsWith("text/event-stream") ? overheard(response, response.body) : response;
};

afterEach(async () => {
  await Promise.race([Promise.all(heard), patience()]);
  const found = faults;
  faults = [];
  if (found.length > 0) throw new Error(`Not to be said: ${found.join("\n")}`);
});

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS).unref();
  });
}

/** The same response; a stream that its reader cancels is cancelled at its source, which `clone` would not do. */
function overheard(response: Response, body: ReadableStream<Uint8Array>): Response {
  const decoder = new TextDecoder();
  let rest = "";
  const ear = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data:")) hear(line.slice("data:".length));
    },
  });
  const { status, statusText, headers, url } = response;
  const copy = new Response(body.pipeThrough(ear), { status, statusText, headers });
  return Object.defineProperty(copy, "url", { value: url });
}

function hear(text: string): void {
  if (!text.includes('"spoken"')) return;
  for (const answer of answersIn(parsed(text))) {
    const wrong = faultsOf(answer);
    if (wrong.length > 0) faults.push(`"${answer.spoken}" ${wrong.join(", and ")}.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answersIn(value: unknown): SpokenAnswer[] {
  if (typeof value !== "object" || value === null) return [];
  if ("spoken" in value && typeof value.spoken === "string") return [value as SpokenAnswer];
  return Object.values(value).flatMap(answersIn);
}
