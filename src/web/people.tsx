import { useState } from "preact/hooks";
import { segment } from "./api.js";
import { useConfirm } from "./confirm.js";
import { useAction, useLoaded, useSession } from "./hooks.js";
import { Copy, Fault, onSubmit, Screen, TextField, Waiting, When, wordsOf } from "./parts.js";
import type { Member, Token } from "./shapes.js";
import { Table } from "./table.js";

export function PeopleScreen() {
  const { path } = useSession();
  const tokens = useLoaded<{ tokens: readonly Token[] }>(path("/tokens"));
  const members = useLoaded<{ members: readonly Member[] }>(path("/members"));
  const error = tokens.error ?? members.error;
  const known = tokens.data !== undefined && members.data !== undefined;
  return (
    <Screen title="People" lead="Who may talk to this team's boards, and with what.">
      <Fault error={error} />
      {/* Both at once: what comes first would be pushed aside by the other. */}
      {known ? (
        <>
          <Tokens tokens={tokens.data?.tokens ?? []} onChange={tokens.reload} />
          <Members members={members.data?.members ?? []} onChange={members.reload} />
        </>
      ) : (
        error === undefined && <Waiting what="who there is" />
      )}
    </Screen>
  );
}

function Tokens({ tokens, onChange }: { tokens: readonly Token[]; onChange: () => void }) {
  const { api, path } = useSession();
  const [made, setMade] = useState<{ name: string; token: string }>();
  const make = useAction(async (form: HTMLFormElement) => {
    const { name = "" } = wordsOf(form);
    const { token } = await api.post<{ token: string }>(path("/tokens"), { name });
    setMade({ name, token });
    form.reset();
    onChange();
  });
  const { ask, dialog } = useConfirm();
  const revoke = useAction(async (id: string) => {
    await api.remove(path(`/tokens/${segment(id)}`));
    setMade(undefined);
    onChange();
  });
  return (
    <>
      {dialog}
      <h2>Tokens</h2>
      <p>
        For clients that do not sign in by themselves: a token acts in its bearer's name until it is revoked.
      </p>
      <Fault error={make.error ?? revoke.error} />
      <form class="row" onSubmit={onSubmit(make.run)}>
        <TextField label="Whose" name="name" required maxLength={200} />
        <button type="submit" disabled={make.busy}>
          Make a token
        </button>
      </form>
      <div role="status">{made === undefined ? null : <MadeToken {...made} />}</div>
      <Table
        caption="Tokens"
        head={["Whose", "May", "Made", "Action"]}
        widths={["26%", "30%", "24%", "20%"]}
        empty="There is no token yet. Make one for each client, so that each can be revoked alone."
        rows={tokens.map(({ id, name, scopes, createdAt }) => ({
          key: id,
          cells: [
            <bdi>{name}</bdi>,
            scopes.join(", "),
            <When at={createdAt} />,
            <button
              type="button"
              class="plain"
              onClick={() =>
                ask(`Revoke the token of ${name}? Whatever uses it stops working.`, "Revoke", () =>
                  revoke.run(id),
                )
              }
            >
              Revoke<span class="unseen"> the token of {name}</span>
            </button>,
          ],
        }))}
      />
    </>
  );
}

/** Shown this once, with what a client is to be told. */
function MadeToken({ name, token }: { name: string; token: string }) {
  const { tenant } = useSession();
  const url = `${location.origin}/t/${tenant}/mcp`;
  const headers = { Authorization: `Bearer ${token}` };
  const settings = JSON.stringify({ mcpServers: { boardwalk: { url, headers } } }, null, 2);
  return (
    <div class="note good">
      <p>
        The token of {name}, shown this once: <code>{token}</code>
      </p>
      <p>
        For Claude Code, Cursor and others that take such a block;{" "}
        <a href="/docs/clients.md">every other client</a>:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>{settings}</pre>
      <Copy text={settings} />
    </div>
  );
}

function Members({ members, onChange }: { members: readonly Member[]; onChange: () => void }) {
  const { api, path } = useSession();
  const [code, setCode] = useState<{ name: string; code: string; expiresAt: string }>();
  const pair = useAction(async (name: string) => {
    setCode(await api.post(path("/members"), { name }));
    onChange();
  });
  const { ask, dialog } = useConfirm();
  const remove = useAction(async (name: string) => {
    await api.remove(path(`/members/${segment(name)}`));
    setCode(undefined);
    onChange();
  });
  return (
    <>
      {dialog}
      <h2>Members</h2>
      <p>
        People who sign in to this page, or link an app of their own, such as Alexa: each time with a pairing
        code.
      </p>
      <Fault error={pair.error ?? remove.error} />
      <form
        class="row"
        onSubmit={onSubmit((form) => {
          void pair.run(wordsOf(form).name ?? "");
          form.reset();
        })}
      >
        <TextField label="Name" name="name" required maxLength={60} />
        <button type="submit" disabled={pair.busy}>
          Get a pairing code
        </button>
      </form>
      <div role="status">
        {code === undefined ? null : (
          <p class="note good">
            {code.name}: <code>{code.code}</code>, good once until <When at={code.expiresAt} />
          </p>
        )}
      </div>
      <Table
        caption="Members"
        head={["Name", "Added", "Action"]}
        widths={["32%", "32%", "36%"]}
        empty="Nobody has been added yet."
        rows={members.map(({ name, createdAt }) => ({
          key: name,
          cells: [
            <bdi>{name}</bdi>,
            <When at={createdAt} />,
            <span class="row">
              <button type="button" class="plain" onClick={() => void pair.run(name)}>
                New code<span class="unseen"> for {name}</span>
              </button>
              <button
                type="button"
                class="plain"
                onClick={() =>
                  ask(`Remove ${name}? Apps linked in this name stop working.`, "Remove", () =>
                    remove.run(name),
                  )
                }
              >
                Remove<span class="unseen"> {name}</span>
              </button>
            </span>,
          ],
        }))}
      />
    </>
  );
}
