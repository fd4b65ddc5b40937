import { useState } from "preact/hooks";
import { type Api, segment } from "./api.js";
import { placeOf, useAction, useLoaded, useNews, useSession } from "./hooks.js";
import { Fault, Screen, Table, Waiting, When } from "./parts.js";
import type { AuditEvent, Workflow } from "./shapes.js";
import { speakerName } from "./ticket.js";

interface Page {
  readonly events: readonly AuditEvent[];
  readonly next?: string;
}

export function AuditScreen() {
  const { api, tenant, path } = useSession();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { data, error, reload } = useLoaded<Page>(
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
  const save = useAction(async () => {
    const events = await everything(api, path("/audit?limit=500"));
    download(`audit-${tenant}.jsonl`, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  });
  return (
    <Screen title="Audit" lead="Who did what, through what, and what came of it; newest first.">
      <Fault error={error ?? save.error} />
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
        <button type="button" class="plain" disabled={save.busy} onClick={() => void save.run()}>
          {save.busy ? "Reading …" : "Save all as a file"}
        </button>
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

/** Page by page, to the oldest. */
async function everything(api: Api, path: string): Promise<readonly AuditEvent[]> {
  const all: AuditEvent[] = [];
  for (let cursor = ""; ; ) {
    const page: Page = await api.get(cursor === "" ? path : `${path}&cursor=${segment(cursor)}`);
    all.push(...page.events);
    if (page.next === undefined) return all;
    cursor = page.next;
  }
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
