import type { ComponentChildren } from "preact";
import { placeOf, type Row, useAction, useLoaded, useNews, useSession, useStill } from "./hooks.js";
import { Fault, Fresh, Problems, Screen, Waiting, When } from "./parts.js";
import type { Connection, Owed } from "./shapes.js";
import { Table } from "./table.js";
import { hookName } from "./ticket.js";

/** Work owed: what waits, what failed and why, and trying it again. */

export function OwedScreen() {
  const { api, tenant, operator, path } = useSession();
  const { data, error, reload } = useLoaded<{ owed: readonly Owed[]; total: number }>(path("/owed"));
  const boards = useLoaded<{ connections: readonly Connection[] }>(path("/connections"));
  useNews(["tickets", "connections"], () => {
    reload();
    boards.reload();
  });
  const { rows, fresh, show } = useStill(data?.owed, keyOf, "owed");
  const retry = useAction(async (ticket: string | undefined) => {
    await api.post(path("/replay"), ticket === undefined ? {} : { ticket });
    reload();
  });
  return (
    <Screen
      title="Work owed"
      lead="What was begun and is not done yet: it is tried again by itself, or by you."
    >
      <Fault error={error ?? boards.error ?? retry.error} />
      <p class="row count">
        <span role="status" class="quiet">
          {data === undefined ? "" : `${data.total} owed`}
        </span>
        <Fresh count={fresh} onShow={show} />
        {operator ? (
          <button type="button" class="plain" disabled={retry.busy} onClick={() => void retry.run(undefined)}>
            Try everything again
          </button>
        ) : null}
      </p>
      {/* Both at once: what comes first would be pushed aside by the other. */}
      {rows === undefined || boards.data === undefined ? (
        error === undefined && <Waiting what="what is owed" />
      ) : (
        <>
          <Table
            caption="Work owed by tickets"
            head={["Ticket", "What", "State", "Since", "What went wrong", "Action"]}
            widths={["22%", "15%", "12%", "12%", "25%", "14%"]}
            empty="Nothing is owed: every move is settled, and what it starts is done."
            rows={rows.map((row) => ({
              key: keyOf(row.item),
              gone: row.gone,
              cells: cellsOf(row, tenant, (name) => (
                <button
                  type="button"
                  class="plain"
                  disabled={retry.busy || row.gone}
                  onClick={() => void retry.run(row.item.ticket.id)}
                >
                  Try again<span class="unseen"> for {name}</span>
                </button>
              )),
            }))}
          />
          <BoardTroubles connections={boards.data.connections} />
        </>
      )}
    </Screen>
  );
}

function BoardTroubles({ connections }: { connections: readonly Connection[] }) {
  const unwell = connections.filter(({ health }) => health.problems.length > 0);
  return (
    <>
      <h2>Boards</h2>
      {unwell.length === 0 ? <p class="empty">All are healthy.</p> : null}
      {unwell.map(({ id, health }) => (
        <section key={id} aria-label={id}>
          <h3>{id}</h3>
          <Problems problems={health.problems} />
        </section>
      ))}
    </>
  );
}

function keyOf({ ticket, kind, hook, to }: Owed): string {
  return [ticket.id, kind, hook, to].join(" ");
}

const TONES: Readonly<Record<Owed["state"], string>> = {
  "under way": "",
  owed: "",
  waiting: "warn",
  failed: "bad",
  stopped: "bad",
};

function cellsOf(
  { item: owed, gone }: Row<Owed>,
  tenant: string,
  again: (name: string) => ComponentChildren,
): readonly ComponentChildren[] {
  const { ticket, state, since, retryAt, reason } = owed;
  const name = ticket.key ?? ticket.title;
  return [
    <>
      <a href={placeOf(tenant, "ticket", ticket.id)} dir="auto">
        {ticket.title}
      </a>
      <small>{ticket.key}</small>
    </>,
    whatOf(owed),
    <strong class={`told ${gone ? "good" : TONES[state]}`}>{gone ? "done" : state}</strong>,
    <When at={since} />,
    // It stays when it is over: nothing below may move.
    <>
      {reason}
      <small>
        {retryAt === undefined ? null : (
          <>
            Next try: <When at={retryAt} />
          </>
        )}
      </small>
    </>,
    again(name),
  ];
}

function whatOf({ kind, hook, to, by }: Owed): string {
  if (kind === "move") return `move to ${to ?? ""}${by === undefined ? "" : `, asked by ${by}`}`;
  return kind === "hook" ? hookName(hook ?? "hook") : "anything";
}
