import type { Api } from "./api.js";
import { useAction } from "./hooks.js";
import { Fault, onSubmit, TextField, wordsOf } from "./parts.js";

/** Where there is no team yet. */
export function FirstTeam({ api, onMade }: { api: Api; onMade: () => void }) {
  const { busy, error, run } = useAction(async (form: HTMLFormElement) => {
    await api.post("/tenants", wordsOf(form));
    onMade();
  });
  return (
    <main class="alone">
      <h1>Your first team</h1>
      <p class="lead">Boards, tickets and people belong to a team, and no team sees another's.</p>
      <form class="card" onSubmit={onSubmit(run)}>
        <TextField label="Name" name="name" required maxLength={200} />
        <TextField
          label="Id"
          name="id"
          required
          pattern="[a-z0-9][a-z0-9\-]{0,39}"
          hint="1 to 40 of a-z, 0-9 and -. It is part of the team's MCP address."
        />
        <Fault error={error} />
        <button type="submit" disabled={busy}>
          Make the team
        </button>
      </form>
    </main>
  );
}
