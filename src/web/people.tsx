import { useState } from "preact/hooks";
import { segment } from "./api.js";
import { useConfirm } from "./confirm.js";
import { useAction, useLoaded, useSession } from "./hooks.js";
import { Copy, Fault, onSubmit, Screen, TextField, Waiting, When, wordsOf } from "./parts.js";
import type { Member, Token } from "./shapes.js";
import { Table } from "./table.js";

export function PeopleScreen() {
  return (
    <Screen title="People" lead="Who may talk to this team's boards, and with what.">
      <Tokens />
      <Members />
    </Screen>
  );
}

function Tokens() {
  const { api, path } = useSession();
  const { data, error, reload } = useLoaded<{ tokens: readonly Token[] }>(path("/tokens"));
  const [made, setMade] = useState<{ name: string; token: string }>();
  const make = useAction(async (form: HTMLFormElement) => {
    const { name = "" } = wordsOf(form);
    const { token } = await api.post<{ token: string }>(path("/tokens"), { name });
    setMade({ name, token });
    form.reset();
    reload();
  });
  const { ask, dialog } = useConfirm();
  const revoke = useAction(async (id: string, name: string) => {
    if (!(await ask(`Revoke the token of ${name}? Whatever uses it stops working.`, "Revoke"))) return;
    await api.remove(path(`/tokens/${segment(id)}`));
    setMade(undefined);
    reload();
  });
  return (
    <>
      {dialog}
      <h2>Tokens</h2>
      <p>
        For clients that do not sign in by themselves: a token acts in its bearer's name until it is revoked.
      </p>
      <Fault error={error ?? make.error ?? revoke.error} />
      <form class="row" onSubmit={onSubmit(make.run)}>
        <TextField label="Whose" name="name" required maxLength={200} />
        <button type="submit" disabled={make.busy}>
          Make a token
        </button>
      </form>
      <div role="status">{made === undefined ? null : <MadeToken {...made} />}</div>
      {data === undefined && error === undefined ? <Waiting what="the tokens" /> : null}
      <Table
        caption="Tokens"
        head={["Whose", "May", "Made", "Action"]}
        widths={["26%", "30%", "24%", "20%"]}
        empty="There is no token yet. Make one for each client, so that each can be revoked alone."
        rows={data?.tokens.map(({ id, name, scopes, createdAt }) => ({
          key: id,
          cells: [
            <bdi>{name}</bdi>,
            scopes.join(", "),
            <When at={createdAt} />,
            <button type="button" class="plain" onClick={() => void revoke.run(id, name)}>
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

function Members() {
  const { api, path } = useSession();
  const { data, error, reload } = useLoaded<{ members: readonly Member[] }>(path("/members"));
  const [code, setCode] = useState<{ name: string; code: string; expiresAt: string }>();
  const pair = useAction(async (name: string) => {
    setCode(await api.post(path("/members"), { name }));
    reload();
  });
  const { ask, dialog } = useConfirm();
  const remove = useAction(async (name: string) => {
    if (!(await ask(`Remove ${name}? Apps linked in this name stop working.`, "Remove"))) return;
    await api.remove(path(`/members/${segment(name)}`));
    setCode(undefined);
    reload();
  });
  return (
    <>
      {dialog}
      <h2>Members</h2>
      <p>
        People who sign in to this page, or link an app of their own, such as Alexa: each time with a pairing
        code.
      </p>
      <Fault error={error ?? pair.error ?? remove.error} />
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
        rows={data?.members.map(({ name, createdAt }) => ({
          key: name,
          cells: [
            <bdi>{name}</bdi>,
            <When at={createdAt} />,
            <span class="row">
              <button type="button" class="plain" onClick={() => void pair.run(name)}>
                New code<span class="unseen"> for {name}</span>
              </button>
              <button type="button" class="plain" onClick={() => void remove.run(name)}>
                Remove<span class="unseen"> {name}</span>
              </button>
            </span>,
          ],
        }))}
      />
    </>
  );
}
