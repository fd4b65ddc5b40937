import { segment } from "./api.js";
import { placeOf, useLoaded, useNews, useSession } from "./hooks.js";
import { Fault, Screen, StatusTag, Waiting, When } from "./parts.js";
import type { Event, Hook, Speaker, Ticket, Workflow } from "./shapes.js";

/** One ticket: where it is, what it owes, and all that has happened to it, as it happens. */
export function TicketScreen({ id }: { id: string }) {
  const { path } = useSession();
  const ticket = useLoaded<Ticket>(path(`/tickets/${segment(id)}`));
  const history = useLoaded<{ events: readonly Event[] }>(path(`/tickets/${segment(id)}/history`));
  const workflows = useLoaded<{ workflows: readonly Workflow[] }>(path("/workflows"));
  useNews(["tickets", "workflows"], () => {
    ticket.reload();
    history.reload();
    workflows.reload();
  });
  const workflow = workflows.data?.workflows.find((one) => one.id === ticket.data?.workflow);
  const nameOf = (status: string) => workflow?.statuses.find((one) => one.id === status)?.name ?? status;
  const error = ticket.error ?? history.error;
  return (
    <Screen title={ticket.data?.title ?? "Ticket"}>
      <Fault error={error} />
      {/* At once: a long title would push aside what was there before it. */}
      {ticket.data === undefined || history.data === undefined ? (
        error === undefined && <Waiting what="the ticket" />
      ) : (
        <>
          <Facts ticket={ticket.data} workflow={workflow} />
          <Timeline events={history.data.events} nameOf={nameOf} />
        </>
      )}
    </Screen>
  );
}

interface TimelineProps {
  readonly events: readonly Event[];
  nameOf(status: string): string;
}

function Timeline({ events, nameOf }: TimelineProps) {
  return (
    <>
      <h2 id="timeline">Timeline</h2>
      {events.length === 0 ? <p class="empty">Nothing has happened to it here yet.</p> : null}
      <ol class="timeline" aria-labelledby="timeline" aria-live="polite">
        {events.toReversed().map((event) => (
          <li key={[event.at, event.kind, event.to, event.outcome].join(" ")} class={toneOf(event)}>
            <When at={event.at} /> <span>{sentenceOf(event, nameOf)}</span>
            {event.message === undefined ? null : <q>{event.message}</q>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Where it is and what it owes. Each fact has its place before it is there, so that nothing moves when it comes. */
function Facts({ ticket, workflow }: { ticket: Ticket; workflow: Workflow | undefined }) {
  const { tenant } = useSession();
  const { key, status, connection, archived, detached, hooks = [] } = ticket;
  const also = [archived ? "archived" : "", detached ? "its board is not connected" : ""].filter(Boolean);
  return (
    <dl class="facts card">
      <div>
        <dt>Key</dt>
        <dd>{key ?? "none"}</dd>
      </div>
      <div>
        <dt>Status</dt>
        <dd>
          <StatusTag {...status} />
        </dd>
      </div>
      <div>
        <dt>Board</dt>
        <dd>
          <a href={placeOf(tenant, "workflows", ticket.workflow)}>{workflow?.name ?? connection}</a>{" "}
          {also.join(", ")}
        </dd>
      </div>
      <div class="wide">
        <dt>Started for it</dt>
        <dd>{hooks.length === 0 ? <span class="quiet">nothing yet</span> : <Hooks hooks={hooks} />}</dd>
      </div>
    </dl>
  );
}

export function Hooks({ hooks }: { hooks: readonly Hook[] }) {
  return (
    <ul class="plain-list">
      {hooks.map((hook) => (
        <li
          key={hook.hook}
          class={`told ${hook.state === "failed" ? "bad" : hook.state === "done" ? "good" : "warn"}`}
        >
          {hookName(hook.hook)}: <strong>{hook.state}</strong> {hook.reason}
          <PullRequest hook={hook} />
        </li>
      ))}
    </ul>
  );
}

/** Only addresses of the web are made links of. */
function PullRequest({ hook: { result } }: { hook: Hook }) {
  const url = result?.url;
  if (typeof url !== "string" || !/^https?:\/\//.test(url)) return null;
  return (
    <>
      {" "}
      <a href={url} rel="noreferrer" target="_blank">
        pull request {String(result?.number ?? "")}
      </a>
    </>
  );
}

export function hookName(hook: string): string {
  return hook.replaceAll("-", " ");
}

export function speakerName({ person, client, tool }: Speaker): string {
  const through = [client, tool].filter((word) => word !== undefined);
  return through.length === 0 ? person : `${person} (${through.join(", ")})`;
}

function sentenceOf(
  { kind, by, from, to, outcome, hook }: Event,
  nameOf: (status: string) => string,
): string {
  const who = by === undefined ? "" : ` by ${speakerName(by)}`;
  const way = [
    from === undefined ? "" : ` from ${nameOf(from)}`,
    to === undefined ? "" : ` to ${nameOf(to)}`,
  ].join("");
  if (kind === "moved" && to !== undefined && from === to)
    return `It was in ${nameOf(to)} already: nothing was changed`;
  switch (kind) {
    case "asked":
      return `Asked${who} to move it${way}`;
    case "moved":
      return `Moved${way}${who}: ${outcome ?? "settled"}`;
    case "observed":
      return `Seen on the board: moved${way}${who}`;
    case "refused":
      return `Refused to move it${way}${who}`;
    case "hook":
      return `${capital(hookName(hook ?? "hook"))}: ${outcome ?? ""}`;
    case "created":
      return `First seen${to === undefined ? "" : ` in ${nameOf(to)}`}`;
    case "rehomed":
      return `Came to another board${way}`;
    default:
      return `${capital(kind)}${way}${who}${outcome === undefined ? "" : `: ${outcome}`}`;
  }
}

function toneOf({ kind, outcome }: Event): string {
  if (outcome === "confirmed" || outcome === "done") return "good";
  if (kind === "refused" || outcome === "failed" || outcome === "conflict") return "bad";
  return kind === "unknown" || outcome === "unknown" ? "warn" : "";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
