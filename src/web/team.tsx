import type { Api } from "./api.js";
import { placeOf, useAction, useSession } from "./hooks.js";
import { Fault, onSubmit, Screen, TextField, wordsOf } from "./parts.js";

/** Where there is no team yet. */
export function FirstTeam({ api, onMade }: { api: Api; onMade: () => void }) {
  return (
    <main class="alone">
      <h1>Your first team</h1>
      <p class="lead">{LEAD}</p>
      <TeamForm api={api} onMade={onMade} />
    </main>
  );
}

/** One more. */
export function TeamScreen() {
  const { api, teamsChanged } = useSession();
  const made = (id: string) => {
    teamsChanged();
    location.hash = placeOf(id, "boards");
  };
  return (
    <Screen title="New team" lead={LEAD}>
      <TeamForm api={api} onMade={made} />
    </Screen>
  );
}

const LEAD = "Boards, tickets and people belong to a team, and no team sees another's.";

function TeamForm({ api, onMade }: { api: Api; onMade: (id: string) => void }) {
  const { busy, error, run } = useAction(async (form: HTMLFormElement) => {
    const { id } = await api.post<{ id: string }>("/tenants", wordsOf(form));
    onMade(id);
  });
  return (
    <form class="card narrow" onSubmit={onSubmit(run)}>
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
  );
}
