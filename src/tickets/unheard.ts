import { BoardwalkError } from "../errors.js";
import type { ActorRecord } from "../store/store.js";
import type { MoveDeps } from "./asking.js";
import { syncJobFor } from "./jobs.js";
import type { Speech } from "./speech.js";
import { type OrAnswer, resolveTarget, type Target } from "./target.js";
import type { Conversation, MoveArguments } from "./tickets.js";
import type { TenantView } from "./view.js";
import type { Workflow } from "./workflow.js";

/** Where a move shall go, also when its status was renamed or added while its speaker was speaking. */

export interface Found {
  readonly view: TenantView;
  readonly workflow: Workflow;
  readonly target: OrAnswer<Target>;
}

/** So long one pull answers for everybody who names a status that the board does not have. */
const PULL_LASTS_MS = 60_000;

/** Boards do not tell of columns, so a name that we do not know is looked up once on the board before it is refused. */
export async function findTarget(
  deps: MoveDeps,
  talk: Conversation,
  view: TenantView,
  record: ActorRecord,
  args: Pick<MoveArguments, "to" | "workflow">,
  say: Speech,
): Promise<Found> {
  const known = workflowOf(view, record);
  const target = resolveTarget(known, record, args, talk, say);
  if (!("unheard" in target)) return { view, workflow: known, target };
  const minute = Math.floor(deps.now().getTime() / PULL_LASTS_MS);
  const pull = syncJobFor(talk.tenant.id, record.ticket.connection, `unheard-${minute}`);
  // The rest of the budget is for the move itself; a pull that takes longer is there for the next sentence.
  await deps.jobs.ask(pull, talk.budgetMs / 2);
  const fresh = await deps.views.fresh(talk.tenant);
  const workflow = workflowOf(fresh, record);
  return { view: fresh, workflow, target: resolveTarget(workflow, record, args, talk, say) };
}

/** @throws BoardwalkError `stale_workflow` when it is not imported yet. */
function workflowOf(view: TenantView, record: ActorRecord): Workflow {
  const workflow = view.workflowOf(record);
  if (workflow !== undefined) return workflow;
  throw new BoardwalkError(
    "stale_workflow",
    "The workflow of this ticket is not imported yet. Please try again in a moment.",
  );
}
