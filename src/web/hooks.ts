import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "./api.js";

/** What the screens share: the service, the team in view, and reading from it. */

export interface Session {
  readonly api: Api;
  readonly tenant: string;
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
 * Calls `onNews` whenever something of this team has changed. Not in a tab that nobody sees: a browser opens few
 * connections to one host, and each tab that listens holds one.
 */
export function useNews(onNews: () => void): void {
  const { api, tenant } = useSession();
  const latest = useRef(onNews);
  latest.current = onNews;
  const seen = useSeen();
  useEffect(() => {
    if (!seen) return;
    const stop = new AbortController();
    api.follow(tenant, () => latest.current(), stop.signal);
    return () => stop.abort();
  }, [api, tenant, seen]);
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
