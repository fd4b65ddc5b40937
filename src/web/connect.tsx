import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { count } from "./boards.js";
import { placeOf, useAction, useLoaded, useNews, useSession } from "./hooks.js";
import { Fault, onSubmit, Problems, Screen, SelectField, TextField, wordsOf } from "./parts.js";
import { PreviewView } from "./preview.js";
import { idFrom, isAskable, PROVIDERS, type Provider, under, type Wanted } from "./providers.js";
import type { Choices, Connection, Preview } from "./shapes.js";

/**
 * A board is connected step by step, and asked at each: are the credentials good, what do they show, what would be
 * imported. Nothing is kept before the last.
 */
export function ConnectScreen() {
  const [kind, setKind] = useState("jira");
  const [made, setMade] = useState<{ readonly id: string; readonly expected: number }>();
  const provider = PROVIDERS[kind];
  return (
    <Screen
      title="Connect a board"
      lead="The board is asked as you go; nothing is kept before you have seen what would be imported."
    >
      {made !== undefined ? (
        <Importing id={made.id} expected={made.expected} />
      ) : (
        <>
          <fieldset class="kinds">
            <legend>Kind of board</legend>
            {Object.entries(PROVIDERS).map(([id, { name }]) => (
              <label key={id} class="check">
                <input
                  type="radio"
                  name="kind"
                  value={id}
                  checked={kind === id}
                  onChange={() => setKind(id)}
                />{" "}
                {name}
              </label>
            ))}
          </fieldset>
          {provider === undefined ? null : (
            <Steps
              key={kind}
              kind={kind}
              provider={provider}
              onMade={(id, expected) => setMade({ id, expected })}
            />
          )}
        </>
      )}
    </Screen>
  );
}

interface StepsProps {
  readonly kind: string;
  readonly provider: Provider;
  onMade(id: string, expected: number): void;
}

function Steps({ kind, provider, onMade }: StepsProps) {
  const { api, path } = useSession();
  const form = useRef<HTMLFormElement>(null);
  const [asked, setAsked] = useState("");
  const [choices, setChoices] = useState<Choices>();
  const [chosen, setChosen] = useState("");
  const [preview, setPreview] = useState<Preview>();
  const tried = (value?: string) => triedBoard(kind, provider, form.current, value);
  const check = useAction(async () => {
    setChoices(undefined);
    setChosen("");
    setPreview(undefined);
    const found = await api.post<Choices>(path("/connections/choices"), tried());
    setChoices(found);
    const [only, ...others] = found.choices;
    if (only !== undefined && others.length === 0) await look.run(only.value);
  });
  const look = useAction(async (value: string) => {
    setChosen(value);
    setPreview(undefined);
    if (value !== "") setPreview(await api.post<Preview>(path("/connections/preview"), tried(value)));
  });
  const keep = useAction(async () => {
    const words = wordsOf(form.current ?? document.createElement("form"));
    const { id } = await api.post<Connection>(path("/connections"), {
      ...withPullRequests(tried(chosen), words),
      id: words.id,
    });
    onMade(id, preview?.tickets.counted ?? 0);
  });
  /** Asked of its own accord, once all is there and something of it is another. */
  const changed = () => {
    const words = wordsOf(form.current ?? document.createElement("form"));
    const now = JSON.stringify(tried());
    if (!isAskable(provider, words) || now === asked || check.busy) return;
    setAsked(now);
    void check.run();
  };
  const label = choices?.choices.find(({ value }) => value === chosen)?.label ?? "";
  return (
    <form ref={form} class="steps" onSubmit={onSubmit(() => keep.run())}>
      <fieldset onChange={changed}>
        <legend>1. Where it is, and who asks</legend>
        <p class="quiet">{provider.help}</p>
        {provider.settings.map((wanted) => (
          <WantedField key={wanted.name} prefix="settings" {...wanted} />
        ))}
        {provider.credentials.map((wanted) => (
          <WantedField key={wanted.name} prefix="credentials" {...wanted} />
        ))}
        <p class="row">
          <button type="button" class="plain" disabled={check.busy} onClick={() => void check.run()}>
            {check.busy ? "Asking the board …" : "Check"}
          </button>
          <span role="status">
            {choices !== undefined && choices.problems.length === 0 ? (
              <strong class="told good">The board knows this account.</strong>
            ) : null}
          </span>
        </p>
        <Fault error={check.error} />
        <div role="status">
          <Problems problems={choices?.problems ?? []} />
        </div>
      </fieldset>
      {choices === undefined || choices.problems.length > 0 ? null : (
        <fieldset>
          <legend>2. Which one</legend>
          {choices.choices.length === 0 ? (
            <p class="note warn">
              This account is shown nothing to choose from. Give it access there, then check again.
            </p>
          ) : (
            <SelectField
              label={provider.choose.label}
              value={chosen}
              onChange={(value) => void look.run(value)}
              options={[
                ["", "Choose …"],
                ...choices.choices.map(({ value, label: words }) => [value, words] as const),
              ]}
            />
          )}
          <p role="status">{look.busy ? "Reading what would be imported …" : ""}</p>
          <Fault error={look.error} />
        </fieldset>
      )}
      {preview === undefined ? null : (
        <>
          <PreviewView preview={preview} />
          {preview.workflows.length === 0 ? null : (
            <Keeping key={chosen} id={idFrom(label)} busy={keep.busy} error={keep.error} />
          )}
        </>
      )}
    </form>
  );
}

