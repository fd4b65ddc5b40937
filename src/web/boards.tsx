import { useEffect } from "preact/hooks";
import { segment } from "./api.js";
import { Connect } from "./connect.js";
import { placeOf, useAction, useLoaded, useSession } from "./hooks.js";
import { Fault, Problems, Screen, Waiting, When } from "./parts.js";
import type { Connection } from "./shapes.js";

/** Boards that are being imported are looked at again after this. */
const LOOK_AGAIN_MS = 1_000;

export function BoardsScreen() {
  const { path } = useSession();
  const { data, error, reload } = useLoaded<{ connections: readonly Connection[] }>(path("/connections"));
  const importing = data?.connections.some((one) => one.progress !== undefined || one.imported === undefined);
  useEffect(() => {
    if (!importing) return;
    const timer = setTimeout(reload, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [data, importing]);
  return (
    <Screen title="Boards" lead="What this team works on, how each board is, and what is missing.">
      <Fault error={error} />
      {data === undefined && error === undefined ? <Waiting what="the boards" /> : null}
      {data?.connections.length === 0 ? <p>No board is connected yet.</p> : null}
      <ul class="cards">
        {data?.connections.map((connection) => (
          <li key={connection.id} class="card">
            <BoardCard connection={connection} onChange={reload} />
          </li>
        ))}
      </ul>
      <Connect onMade={reload} />
    </Screen>
  );
}

const HEALTH: Readonly<Record<Connection["health"]["state"], readonly [string, string]>> = {
  ok: ["Well", "good"],
  degraded: ["Something is missing", "warn"],
  reconnect: ["Has to be connected anew", "bad"],
};

function BoardCard({ connection, onChange }: { connection: Connection; onChange: () => void }) {
  const { api, tenant, path } = useSession();
  const { id, provider, health, imported, progress, webhook } = connection;
  const sync = useAction(async () => {
    await api.post(path(`/connections/${segment(id)}/sync?wait=true`));
    onChange();
  });
  const [word, kind] = HEALTH[health.state];
  return (
    <>
      <h2>
        {id} <small>{provider}</small>
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
        <dd>{webhook === undefined ? "polled" : `webhook ${webhook.state}, made by ${webhook.by}`}</dd>
      </dl>
      {progress === undefined ? null : <progress aria-label={`${progress.read} tickets read`} />}
      <Fault error={sync.error} />
      <button type="button" class="plain" disabled={sync.busy} onClick={() => void sync.run()}>
        {sync.busy ? "Reading …" : "Read it anew"}
        <span class="unseen">: {id}</span>
      </button>
    </>
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
