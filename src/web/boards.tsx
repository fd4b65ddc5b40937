import { segment } from "./api.js";
import { useConfirm } from "./confirm.js";
import { placeOf, useAction, useLoaded, useNews, useSession } from "./hooks.js";
import { Fault, Problems, Screen, Waiting, When } from "./parts.js";
import { PROVIDERS } from "./providers.js";
import type { Connection } from "./shapes.js";

export function BoardsScreen() {
  const { tenant, operator, path } = useSession();
  const { data, error, reload } = useLoaded<{ connections: readonly Connection[] }>(path("/connections"));
  useNews(["connections"], reload);
  return (
    <Screen title="Boards" lead="What this team works on, how each board is, and what is missing.">
      <Fault error={error} />
      {data === undefined && error === undefined ? <Waiting what="the boards" /> : null}
      {data?.connections.length === 0 ? <p class="empty">No board is connected yet.</p> : null}
      <ul class="cards">
        {data?.connections.map((connection) => (
          <li key={connection.id} class="card">
            <BoardCard connection={connection} onChange={reload} />
          </li>
        ))}
      </ul>
      {operator ? (
        <p class="row">
          <a class="button" href={placeOf(tenant, "connect")}>
            Connect a board
          </a>
          <a href={placeOf(tenant, "team")}>New team</a>
        </p>
      ) : null}
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
    const question = `Disconnect ${id}? Its workflows and tickets are forgotten here; the board itself is not touched.`;
    if (!(await ask(question, "Disconnect"))) return;
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
        <dd>
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
      <Fault error={sync.error ?? forget.error} />
      <p class="row foot">
        {operator ? (
          <>
            <button type="button" class="plain" disabled={sync.busy} onClick={() => void sync.run()}>
              Import again<span class="unseen">: {id}</span>
            </button>
            <button type="button" class="plain" disabled={forget.busy} onClick={() => void forget.run()}>
              Disconnect<span class="unseen"> {id}</span>
            </button>
          </>
        ) : null}
        <Progress connection={connection} busy={sync.busy} />
      </p>
    </>
  );
}

function newsOf(webhook: Connection["webhook"]): string {
  if (webhook === undefined) return "polled: this board sends none";
  return `by webhook, ${webhook.state}${webhook.by === "hand" ? ", made by hand" : ""}`;
}

/** Beside the button, so that nothing moves when it comes and goes. */
function Progress({ connection, busy }: { connection: Connection; busy: boolean }) {
  const { progress, imported } = connection;
  const reading = busy || progress !== undefined || imported === undefined;
  return (
    <span class="quiet" role="status">
      {reading
        ? `Importing${progress === undefined ? "" : `, ${count(progress.read, "ticket")} so far`} …`
        : ""}
    </span>
  );
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