function Keeping({ id, busy, error }: { id: string; busy: boolean; error: Error | undefined }) {
  return (
    <fieldset>
      <legend>4. Keep it</legend>
      <TextField
        label="Id"
        name="id"
        required
        defaultValue={id}
        pattern="[a-z0-9][a-z0-9\-]{0,39}"
        hint="What you call it: 1 to 40 of a-z, 0-9 and -."
      />
      <details>
        <summary>Draft pull requests</summary>
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
      </details>
      <Fault error={error} />
      <button type="submit" disabled={busy}>
        {busy ? "Connecting …" : "Connect and import"}
      </button>
    </fieldset>
  );
}

/** How far the import is, as it is told. */
function Importing({ id, expected }: { id: string; expected: number }) {
  const { tenant, path } = useSession();
  const { data, error, reload } = useLoaded<Connection>(path(`/connections/${id}`));
  useNews(["connections"], reload);
  const { imported, progress, health } = data ?? {};
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus is gone.
  useLayoutEffect(() => heading.current?.focus(), []);
  const read = imported?.tickets ?? progress?.read ?? 0;
  return (
    <section class="card" aria-label="Import">
      <h2 ref={heading} tabIndex={-1}>
        {id}
      </h2>
      <Fault error={error} />
      <progress
        aria-label="Import"
        max={Math.max(1, expected)}
        value={imported === undefined ? read : Math.max(1, expected)}
      />
      <p role="status">
        {imported === undefined
          ? `Importing, ${count(read, "ticket")} so far …`
          : `Imported: ${count(imported.workflows, "workflow")}, ${count(imported.tickets, "ticket")}.`}
      </p>
      <p class="row">
        <a class="button" href={placeOf(tenant, "boards")}>
          To the boards
        </a>
        <a href={placeOf(tenant, "talk")}>Talk to it</a>
      </p>
      <Problems problems={health?.problems ?? []} />
    </section>
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

interface Tried {
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
}

function triedBoard(
  kind: string,
  { choose }: Provider,
  form: HTMLFormElement | null,
  chosen: string | undefined,
): Tried {
  const words = form === null ? {} : wordsOf(form);
  return {
    provider: kind,
    settings: { ...under(words, "settings"), ...(chosen === undefined ? {} : { [choose.name]: chosen }) },
    credentials: under(words, "credentials"),
  };
}

function withPullRequests(
  { settings, credentials, ...rest }: Tried,
  { repo, vcsToken, hookStatus }: Readonly<Record<string, string>>,
): Tried {
  return {
    ...rest,
    settings: {
      ...settings,
      ...(repo === undefined ? {} : { vcs: { provider: "github", repo } }),
      ...(hookStatus === undefined
        ? {}
        : { hooks: [{ on: "enter", status: hookStatus, run: "draft-pull-request" }] }),
    },
    credentials: { ...credentials, ...(vcsToken === undefined ? {} : { vcs: { token: vcsToken } }) },
  };
}
