import { AsyncLocalStorage } from "node:async_hooks";
import http from "node:http";
import type { Store } from "../../src/store/store.js";

/**
 * What a simulated process does to the world, step by step, and where it ends. All that comes in from outside and all
 * that goes out is a step, so that a move recorded undisturbed lists every place where a process can end in it.
 */

export interface End {
  /** The name of the last step that is done; `undefined`: none is. */
  readonly after: string | undefined;
  /** `killed`: nothing of it goes out any more. `stopped`: nothing until it is woken. */
  readonly how: "killed" | "stopped";
}

export interface Fate {
  /** What was done so far, in order. A name that comes again is told apart by a number. */
  readonly steps: readonly string[];
  /** Resolves when it has come to its end. */
  readonly met: Promise<void>;
  /** Does it, unless this process has ended; its outcome is not heard by one that ends with it. */
  step<T>(name: string, effect: () => Promise<T>): Promise<T>;
  /** Resolves while the process runs: never for one that was killed. */
  goesOn(): Promise<void>;
  /** Lets one that was stopped go on, for good. */
  wake(): void;
}

export function createFate(end?: End): Fate {
  const steps: string[] = [];
  const times = new Map<string, number>();
  const waking = signal();
  const meeting = signal();
  const never = new Promise<never>(() => {});
  let ended = end !== undefined && end.after === undefined;
  if (ended) meeting.give();
  const goesOn = async () => {
    if (ended) await (end?.how === "stopped" ? waking.given : never);
  };
  return {
    steps,
    met: meeting.given,
    goesOn,
    wake: waking.give,
    async step(name, effect) {
      await goesOn();
      const [outcome] = await Promise.allSettled([effect()]);
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      steps.push(time === 1 ? name : `${name} (${time})`);
      if (steps.at(-1) === end?.after) {
        ended = true;
        meeting.give();
      }
      await goesOn();
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    },
  };
}

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

const acting = new AsyncLocalStorage<Fate>();

/** Runs `work` as this process: its requests are its steps. */
export function actAs<T>(fate: Fate, work: () => T): T {
  return acting.run(fate, work);
}

/** Makes every request of a process that acts a step of it. @returns what undoes it. */
export function watchRequests(): () => void {
  const { fetch } = globalThis;
  const { request } = http;
  globalThis.fetch = async (input, init) => {
    const fate = acting.getStore();
    if (fate === undefined) return await fetch(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    const name = requestStep(init?.method ?? "GET", url.pathname, init?.body);
    return await fate.step(name, () => fetch(input, init));
  };
  // That a dead process sends nothing is seen to by `checkUrl`, before each request.
  http.request = ((options: http.RequestOptions) => {
    const fate = acting.getStore();
    return fate === undefined ? request(options) : stepped(fate, options, request(options));
  }) as typeof http.request;
  return () => {
    globalThis.fetch = fetch;
    http.request = request;
  };
}

/** The request, its answer heard once it is a step that was done. */
function stepped(fate: Fate, options: http.RequestOptions, sent: http.ClientRequest): http.ClientRequest {
  const { end, emit } = sent;
  let body: unknown;
  sent.end = ((...given: unknown[]) => {
    body = given[0];
    return Reflect.apply(end, sent, given);
  }) as typeof end;
  sent.emit = ((event: string, ...given: unknown[]) => {
    if (event !== "response") return Reflect.apply(emit, sent, [event, ...given]);
    const name = requestStep(options.method ?? "GET", options.path ?? "", body);
    void fate.step(name, async () => {}).then(() => Reflect.apply(emit, sent, [event, ...given]));
    return true;
  }) as typeof emit;
  return sent;
}

/** Alike for every ticket: ids are left out. */
function requestStep(method: string, path: string, body: unknown): string {
  const operation = /\b(?:query|mutation)\s+(\w+)/.exec(typeof body === "string" ? body : "");
  if (operation !== null) return `board: ${operation[1]}`;
  const plain = path
    .replace(/\?.*/, "")
    .split("/")
    .map((part) => (/\d/.test(part) ? "*" : part))
    .join("/");
  return `board: ${method} ${plain}`;
}

/** The store as this process uses it: each call is a step. */
export function storeOf(fate: Fate, store: Store): Store {
  return stepping(fate, store, (id: string) => stepping(fate, store.tenant(id)));
}

function stepping<T extends object>(fate: Fate, target: T, tenant?: (id: string) => unknown): T {
  return new Proxy(target, {
    get(of, key) {
      if (key === "tenant" && tenant !== undefined) return tenant;
      const method: unknown = Reflect.get(of, key, of);
      if (typeof method !== "function" || typeof key !== "string") return method;
      return (...given: unknown[]) =>
        fate.step(`store: ${key}${detail(key, given)}`, async () => await method.apply(of, given));
    },
  });
}

/** What a save was for, by what it adds to the history. */
function detail(method: string, [, history]: readonly unknown[]): string {
  if (method !== "saveActor") return "";
  const kinds = Array.isArray(history) ? history.map((event: { kind: string }) => event.kind) : ["write"];
  return ` ${kinds.join("+")}`;
}
