import { useEffect, useState } from "preact/hooks";
import { segment } from "./api.js";
import { placeOf, useLoaded, useNews, useSession, useStill } from "./hooks.js";
import { Fault, Fresh, Screen, SelectField, StatusTag, TextField, Waiting } from "./parts.js";
import type { Ticket, Workflow } from "./shapes.js";
import { Table } from "./table.js";

/** How long to wait for the next letter. */
const TYPING_MS = 150;

interface Found {
  readonly tickets: readonly Ticket[];
  readonly total: number;
  readonly next?: string;
}

export function TicketsScreen({ board, status }: { board: string; status: string }) {
  const { tenant, path } = useSession();
  const [typed, setTyped] = useState("");
  const [onBoard, setBoard] = useState(board);
  const [inStatus, setStatus] = useState(status);
  const [pages, setPages] = useState<readonly string[]>([]);
  const query = useSettled(typed);
  const workflows = useLoaded<{ workflows: readonly Workflow[] }>(path("/workflows"));
  const list = path(
    `/tickets?${asked({ query, board: onBoard, status: inStatus, cursor: pages.at(-1) ?? "" })}`,
  );
  const found = useLoaded<Found>(list);
  useNews(["tickets", "workflows"], () => {
    found.reload();
    workflows.reload();
  });
  const { rows, fresh, show } = useStill(found.data?.tickets, ({ id }) => id, list);
  const from =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setPages([]);
      set(value);
    };
  const next = found.data?.next;
  const boards = new Map(workflows.data?.workflows.map(({ id, name }) => [id, name]));
  return (
    <Screen
      title="Tickets"
      lead="From this service's own picture of the boards; it follows them as they change."
    >
      <search class="row">
        <TextField
          label="Words, key or id"
          type="search"
          value={typed}
          onInput={(event) => from(setTyped)(event.currentTarget.value)}
        />
        <Filters
          workflows={workflows.data?.workflows ?? []}
          board={onBoard}
          status={inStatus}
          onBoard={from((value: string) => {
            setBoard(value);
            setStatus("");
          })}
          onStatus={from(setStatus)}
        />
      </search>
      <Fault error={found.error} />
      <p class="row count">
        <span role="status" class="quiet">
          {found.data === undefined ? "" : `${found.data.total} found`}
        </span>
        <Fresh count={fresh} onShow={show} />
      </p>
      {found.data === undefined && found.error === undefined ? <Waiting what="the tickets" /> : null}
      <Table
        caption="Tickets"
        head={["Ticket", "Status", "Board"]}
        widths={["52%", "24%", "24%"]}
        empty={emptyWords(list.endsWith("?"))}
        rows={rows?.map(({ item: ticket, gone }) => ({
          key: ticket.id,
          gone,
          cells: [
            <>
              <a href={placeOf(tenant, "ticket", ticket.id)} dir="auto">
                {ticket.title}
              </a>
              <small>{ticket.key}</small>
            </>,
            gone ? <span class="quiet">no longer here</span> : <StatusTag {...ticket.status} />,
            <bdi>{boards.get(ticket.workflow) ?? ticket.connection}</bdi>,
          ],
        }))}
      />
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

function emptyWords(everything: boolean): string {
  return everything
    ? "There is no ticket yet. They come with the first board that is connected."
    : "No ticket fits. Try fewer words, or another board or status.";
}

function asked(words: Readonly<Record<string, string>>): string {
  return Object.entries(words)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${segment(value)}`)
    .join("&");
}

interface FiltersProps {
  readonly workflows: readonly Workflow[];
  readonly board: string;
  readonly status: string;
  onBoard(value: string): void;
  onStatus(value: string): void;
}

/** On one board a status is named by its id, also when it is retired; on all boards by its name. */
function Filters({ workflows, board, status, onBoard, onStatus }: FiltersProps) {
  const own = workflows.find(({ id }) => id === board);
  const names = [...new Set(workflows.flatMap(({ statuses }) => statuses.map(({ name }) => name)))].sort();
  const statuses =
    own === undefined
      ? names.map((name) => [name, name] as const)
      : own.statuses.map(({ id, name, retired }) => [id, retired ? `${name} (retired)` : name] as const);
  return (
    <>
      <SelectField
        label="On"
        value={board}
        onChange={onBoard}
        options={[["", "any board"], ...workflows.map(({ id, name }) => [id, name] as const)]}
      />
      <SelectField
        label="In"
        value={status}
        onChange={onStatus}
        options={[["", "any status"], ...statuses]}
      />
    </>
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
