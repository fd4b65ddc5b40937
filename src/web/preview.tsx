import { count } from "./boards.js";
import { WorkflowDrawing } from "./drawing.js";
import { Problems, StatusTag } from "./parts.js";
import type { Preview } from "./shapes.js";
import { Trust } from "./workflows.js";

/** What a board would be if it were connected, before anything of it is kept. */

/** As many tools give an idea. */
const FEW_TOOLS = 8;

export function PreviewView({ preview }: { preview: Preview }) {
  const { problems, warnings, workflows, tickets, tools } = preview;
  const moves = tools.filter(({ name }) => name.includes("_move_to_"));
  const first = (moves.length > 0 ? moves : tools).slice(0, FEW_TOOLS);
  return (
    <fieldset class="preview">
      <legend>3. What would be imported</legend>
      {problems.length === 0 ? (
        <p class="told good">Nothing is missing: this account may do all that is needed.</p>
      ) : (
        <>
          <p>What this account may not do, and how to mend it:</p>
          <Problems problems={problems} />
        </>
      )}
      {warnings.length === 0 ? null : (
        <>
          <p>Worth knowing:</p>
          <Problems problems={warnings} />
        </>
      )}
      {workflows.length === 0 ? null : (
        <p>
          <strong>
            {count(workflows.length, "workflow")}, {tickets.more ? "more than " : ""}
            {count(tickets.counted, "ticket")}
          </strong>
        </p>
      )}
      {workflows.map((workflow) => (
        <section key={workflow.id} aria-label={workflow.name}>
          <h3>{workflow.name}</h3>
          <p class="tags">
            {workflow.statuses.map(({ id, name, category }) => (
              <StatusTag key={id} name={name} category={category} />
            ))}
          </p>
          <Trust edges={workflow.edges} />
          <WorkflowDrawing workflow={workflow} counts={countsOf(preview, workflow.id)} />
        </section>
      ))}
      {first.length === 0 ? null : (
        <>
          <h3>Tools it makes</h3>
          <ul class="plain-list">
            {first.map(({ name, title, phrases }) => (
              <li key={name}>
                <code>{name}</code> {title}
                {phrases[0] === undefined ? null : <span class="quiet"> “{phrases[0]}”</span>}
              </li>
            ))}
          </ul>
          {tools.length > first.length ? <p class="quiet">and {tools.length - first.length} more</p> : null}
        </>
      )}
    </fieldset>
  );
}

function countsOf({ tickets }: Preview, workflow: string): ReadonlyMap<string, number> {
  const board = tickets.boards.find((one) => one.workflow === workflow);
  return new Map(board?.statuses.map(({ id, tickets: inIt }) => [id, inIt]));
}
