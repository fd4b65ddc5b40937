import { useId, useState } from "preact/hooks";
import { useAction, useSession } from "./hooks.js";
import { Fault, onSubmit, Problems, TextField, wordsOf } from "./parts.js";
import type { Connection } from "./shapes.js";

/** A board is connected by a form; what its credentials cannot do is said at once. */

interface Wanted {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly optional?: boolean;
  readonly secret?: boolean;
}

interface Provider {
  readonly name: string;
  readonly settings: readonly Wanted[];
  readonly credentials: readonly Wanted[];
}

const apiUrl: Wanted = {
  name: "apiUrl",
  label: "API address",
  hint: "Only where it is not the usual one.",
  optional: true,
};

const PROVIDERS: Readonly<Record<string, Provider>> = {
  jira: {
    name: "Jira",
    settings: [
      { name: "baseUrl", label: "Site", hint: "Such as https://acme.atlassian.net" },
      { name: "project", label: "Project key", hint: "Such as ENG" },
    ],
    credentials: [
      { name: "email", label: "Email of the account" },
      { name: "apiToken", label: "API token", secret: true },
    ],
  },
  linear: {
    name: "Linear",
    settings: [{ name: "team", label: "Team", hint: "Its key or name" }, apiUrl],
    credentials: [{ name: "apiKey", label: "API key", secret: true }],
  },
  github: {
    name: "GitHub Projects",
    settings: [
      { name: "owner", label: "Owner", hint: "The organisation or person" },
      { name: "project", label: "Project number" },
      apiUrl,
    ],
    credentials: [{ name: "token", label: "Token", secret: true }],
  },
  trello: {
    name: "Trello",
    settings: [{ name: "board", label: "Board", hint: "Its id, short link or address" }, apiUrl],
    credentials: [
      { name: "apiKey", label: "API key", secret: true },
      { name: "token", label: "Token", secret: true },
      {
        name: "secret",
        label: "Secret of the app",
        secret: true,
        optional: true,
        hint: "Without it the board is polled.",
      },
    ],
  },
};

export function Connect({ onMade }: { onMade: () => void }) {
  const { api, path } = useSession();
  const [provider, setProvider] = useState("jira");
  const [made, setMade] = useState<Connection>();
  const select = useId();
  const { busy, error, run } = useAction(async (form: HTMLFormElement) => {
    setMade(undefined);
    setMade(await api.post<Connection>(path("/connections"), connectionOf(provider, wordsOf(form))));
    form.reset();
    onMade();
  });
  const { settings, credentials } = PROVIDERS[provider] ?? { settings: [], credentials: [] };
  return (
    <details class="card">
      <summary>Connect a board</summary>
      <form onSubmit={onSubmit(run)}>
        <div class="field">
          <label for={select}>Kind</label>
          <select id={select} value={provider} onChange={(event) => setProvider(event.currentTarget.value)}>
            {Object.entries(PROVIDERS).map(([id, { name }]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <TextField
          label="Id"
          name="id"
          required
          pattern="[a-z0-9][a-z0-9\-]{0,39}"
          hint="What you call it: 1 to 40 of a-z, 0-9 and -."
        />
        {settings.map((wanted) => (
          <WantedField key={`${provider}-s-${wanted.name}`} prefix="settings" {...wanted} />
        ))}
        {credentials.map((wanted) => (
          <WantedField key={`${provider}-c-${wanted.name}`} prefix="credentials" {...wanted} />
        ))}
        <fieldset>
          <legend>Draft pull requests, if you wish</legend>
          <TextField
            label="GitHub repository"
            name="repo"
            placeholder="acme/web"
            pattern="[^\/\s]+\/[^\/\s]+"
          />
          <TextField label="GitHub token" name="vcsToken" type="password" autocomplete="off" />
          <TextField
            label="Status"
            name="hookStatus"
            hint="When a ticket enters it and has a branch, a draft pull request is opened."
          />
        </fieldset>
        <Fault error={error} />
        <div role="status">{made === undefined ? null : <Made connection={made} />}</div>
        <button type="submit" disabled={busy}>
          {busy ? "Trying it …" : "Connect"}
        </button>
      </form>
    </details>
  );
}

function WantedField({ prefix, name, label, hint, optional, secret }: Wanted & { prefix: string }) {
  return (
    <TextField
      label={label}
      name={`${prefix}.${name}`}
      hint={hint}
      required={!optional}
      type={secret ? "password" : "text"}
      autocomplete="off"
    />
  );
}

function Made({ connection: { id, health } }: { connection: Connection }) {
  if (health.problems.length === 0) return <p class="note good">{id} is connected and being imported.</p>;
  return (
    <>
      <p class="note warn">{id} is kept, but this is missing:</p>
      <Problems problems={health.problems} />
    </>
  );
}

function connectionOf(provider: string, words: Readonly<Record<string, string>>) {
  const under = (prefix: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(words)
        .filter(([name]) => name.startsWith(`${prefix}.`))
        .map(([name, value]) => [name.slice(prefix.length + 1), value]),
    );
  const { id, repo, vcsToken, hookStatus } = words;
  const settings = under("settings");
  if (provider === "github") settings.project = Number(settings.project);
  return {
    id,
    provider,
    settings: {
      ...settings,
      ...(repo === undefined ? {} : { vcs: { provider: "github", repo } }),
      ...(hookStatus === undefined
        ? {}
        : { hooks: [{ on: "enter", status: hookStatus, run: "draft-pull-request" }] }),
    },
    credentials: {
      ...under("credentials"),
      ...(vcsToken === undefined ? {} : { vcs: { token: vcsToken } }),
    },
  };
}
