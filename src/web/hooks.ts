import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Api, News } from "./api.js";

/** What the screens share: the service, the team in view, and reading from it. */

export interface Session {
  readonly api: Api;
  readonly tenant: string;
  /** Whoever has the admin token; a person who signed in with a pairing code administers nothing. */
  readonly operator: boolean;
  /** The service is the demo, and she runs it. */
  readonly demo: boolean;
  /** There is a team more. */
  teamsChanged(): void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The path of something that belongs to the team in view comes from `path`. */
export function useSession(): Session & { path(rest: string): string } {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("there is no session");
  return { ...session, path: (rest) => `/tenants/${encodeURIComponent(session.tenant)}${rest}` };
}

export interface Loaded<T> {
  /** What was last read, also while it is read anew. */
  readonly data: T | undefined;
  readonly error: string | undefined;
  reload(): void;
}

/** Reads a path; again when the path changes or `reload` is called. */
export function useLoaded<T>(path: string): Loaded<T> {
  const { api } = useSession();
  const [kept, keep] = useState<{ path: string; data?: T; error?: string }>({ path });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    api.get<T>(path, stop.signal).then(
      (data) => keep({ path, data }),
      (error: Error) => {
        if (!stop.signal.aborted)
          keep((before) => ({ ...(before.path === path ? before : {}), path, error: error.message }));
      },
    );
    return () => stop.abort();
  }, [api, path, round]);
  const current = kept.path === path ? kept : undefined;
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { data: current?.data, error: current?.error, reload };
}

/**
 * Calls `onNews` whenever something of this team has changed, of the kinds that are wanted. Not in a tab that nobody sees: a browser opens few
 * connections to one host, and each tab that listens holds one.
 */
export function useNews(wanted: readonly News[], onNews: () => void): void {
  const { api, tenant } = useSession();
  const act = useSpaced(onNews);
  const heard = (news: News) => {
    if (news === "ready" || wanted.includes(news)) act();
  };
  const latest = useRef(heard);
  latest.current = heard;
  const seen = useSeen();
  useEffect(() => {
    if (!seen) return;
    const stop = new AbortController();
    api.follow(tenant, (news) => latest.current(news), stop.signal);
    return () => stop.abort();
  }, [api, tenant, seen]);
}

/** An import tells of its tickets many times a second; nobody reads that fast. */
const SPACED_MS = 300;

/** Acts at once, then no more often than every 300 ms, and never leaves the last one out. */
function useSpaced(act: () => void): () => void {
  const latest = useRef(act);
  latest.current = act;
  const state = useRef<{ timer?: ReturnType<typeof setTimeout> | undefined; again: boolean }>({
    again: false,
  });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  const run = (): void => {
    latest.current();
    state.current = {
      again: false,
      timer: setTimeout(() => {
        state.current.timer = undefined;
        if (state.current.again) run();
      }, SPACED_MS),
    };
  };
  return () => {
    if (state.current.timer === undefined) run();
    else state.current.again = true;
  };
}

function useSeen(): boolean {
  const [seen, setSeen] = useState(!document.hidden);
  useEffect(() => {
    const changed = () => setSeen(!document.hidden);
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  return seen;
}

export interface Row<T> {
  readonly item: T;
  /** It was in this list, and is not any more. */
  readonly gone: boolean;
}

/**
 * A list that keeps still while it is looked at: what it has is brought up to date in its place, what leaves stays and
 * is marked, and what is new waits until it is asked for. Another `list` begins anew.
 */
export function useStill<T>(
  items: readonly T[] | undefined,
  keyOf: (item: T) => string,
  list: string,
): {
  /** Left out while nothing is known. */ readonly rows: readonly Row<T>[] | undefined;
  readonly fresh: number;
  show(): void;
} {
  const kept = useRef<{ list: string; items: readonly T[] } | undefined>(undefined);
  const [, redraw] = useState(0);
  if (items === undefined) {
    if (kept.current?.list !== list) kept.current = undefined;
  } else if (kept.current?.list !== list) kept.current = { list, items };
  const now = new Map((items ?? []).map((item) => [keyOf(item), item]));
  const shown = kept.current?.items;
  const rows = shown?.map((item) => ({
    item: now.get(keyOf(item)) ?? item,
    gone: items !== undefined && !now.has(keyOf(item)),
  }));
  const known = new Set(shown?.map(keyOf));
  const fresh = (items ?? []).filter((item) => !known.has(keyOf(item))).length;
  // What was last known of a row that leaves is what stays of it.
  if (rows !== undefined) kept.current = { list, items: rows.map(({ item }) => item) };
  const show = () => {
    kept.current = undefined;
    redraw((round) => round + 1);
  };
  return { rows, fresh, show };
}

/** In the order in which they were first seen: what is new comes after what is being looked at. */
export function useOrder<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const places = useRef(new Map<string, number>());
  for (const item of items) {
    const key = keyOf(item);
    if (!places.current.has(key)) places.current.set(key, places.current.size);
  }
  const placeOf = (item: T) => places.current.get(keyOf(item)) ?? 0;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Does `act` one at a time; what it refused with is in `error`. */
export function useAction<A extends readonly unknown[]>(act: (...args: A) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | undefined>(undefined);
  const run = async (...args: A): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await act(...args);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}

/** The place after the `#`, as decoded parts and a query. */
export interface Place {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    // It may have changed since it was first looked at.
    changed();
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    parts: path.split("/").filter(Boolean).map(decodeURIComponent),
    query: new URLSearchParams(query),
  };
}

/** The address of a screen of this page. */
export function placeOf(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = () => setMatches(list.matches);
    changed();
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  }, [query]);
  return matches;
}
