import { placeOf, useAction, useLoaded, useNews, useSession, useStill } from "./hooks.js";
import { Fault, Fresh, Problems, Screen, Table, Waiting, When } from "./parts.js";
import type { Connection, Owed } from "./shapes.js";
import { hookName } from "./ticket.js";

/** Work owed: what waits, what failed and why, and trying it again. */

export function OwedScreen() {
  const { api, operator, path } = useSession();
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
  const unwell = boards.data?.connections.filter(({ health }) => health.problems.length > 0) ?? [];
  return (
    <Screen
      title="Work owed"
      lead="What was begun and is not done yet: it is tried again by itself, or by you."
    >
      <Fault error={error ?? retry.error} />
      <p class="row count">
        <span role="status" class="quiet">
          {data === undefined ? "" : data.total === 0 ? "Nothing is owed." : `${data.total} owed`}
        </span>
        <Fresh count={fresh} onShow={show} />
        {operator ? (
          <button type="button" class="plain" disabled={retry.busy} onClick={() => void retry.run(undefined)}>
            Try everything again
          </button>
        ) : null}
      </p>
      {data === undefined && error === undefined ? <Waiting what="what is owed" /> : null}
      {rows.length === 0 ? null : (
        <Table
          caption="Work owed by tickets"
          head={["Ticket", "What", "State", "Since", "What went wrong", "Action"]}
          widths={["22%", "15%", "12%", "12%", "25%", "14%"]}
        >
          {rows.map(({ item, gone }) => (
            <OwedRow key={keyOf(item)} owed={item} gone={gone} busy={retry.busy} onRetry={retry.run} />
          ))}
        </Table>
      )}
      <h2>Boards</h2>
      {boards.data !== undefined && unwell.length === 0 ? <p class="empty">All are well.</p> : null}
      {unwell.map(({ id, health }) => (
        <section key={id} aria-label={id}>
          <h3>{id}</h3>
          <Problems problems={health.problems} />
        </section>
      ))}
    </Screen>
  );
}

function keyOf({ ticket, kind, hook, to }: Owed): string {
  return [ticket.id, kind, hook, to].join(" ");
}

interface OwedRowProps {
  readonly owed: Owed;
  readonly gone: boolean;
  readonly busy: boolean;
  onRetry(ticket: string): void;
}

const TONES: Readonly<Record<Owed["state"], string>> = {
  "under way": "",
  owed: "",
  waiting: "warn",
  failed: "bad",
  stopped: "bad",
};

function OwedRow({ owed, gone, busy, onRetry }: OwedRowProps) {
  const { tenant } = useSession();
  const { ticket, state, since, retryAt, reason } = owed;
  const name = ticket.key ?? ticket.title;
  return (
    <tr>
      <th scope="row">
        {ticket.key} <a href={placeOf(tenant, "ticket", ticket.id)}>{ticket.title}</a>
      </th>
      <td>{whatOf(owed)}</td>
      <td>
        <strong class={`told ${gone ? "good" : TONES[state]}`}>{gone ? "done" : state}</strong>
      </td>
      <td>
        <When at={since} />
      </td>
      <td>
        {gone ? "" : reason}
        {gone || retryAt === undefined ? null : (
          <small>
            {" "}
            Next try: <When at={retryAt} />
          </small>
        )}
      </td>
      <td>
        <button type="button" class="plain" disabled={busy || gone} onClick={() => onRetry(ticket.id)}>
          Try again<span class="unseen"> for {name}</span>
        </button>
      </td>
    </tr>
  );
}

function whatOf({ kind, hook, to, by }: Owed): string {
  if (kind === "move") return `move to ${to ?? ""}${by === undefined ? "" : `, asked by ${by}`}`;
  return kind === "hook" ? hookName(hook ?? "hook") : "anything";
}
