import { useEffect, useState } from "preact/hooks";
import { segment } from "./api.js";
import { placeOf, useLoaded, useNews, useSession } from "./hooks.js";
import { Fault, Screen, StatusTag, Table, TextField, Waiting } from "./parts.js";
import type { Ticket } from "./shapes.js";

/** How long to wait for the next letter. */
const TYPING_MS = 150;

export function TicketsScreen({ status }: { status: string }) {
  const { tenant, path } = useSession();
  const [typed, setTyped] = useState("");
  const [inStatus, setInStatus] = useState(status);
  const [pages, setPages] = useState<readonly string[]>([]);
  const query = useSettled(typed);
  const wanted = useSettled(inStatus);
  const cursor = pages.at(-1);
  const asked = [
    ["query", query],
    ["status", wanted],
    ["cursor", cursor ?? ""],
  ].filter(([, value]) => value !== "");
  const found = useLoaded<{ tickets: readonly Ticket[]; total: number; next?: string }>(
    path(`/tickets?${asked.map(([name, value]) => `${name}=${segment(value ?? "")}`).join("&")}`),
  );
  useNews(found.reload);
  useEffect(() => setInStatus(status), [status]);
  const from = (set: (value: string) => void) => (event: { currentTarget: HTMLInputElement }) => {
    setPages([]);
    set(event.currentTarget.value);
  };
  const next = found.data?.next;
  return (
    <Screen
      title="Tickets"
      lead="From this service's own picture of the boards; it follows them as they change."
    >
      <search class="row">
        <TextField label="Words, key or id" type="search" value={typed} onInput={from(setTyped)} />
        <TextField label="Status" type="search" value={inStatus} onInput={from(setInStatus)} />
      </search>
      <Fault error={found.error} />
      <p role="status" class="quiet">
        {found.data === undefined ? "" : `${found.data.total} found`}
      </p>
      {found.data === undefined && found.error === undefined ? <Waiting what="the tickets" /> : null}
      <Table caption="Tickets" head={["Key", "Title", "Status", "Board"]}>
        {found.data?.tickets.map((ticket) => (
          <tr key={ticket.id}>
            <td>{ticket.key ?? ""}</td>
            <th scope="row">
              <a href={placeOf(tenant, "ticket", ticket.id)}>{ticket.title}</a>
            </th>
            <td>
              <StatusTag {...ticket.status} />
            </td>
            <td>{ticket.connection}</td>
          </tr>
        ))}
      </Table>
      <p class="row">
        {pages.length === 0 ? null : (
          <button type="button" class="plain" onClick={() => setPages(pages.slice(0, -1))}>
            Back
          </button>
        )}
        {next === undefined ? null : (
          <button type="button" class="plain" onClick={() => setPages([...pages, next])}>
            More
          </button>
        )}
      </p>
    </Screen>
  );
}

/** The value, once it has stood still. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
