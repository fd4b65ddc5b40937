import type { CrashReport, DemoState, Problem } from "./shapes.js";

/** The service, asked with the admin token or with that of a signed-in person. */

export interface Api {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  remove(path: string): Promise<void>;
  /** The demo's own routes, which the admin API does not have. */
  readonly demo: { look(): Promise<DemoState>; crash(): Promise<CrashReport> };
  /** The bytes of a file that is made for saving. */
  file(path: string): Promise<Blob>;
  /** Calls `onNews` with what of this tenant has changed, and with `ready` whenever news may have been missed; ends with the signal. */
  follow(tenant: string, onNews: (news: News) => void, signal: AbortSignal): void;
}

export type News = "ready" | "tickets" | "workflows" | "connections";

/** What the service refused, in its own words. */
export class Refusal extends Error {
  readonly status: number;
  readonly problems: readonly Problem[];
  /** When to come back, where the service has said so. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, problems: readonly Problem[] = [], retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.problems = problems;
    this.retryAfterMs = retryAfterMs;
  }
}

const RETRY_MS = 2_000;
/** Beside the admin API, not in it. */
const DEMO = "/demo";

/** A person's pairing code for a token that her tab may keep. @throws Refusal */
export async function redeem(code: string): Promise<string> {
  const response = await fetch("/api/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => {
    throw new Refusal(0, SILENT);
  });
  if (!response.ok) throw await refusalOf(response);
  return ((await response.json()) as { token: string }).token;
}

const SILENT = "The service does not answer. Is it running?";

/** `onUnauthorized` is called when the token is not, or no longer, good. */
export function createApi(token: string, onUnauthorized: () => void): Api {
  async function ask(method: string, path: string, options: RequestInit = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
    };
    const response = await fetch(path.startsWith(DEMO) ? path : `/api/v1${path}`, {
      ...options,
      method,
      headers,
    }).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new Refusal(0, SILENT);
    });
    if (response.status === 401) onUnauthorized();
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  async function read<T>(method: string, path: string, options: RequestInit): Promise<T> {
    return (await (await ask(method, path, options)).json()) as T;
  }

  async function listen(tenant: string, onNews: (news: News) => void, signal: AbortSignal): Promise<void> {
    const response = await ask("GET", `/tenants/${segment(tenant)}/live`, { signal });
    if (response.body === null) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const kind = /^event: (\w+)/.exec(block)?.[1];
        if (kind !== undefined) onNews(kind as News);
      }
    }
  }

  return {
    get: (path, signal) => read("GET", path, signal === undefined ? {} : { signal }),
    post: (path, body) => read("POST", path, body === undefined ? {} : { body: JSON.stringify(body) }),
    demo: {
      look: () => read("GET", DEMO, {}),
      crash: () => read("POST", `${DEMO}/crash`, { body: "{}" }),
    },
    remove: async (path) => void (await ask("DELETE", path)),
    file: async (path) => await (await ask("GET", path)).blob(),
    follow(tenant, onNews, signal) {
      const again = (refusal: unknown) => {
        if (signal.aborted) return;
        const waitMs = refusal instanceof Refusal ? refusal.retryAfterMs : undefined;
        setTimeout(() => void listen(tenant, onNews, signal).then(again, again), waitMs ?? RETRY_MS);
      };
      void listen(tenant, onNews, signal).then(again, again);
    },
  };
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as {
    detail?: string;
    data?: { problems?: Problem[] };
  };
  const detail = body.detail ?? `The service answered ${response.status}.`;
  const seconds = Number(response.headers.get("retry-after") ?? "");
  const retryAfterMs = seconds > 0 ? seconds * 1_000 : undefined;
  return new Refusal(response.status, detail, body.data?.problems, retryAfterMs);
}

/** One part of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}
