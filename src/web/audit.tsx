import { useState } from "preact/hooks";
import { segment } from "./api.js";
import { placeOf, useAction, useLoaded, useNews, useSession, useStill } from "./hooks.js";
import { Fault, Fresh, Screen, Table, Waiting, When } from "./parts.js";
import type { AuditEvent, Workflow } from "./shapes.js";
import { speakerName } from "./ticket.js";

interface Page {
  readonly events: readonly AuditEvent[];
  readonly next?: string;
}

const FORMATS = [
  ["ndjson", "Save all as JSON lines"],
  ["csv", "Save all as CSV"],
] as const;

export function AuditScreen() {
  const { tenant, path } = useSession();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const list = path(`/audit?limit=50${cursor === undefined ? "" : `&cursor=${segment(cursor)}`}`);
  const { data, error, reload } = useLoaded<Page>(list);
  const workflows = useLoaded<{ workflows: readonly Workflow[] }>(path("/workflows"));
  useNews(["tickets", "workflows", "connections"], () => {
    if (cursor === undefined) reload();
  });
  const { rows, fresh, show } = useStill(data?.events, keyOf, list);
  const names = new Map(
    workflows.data?.workflows.flatMap(({ statuses }) => statuses.map(({ id, name }) => [id, name] as const)),
  );
  const nameOf = (status: string | undefined) => (status === undefined ? "" : (names.get(status) ?? status));
  const next = data?.next;
  return (
    <Screen title="Audit" lead="Who did what, through what, and what came of it; newest first.">
      <Fault error={error} />
      <p class="row count">
        <Save />
        <Fresh count={fresh} onShow={show} />
      </p>
      {data === undefined && error === undefined ? <Waiting what="the audit log" /> : null}
      <Table
        caption="Audit log"
        head={["When", "What", "Who", "Ticket", "From", "To", "Outcome"]}
        widths={["12%", "20%", "16%", "18%", "11%", "11%", "12%"]}
      >
        {rows.map(({ item: event }) => (
          <tr key={keyOf(event)}>
            <td>
              <When at={event.at} />
            </td>
            <th scope="row">
              {event.action} <small>{detailOf(event)}</small>
            </th>
            <td>{event.by === undefined ? "" : speakerName(event.by)}</td>
            <td>
              {event.ticket === undefined ? null : (
                <a href={placeOf(tenant, "ticket", event.ticket)}>{event.ticket}</a>
              )}
            </td>
            <td>{nameOf(event.from)}</td>
            <td>{nameOf(event.to)}</td>
            <td>{event.outcome ?? ""}</td>
          </tr>
        ))}
      </Table>
      <p class="row">
        {cursor === undefined ? null : (
          <button type="button" class="plain" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </button>
        )}
        {next === undefined ? null : (
          <button type="button" class="plain" onClick={() => setCursors([...cursors, next])}>
            Older
          </button>
        )}
      </p>
    </Screen>
  );
}

/** The words of a detail; what is nested in it is for the saved file. */
function detailOf({ detail = {} }: AuditEvent): string {
  return Object.values(detail)
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(" · ");
}

function keyOf(event: AuditEvent): string {
  return JSON.stringify(event);
}

/** A link could not carry the token, so the file is fetched and then handed to the browser. */
function Save() {
  const { api, tenant, path } = useSession();
  const save = useAction(async (format: string) => {
    download(`audit-${tenant}.${format}`, await api.file(path(`/audit.${format}`)));
  });
  return (
    <>
      {FORMATS.map(([format, name]) => (
        <button
          key={format}
          type="button"
          class="plain"
          disabled={save.busy}
          onClick={() => void save.run(format)}
        >
          {name}
        </button>
      ))}
      <Fault error={save.error} />
    </>
  );
}

function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
