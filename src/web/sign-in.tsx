import { useEffect } from "preact/hooks";
import { createApi } from "./api.js";
import { useAction } from "./hooks.js";
import { Fault, onSubmit, TextField, wordsOf } from "./parts.js";

/** Asks for the admin token, and tries it before it is kept. */
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
  const { busy, error, run } = useAction(async (token: string) => {
    await createApi(token, () => {}).get("/tenants");
    onToken(token);
  });
  return (
    <main class="alone">
      <h1>Boardwalk</h1>
      <p class="lead">Talk your tickets across a real board.</p>
      <form class="card" onSubmit={onSubmit((form) => run(wordsOf(form).token ?? ""))}>
        <TextField
          label="Admin token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          hint="BOARDWALK_ADMIN_TOKEN of this service; the demo prints it with --json. It is kept in this tab only."
        />
        <Fault error={error ?? refused} />
        <button type="submit" disabled={busy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
