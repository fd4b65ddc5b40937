import { useEffect, useMemo, useState } from "preact/hooks";
import { type Api, createApi } from "./api.js";
import { AuditScreen } from "./audit.js";
import { BoardsScreen } from "./boards.js";
import { type Place, placeOf, SessionContext, usePlace } from "./hooks.js";
import { PeopleScreen } from "./people.js";
import type { Tenant } from "./shapes.js";
import { SignIn } from "./sign-in.js";
import { TalkScreen } from "./talk.js";
import { FirstTeam } from "./team.js";
import { TicketScreen } from "./ticket.js";
import { TicketsScreen } from "./tickets.js";
import { WorkflowsScreen } from "./workflows.js";

/** The token stays in this tab: it is gone when the tab is closed. */
const KEY = "boardwalk-admin-token";

export function App() {
  const [token, setToken] = useState(sessionStorage.getItem(KEY) ?? undefined);
  const [refused, setRefused] = useState<string>();
  const leave = (why?: string) => {
    sessionStorage.removeItem(KEY);
    setRefused(why);
    setToken(undefined);
  };
  const api = useMemo(
    () =>
      token === undefined
        ? undefined
        : createApi(token, () => leave("This token is not, or no longer, good.")),
    [token],
  );
  if (api === undefined) {
    const enter = (given: string) => {
      sessionStorage.setItem(KEY, given);
      setRefused(undefined);
      setToken(given);
    };
    return <SignIn refused={refused} onToken={enter} />;
  }
  return <Teams api={api} onLeave={() => leave()} />;
}

function Teams({ api, onLeave }: { api: Api; onLeave: () => void }) {
  const [teams, setTeams] = useState<readonly Tenant[]>();
  const [error, setError] = useState<string>();
  const place = usePlace();
  const load = () =>
    void api.get<{ tenants: readonly Tenant[] }>("/tenants").then(
      ({ tenants }) => setTeams(tenants),
      (thrown: Error) => setError(thrown.message),
    );
  useEffect(load, [api]);
  const [first] = teams ?? [];
  const tenant = teams?.find(({ id }) => id === place.parts[0])?.id ?? first?.id;
  const session = useMemo(() => (tenant === undefined ? undefined : { api, tenant }), [api, tenant]);
  if (error !== undefined) {
    return (
      <main class="alone">
        <p role="alert">{error}</p>
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </main>
    );
  }
  if (teams === undefined) return <main class="alone">Reading the teams …</main>;
  if (session === undefined) return <FirstTeam api={api} onMade={load} />;
  return (
    <SessionContext.Provider value={session}>
      <Frame teams={teams} tenant={session.tenant} place={place} onLeave={onLeave} />
    </SessionContext.Provider>
  );
}

const SCREENS = [
  ["boards", "Boards"],
  ["workflows", "Workflows"],
  ["tickets", "Tickets"],
  ["talk", "Talk"],
  ["people", "People"],
  ["audit", "Audit"],
] as const;

interface FrameProps {
  readonly teams: readonly Tenant[];
  readonly tenant: string;
  readonly place: Place;
  onLeave(): void;
}

function Frame({ teams, tenant, place, onLeave }: FrameProps) {
  const [, asked = "boards", ...rest] = place.parts;
  const current = asked === "ticket" ? "tickets" : asked;
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header>
        <span class="brand">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="28" height="28" /> Boardwalk
        </span>
        <label class="team">
          <span>Team</span>
          <select
            aria-label="Team"
            value={tenant}
            onChange={(event) => {
              location.hash = placeOf(event.currentTarget.value, current);
            }}
          >
            {teams.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="plain" onClick={onLeave}>
          Sign out
        </button>
      </header>
      <nav aria-label="Screens" class="screens">
        {SCREENS.map(([id, name]) => (
          <a key={id} href={placeOf(tenant, id)} aria-current={current === id ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1} key={[tenant, asked, ...rest].join("/")}>
        {screenOf(asked, rest, place)}
      </main>
    </div>
  );
}

function screenOf(name: string, [id]: readonly string[], { query }: Place) {
  switch (name) {
    case "workflows":
      return <WorkflowsScreen chosen={id} />;
    case "tickets":
      return <TicketsScreen status={query.get("status") ?? ""} />;
    case "ticket":
      return <TicketScreen id={id ?? ""} />;
    case "talk":
      return <TalkScreen />;
    case "people":
      return <PeopleScreen />;
    case "audit":
      return <AuditScreen />;
    default:
      return <BoardsScreen />;
  }
}
