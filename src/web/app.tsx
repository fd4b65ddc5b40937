import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Api, createApi } from "./api.js";
import { AuditScreen } from "./audit.js";
import { BoardsScreen } from "./boards.js";
import { ConnectScreen } from "./connect.js";
import { CrashScreen } from "./crash.js";
import { type Place, placeOf, SessionContext, usePlace } from "./hooks.js";
import { OwedScreen } from "./owed.js";
import { PeopleScreen } from "./people.js";
import type { Caller, Tenant } from "./shapes.js";
import { SignIn } from "./sign-in.js";
import { TalkScreen } from "./talk.js";
import { FirstTeam, TeamScreen } from "./team.js";
import { TicketScreen } from "./ticket.js";
import { TicketsScreen } from "./tickets.js";
import { ToolsScreen } from "./tools.js";
import { WorkflowsScreen } from "./workflows.js";

/** The token stays in this tab: it is gone when the tab is closed. */
const KEY = "boardwalk-token";

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
        : createApi(token, () => leave("You were signed out, or this token is no longer good.")),
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
  const signOut = () => {
    // Whether or not the service hears of it, this tab forgets.
    void api.remove("/session").catch(() => undefined);
    leave();
  };
  return <Teams api={api} onLeave={signOut} />;
}

interface Known {
  readonly teams: readonly Tenant[];
  readonly caller: Caller;
}

function Teams({ api, onLeave }: { api: Api; onLeave: () => void }) {
  const [known, setKnown] = useState<Known>();
  const [error, setError] = useState<string>();
  const place = usePlace();
  const load = () => {
    const asked = Promise.all([
      api.get<{ tenants: readonly Tenant[] }>("/tenants"),
      api.get<Caller>("/session"),
    ]);
    void asked.then(
      ([{ tenants }, caller]) => setKnown({ teams: tenants, caller }),
      (thrown: Error) => setError(thrown.message),
    );
  };
  useEffect(load, [api]);
  const teams = known?.teams ?? [];
  const tenant = teams.find(({ id }) => id === place.parts[0])?.id ?? teams[0]?.id;
  const operator = known?.caller.role === "operator";
  const demo = known?.caller.role === "operator" && known.caller.demo === true;
  const session = useMemo(
    () => (tenant === undefined ? undefined : { api, tenant, operator, demo, teamsChanged: load }),
    [api, tenant, operator, demo],
  );
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
  if (known === undefined) return <main class="alone">Reading the teams …</main>;
  if (session === undefined) return <FirstTeam api={api} onMade={load} />;
  return (
    <SessionContext.Provider value={session}>
      <Frame {...known} tenant={session.tenant} place={place} onLeave={onLeave} />
    </SessionContext.Provider>
  );
}

const SCREENS = [
  ["boards", "Boards"],
  ["workflows", "Workflows"],
  ["tickets", "Tickets"],
  ["talk", "Talk"],
  ["tools", "Tools"],
  ["owed", "Work owed"],
] as const;
/** What only whoever has the admin token is shown. */
const OPERATORS_SCREENS = [
  ["people", "People"],
  ["audit", "Audit"],
] as const;
/** What only the demo has. */
const DEMO_SCREENS = [["crash", "Crash test"]] as const;
/** Screens that are reached through another one. */
const WITHIN: Readonly<Record<string, string>> = { ticket: "tickets", connect: "boards", team: "boards" };

function screensOf(caller: Caller): readonly (readonly [id: string, name: string])[] {
  if (caller.role !== "operator") return SCREENS;
  return [...SCREENS, ...OPERATORS_SCREENS, ...(caller.demo === true ? DEMO_SCREENS : [])];
}

interface FrameProps extends Known {
  readonly tenant: string;
  readonly place: Place;
  onLeave(): void;
}

function Frame({ teams, caller, tenant, place, onLeave }: FrameProps) {
  const [, asked = "boards", ...rest] = place.parts;
  const current = WITHIN[asked] ?? asked;
  const screens = screensOf(caller);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header>
        <span class="brand">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="28" height="28" />{" "}
          <span>Boardwalk</span>
        </span>
        {caller.role === "operator" ? (
          <TeamChoice teams={teams} tenant={tenant} current={current} />
        ) : (
          <span class="quiet">
            {caller.person} · {teams[0]?.name}
          </span>
        )}
        <button type="button" class="plain" onClick={onLeave}>
          Sign out
        </button>
      </header>
      <nav aria-label="Screens" class="screens">
        {screens.map(([id, name]) => (
          <a key={id} href={placeOf(tenant, id)} aria-current={current === id ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1} key={[tenant, asked, ...(asked === "ticket" ? rest : [])].join("/")}>
        {screenOf(asked, rest, place, caller)}
      </main>
    </div>
  );
}

function TeamChoice({
  teams,
  tenant,
  current,
}: {
  teams: readonly Tenant[];
  tenant: string;
  current: string;
}) {
  return (
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
  );
}

function screenOf(
  name: string,
  [id]: readonly string[],
  { query }: Place,
  caller: Caller,
): ComponentChildren {
  switch (name) {
    case "workflows":
      return <WorkflowsScreen chosen={id} />;
    case "tickets":
      return <TicketsScreen board={query.get("board") ?? ""} status={query.get("status") ?? ""} />;
    case "ticket":
      return <TicketScreen id={id ?? ""} />;
    case "talk":
      return <TalkScreen sentence={query.get("say") ?? ""} />;
    case "tools":
      return <ToolsScreen chosen={id} />;
    case "owed":
      return <OwedScreen />;
  }
  return (caller.role === "operator" && operatorsScreen(name, caller.demo === true)) || <BoardsScreen />;
}

function operatorsScreen(name: string, demo: boolean): ComponentChildren {
  if (name === "connect") return <ConnectScreen />;
  if (name === "team") return <TeamScreen />;
  if (name === "people") return <PeopleScreen />;
  if (name === "audit") return <AuditScreen />;
  return demo && name === "crash" && <CrashScreen />;
}
