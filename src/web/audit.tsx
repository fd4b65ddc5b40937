import { useState } from "preact/hooks";
import { segment } from "./api.js";
import { placeOf, useLoaded, useNews, useSession } from "./hooks.js";
import { Fault, Screen, Table, Waiting, When } from "./parts.js";
import type { AuditEvent, Workflow } from "./shapes.js";
import { speakerName } from "./ticket.js";

export function AuditScreen() {
  const { tenant, path } = useSession();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { data, error, reload } = useLoaded<{ events: readonly AuditEvent[]; next?: string }>(
    path(`/audit?limit=50${cursor === undefined ? "" : `&cursor=${segment(cursor)}`}`),
  );
  const workflows = useLoaded<{ workflows: readonly Workflow[] }>(path("/workflows"));
  useNews(() => {
    if (cursor === undefined) reload();
  });
  const names = new Map(
    workflows.data?.workflows.flatMap(({ statuses }) => statuses.map(({ id, name }) => [id, name] as const)),
  );
  const nameOf = (status: string | undefined) => (status === undefined ? "" : (names.get(status) ?? status));
  const next = data?.next;
  return (
    <Screen title="Audit" lead="Who did what, through what, and what came of it; newest first.">
      <Fault error={error} />
      {data === undefined && error === undefined ? <Waiting what="the audit log" /> : null}
      <Table caption="Audit log" head={["When", "What", "Who", "Ticket", "From", "To", "Outcome"]}>
        {data?.events.map((event) => (
          <tr key={[event.at, event.action, event.ticket, event.outcome].join(" ")}>
            <td>
              <When at={event.at} />
            </td>
            <th scope="row">{event.action}</th>
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
