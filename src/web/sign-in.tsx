import { useEffect } from "preact/hooks";
import { createApi, redeem } from "./api.js";
import { useAction } from "./hooks.js";
import { Fault, onSubmit, TextField, wordsOf } from "./parts.js";

/** Asks for the admin token, and tries it before it is kept; or for a pairing code, which becomes a token. */
export function SignIn({
  refused,
  onToken,
}: {
  refused: string | undefined;
  onToken: (token: string) => void;
}) {
  useEffect(() => {
    document.title = "Sign in · Boardwalk";
  }, []);
  const admin = useAction(async (token: string) => {
    await createApi(token, () => {}).get("/session");
    onToken(token);
  });
  const person = useAction(async (code: string) => onToken(await redeem(code)));
  return (
    <main class="alone">
      <h1>
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="36" height="36" /> Boardwalk
      </h1>
      <p class="lead">Talk your tickets across a real board.</p>
      <Fault error={refused} />
      <form class="card" onSubmit={onSubmit((form) => admin.run(wordsOf(form).token ?? ""))}>
        <h2>I run this service</h2>
        <TextField
          label="Admin token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          hint="BOARDWALK_ADMIN_TOKEN of this service; the demo prints it. Kept in this tab only."
        />
        <Fault error={admin.error} />
        <button type="submit" disabled={admin.busy}>
          Sign in
        </button>
      </form>
      <form class="card" onSubmit={onSubmit((form) => person.run(wordsOf(form).code ?? ""))}>
        <h2>I am on a team</h2>
        <TextField
          label="Pairing code"
          name="code"
          class="code"
          placeholder="XXXX-XXXX"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxLength={20}
          required
          hint="From whoever runs Boardwalk for your team. It works once, for a quarter of an hour."
        />
        <Fault error={person.error} />
        <button type="submit" class="plain" disabled={person.busy}>
          Sign in with the code
        </button>
      </form>
    </main>
  );
}
