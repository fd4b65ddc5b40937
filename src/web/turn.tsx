import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { partsOf } from "./call-parts.js";
import { placeOf, useSession } from "./hooks.js";
import type { Said } from "./shapes.js";
import { Hooks } from "./ticket.js";

/** A sentence, the call that an agent would make of it, what it did, and what may be said next. */

export interface Turn {
  readonly number: number;
  readonly sentence: string;
  readonly said: Said;
  /** From the question to its answer. */
  readonly tookMs: number;
}

interface TurnProps {
  readonly turn: Turn;
  readonly last: boolean;
  onAgain(sentence: string, body: object): Promise<void>;
}

export function TurnView({ turn: { sentence, said, tookMs }, last, onAgain }: TurnProps) {
  const { answer, tool, args } = said;
  const turn = useRef<HTMLLIElement>(null);
  // The newest is read from its beginning, above where the next one is said.
  useLayoutEffect(() => turn.current?.scrollIntoView({ block: "start" }), []);
  return (
    <li ref={turn}>
      <p class="asked">
        <span class="unseen">You: </span>
        <bdi>{sentence}</bdi>
      </p>
      <p class={`replied ${answer.outcome ?? ""}`}>
        <span class="unseen">Boardwalk: </span>
        {answer.spoken}
      </p>
      {last ? <Choices said={said} onAgain={onAgain} /> : null}
      {last ? <FollowUp said={said} onAgain={onAgain} /> : null}
      <Hooks hooks={answer.hooks ?? []} />
      <div class="call">
        <p>
          <code class="tool">{tool}</code> <small>{tookMs} ms</small>
        </p>
        <dl>
          {Object.entries(args).map(([name, value]) => (
            <Part key={name} name={name} value={typeof value === "string" ? value : JSON.stringify(value)} />
          ))}
          {answer.outcome === undefined ? null : <Part name="outcome" value={answer.outcome} />}
          {answer.from === undefined || answer.to === undefined ? null : (
            <Part name="way" value={`${answer.from.name} → ${answer.to.name}`} />
          )}
        </dl>
        <ol class="parts" aria-label="What the call did">
          {partsOf(said).map(({ name, state, text }) => (
            <li key={name} class={state.replace(" ", "-")}>
              <strong>{name}</strong> <span>{text}</span>
              <small> {state === "done" ? "" : state}</small>
            </li>
          ))}
        </ol>
        <TicketLink said={said} />
        <details>
          <summary>The whole answer</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
          <pre tabIndex={0}>{JSON.stringify(answer, null, 2)}</pre>
        </details>
      </div>
    </li>
  );
}

function Part({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function TicketLink({ said: { answer } }: { said: Said }) {
  const { tenant } = useSession();
  const { ticket } = answer;
  if (ticket === undefined) return null;
  return <a href={placeOf(tenant, "ticket", ticket.id)}>Timeline of {ticket.key ?? ticket.title}</a>;
}

/** A question is answered by the same call again, with what was chosen. */
function Choices({ said, onAgain }: { said: Said; onAgain: TurnProps["onAgain"] }) {
  const { question } = said.answer;
  const [left, setLeft] = useState(false);
  if (question === undefined) return null;
  if (left) return <p class="quiet">Left as it is.</p>;
  const choose = (id: string, label: string) => {
    if (question.about === "confirm" && id === "no") return setLeft(true);
    void onAgain(label, bodyWith(said, id));
  };
  return (
    <fieldset class="row choices" aria-label="Answers">
      {question.options.map(({ id, label }) => (
        <button key={id} type="button" class="chip" onClick={() => choose(id, label)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}

/** What is often said next. */
function FollowUp({ said: { tool, answer }, onAgain }: Pick<TurnProps, "onAgain"> & { said: Said }) {
  const { outcome, already } = answer;
  if (outcome === "confirmed" && !already && tool !== "undo_move")
    return <Next words="Undo this move" onClick={() => onAgain("undo", { sentence: "undo" })} />;
  if (outcome !== "accepted") return null;
  return (
    <Next
      words="How did it go?"
      onClick={() => onAgain("how did that go", { sentence: "how did that go" })}
    />
  );
}

function Next({ words, onClick }: { words: string; onClick: () => Promise<void> }) {
  return (
    <p class="row">
      <button type="button" class="chip" onClick={() => void onClick()}>
        {words}
      </button>
    </p>
  );
}

/** What is sent for a choice: a move or an undo with its token, anything else as the sentence it would be. */
function bodyWith(said: Said, chosen: string): object {
  if (said.tool === "move_ticket") return { move: moveWith(said, chosen) };
  const { question, ticket } = said.answer;
  if (said.tool !== "undo_move")
    return { sentence: said.tool === "list_moves" ? `where can ${chosen} go` : `where is ${chosen}` };
  const meant = question?.about === "ticket" ? chosen : ticket?.id;
  return {
    undo: {
      ...(meant === undefined ? {} : { ticket: meant }),
      ...(question?.token === undefined ? {} : { token: question.token }),
    },
  };
}

function moveWith({ args, answer }: Said, chosen: string) {
  const { question, ticket, to, openMoves } = answer;
  const move = {
    ticket: ticket?.id ?? args.ticket,
    to: to?.id ?? args.to,
    ...(question?.token === undefined ? {} : { token: question.token }),
  };
  if (question?.about === "ticket") return { ...move, ticket: chosen };
  if (question?.about === "status") return { ...move, to: chosen };
  if (question?.about !== "field") return move;
  const field = openMoves
    ?.flatMap(({ fields }) => fields ?? [])
    .find(({ allowed }) => allowed?.some(({ id }) => id === chosen));
  return field === undefined ? move : { ...move, fields: { [field.id]: chosen } };
}
