import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { segment } from "./api.js";
import { auditWords } from "./audit-words.js";
import { placeOf, useAction, useLoaded, useNews, useSession, useStill } from "./hooks.js";
import { Fault, Fresh, Screen, Waiting, When } from "./parts.js";
import type { AuditEvent } from "./shapes.js";
import { Table } from "./table.js";
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
  useNews(["tickets", "workflows", "connections"], () => {
    if (cursor === undefined) reload();
  });
  const { rows, fresh, show } = useStill(data?.events, keyOf, list);
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
        widths={["13%", "19%", "14%", "20%", "11%", "11%", "12%"]}
        about={1}
        empty="Nothing has been done yet."
        rows={rows?.map(({ item }) => ({ key: keyOf(item), cells: cellsOf(item, tenant) }))}
      />
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

function cellsOf(event: AuditEvent, tenant: string): readonly ComponentChildren[] {
  const { at, by, ticket, named, from, to } = event;
  const { what, about, outcome, note } = auditWords(event);
  return [
    <When at={at} />,
    <>
      {what} <small dir="auto">{about}</small>
    </>,
    by === undefined ? "" : speakerName(by),
    ticket === undefined ? (
      ""
    ) : (
      <>
        <a href={placeOf(tenant, "ticket", ticket)} dir="auto">
          {named?.ticket?.title ?? ticket}
        </a>
        <small>{named?.ticket?.key}</small>
      </>
    ),
    nameCell(named?.from ?? from),
    nameCell(named?.to ?? to),
    outcome === "" ? (
      ""
    ) : (
      <>
        {outcome} <small>{note}</small>
      </>
    ),
  ];
}

function nameCell(name: string | undefined): ComponentChildren {
  return name === undefined ? "" : <bdi>{name}</bdi>;
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
