import { segment } from "./api.js";
import { useConfirm } from "./confirm.js";
import { placeOf, useAction, useLoaded, useNews, useOrder, useSession } from "./hooks.js";
import { Fault, Problems, Screen, Waiting, When } from "./parts.js";
import { PROVIDERS } from "./providers.js";
import type { Connection } from "./shapes.js";

export function BoardsScreen() {
  const { tenant, operator, path } = useSession();
  const { data, error, reload } = useLoaded<{ connections: readonly Connection[] }>(path("/connections"));
  useNews(["connections"], reload);
  const inOrder = useOrder(data?.connections ?? [], ({ id }) => id);
  return (
    <Screen title="Boards" lead="What this team works on, how each board is, and what is missing.">
      {operator ? (
        <p class="row">
          <a class="button" href={placeOf(tenant, "connect")}>
            Connect a board
          </a>
          <a href={placeOf(tenant, "team")}>New team</a>
        </p>
      ) : null}
      <Fault error={error} />
      {data === undefined && error === undefined ? <Waiting what="the boards" /> : null}
      {data?.connections.length === 0 ? (
        <p class="empty">
          No board is connected yet. It is tried as you go, and shown before anything of it is kept.
        </p>
      ) : null}
      <ul class="cards">
        {inOrder.map((connection) => (
          <li key={connection.id} class="card">
            <BoardCard connection={connection} onChange={reload} />
          </li>
        ))}
      </ul>
    </Screen>
  );
}

const HEALTH: Readonly<Record<Connection["health"]["state"], readonly [string, string]>> = {
  ok: ["Healthy", "good"],
  degraded: ["Something is missing", "warn"],
  reconnect: ["Has to be connected again", "bad"],
};

function BoardCard({ connection, onChange }: { connection: Connection; onChange: () => void }) {
  const { api, tenant, operator, path } = useSession();
  const { id, provider, health, imported, webhook } = connection;
  const sync = useAction(async () => {
    await api.post(path(`/connections/${segment(id)}/sync?wait=true`));
    onChange();
  });
  const { ask, dialog } = useConfirm();
  const forget = useAction(async () => {
    await api.remove(path(`/connections/${segment(id)}`));
    onChange();
  });
  const [word, kind] = HEALTH[health.state];
  return (
    <>
      {dialog}
      <h2>
        {id} <small>{PROVIDERS[provider]?.name ?? provider}</small>
      </h2>
      <p class={`health ${kind}`}>{word}</p>
      <Problems problems={health.problems} />
      <dl>
        <dt>Imported</dt>
        <dd class="two-lines">
          {imported === undefined ? (
            "not yet"
          ) : (
            <>
              {count(imported.workflows, "workflow")},{" "}
              <a href={placeOf(tenant, "tickets")}>{count(imported.tickets, "ticket")}</a>,{" "}
              <When at={imported.at} />
            </>
          )}
        </dd>
        <dt>News</dt>
        <dd>{newsOf(webhook)}</dd>
      </dl>
      <Progress connection={connection} busy={sync.busy} />
      <Fault error={sync.error ?? forget.error} />
      <p class="row foot">
        {operator ? (
          <>
            <button type="button" class="plain" disabled={sync.busy} onClick={() => void sync.run()}>
              Import again<span class="unseen">: {id}</span>
            </button>
            <button
              type="button"
              class="plain"
              disabled={forget.busy}
              onClick={() => ask(forgetting(id), "Disconnect", forget.run)}
            >
              Disconnect<span class="unseen"> {id}</span>
            </button>
          </>
        ) : null}
      </p>
    </>
  );
}

function forgetting(id: string): string {
  return `Disconnect ${id}? Its workflows and tickets are forgotten here; the board itself is not touched.`;
}

function newsOf(webhook: Connection["webhook"]): string {
  if (webhook === undefined) return "polled";
  return `by webhook, ${webhook.state}${webhook.by === "hand" ? ", made by hand" : ""}`;
}

/** It has its line also when there is nothing to tell, so that nothing moves when it comes and goes. */
function Progress({ connection, busy }: { connection: Connection; busy: boolean }) {
  const { progress, imported } = connection;
  const reading = busy || progress !== undefined || imported === undefined;
  return (
    <p class="quiet told-line" role="status">
      {reading
        ? `Importing${progress === undefined ? "" : `, ${count(progress.read, "ticket")} so far`} …`
        : ""}
    </p>
  );
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
