import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { partsOf } from "./call-parts.js";
import { placeOf, useAction, useSession } from "./hooks.js";
import { Fault, onSubmit, Screen, wordsOf } from "./parts.js";
import type { Said } from "./shapes.js";
import { canHear, canSpeak, hear, speak } from "./speech.js";
import { Hooks } from "./ticket.js";

/** The conversation: a sentence, what an agent would call for it, and the reply. */

interface Turn {
  readonly number: number;
  readonly sentence: string;
  readonly said: Said;
  /** From the question to its answer. */
  readonly tookMs: number;
}

const SAMPLES = ["what is in progress", "describe the boards", "where is the login bug", "undo"];

/** `sentence` is put where she may say it, and not said. */
export function TalkScreen({ sentence: given }: { sentence: string }) {
  const { api, path } = useSession();
  const conversation = useMemo(() => crypto.getRandomValues(new Uint32Array(2)).join("-"), []);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [aloud, setAloud] = useState(false);
  const { busy, error, run } = useAction(async (sentence: string, body: object) => {
    const askedAt = performance.now();
    const said = await api.post<Said>(path("/say"), { ...body, conversation });
    const tookMs = Math.round(performance.now() - askedAt);
    setTurns((before) => [...before, { number: before.length, sentence, said, tookMs }]);
    if (aloud) speak(said.answer.spoken);
  });
  const say = (sentence: string) => run(sentence, { sentence });
  return (
    <Screen title="Talk" lead="The same words and the same tools that an assistant uses, on the real boards.">
      {turns.length === 0 ? (
        <p class="empty">
          Say what should happen to a ticket, or ask where one is. You see the call that is made of it.
        </p>
      ) : null}
      <ol class="talk" aria-live="polite" aria-label="Conversation">
        {turns.map((turn) => (
          <TurnView key={turn.number} turn={turn} last={turn.number === turns.length - 1} onAgain={run} />
        ))}
      </ol>
      <Fault error={error} />
      <Mouth busy={busy} given={given} onSentence={say} />
      <p class="row samples">
        <span class="quiet">For example</span>
        {SAMPLES.map((sample) => (
          <button key={sample} type="button" class="chip" disabled={busy} onClick={() => void say(sample)}>
            {sample}
          </button>
        ))}
      </p>
      {canSpeak ? (
        <label class="check">
          <input
            type="checkbox"
            checked={aloud}
            onChange={(event) => setAloud(event.currentTarget.checked)}
          />{" "}
          Read replies aloud
        </label>
      ) : null}
    </Screen>
  );
}

interface MouthProps {
  readonly busy: boolean;
  readonly given: string;
  onSentence(sentence: string): Promise<void>;
}

function Mouth({ busy, given, onSentence }: MouthProps) {
  const id = useId();
  const stop = useRef<() => void>();
  const [hearing, setHearing] = useState(false);
  const [trouble, setTrouble] = useState("");
  useEffect(() => () => stop.current?.(), []);
  const listen = () => {
    if (hearing) return void stop.current?.();
    setTrouble("");
    setHearing(true);
    stop.current = hear({
      onHeard: (sentence) => void onSentence(sentence),
      onEnd: () => setHearing(false),
      onError: setTrouble,
    });
  };
  return (
    <form
      class="mouth"
      onSubmit={onSubmit((form) => {
        const { sentence } = wordsOf(form);
        if (sentence === undefined || busy) return;
        const input = form.elements.namedItem("sentence") as HTMLInputElement;
        input.value = "";
        void onSentence(sentence);
      })}
    >
      <label for={id}>Say</label>
      <input
        id={id}
        name="sentence"
        defaultValue={given}
        required
        maxLength={500}
        autocomplete="off"
        placeholder="move the login bug to in review"
      />
      <button type="submit" disabled={busy}>
        {busy ? "Asking …" : "Say it"}
      </button>
      {canHear ? (
        <button type="button" class="plain" aria-pressed={hearing} onClick={listen}>
          {hearing ? "Listening …" : "Speak"}
        </button>
      ) : null}
      <div role="status">{trouble === "" ? null : <small>{trouble}</small>}</div>
    </form>
  );
}

interface TurnProps {
  readonly turn: Turn;
  readonly last: boolean;
  onAgain(sentence: string, body: object): Promise<void>;
}

function TurnView({ turn: { sentence, said, tookMs }, last, onAgain }: TurnProps) {
  const { answer, tool, args } = said;
  return (
    <li>
      <p class="asked">
        <span class="unseen">You: </span>
        {sentence}
      </p>
      <p class={`replied ${answer.outcome ?? ""}`}>
        <span class="unseen">Boardwalk: </span>
        {answer.spoken}
      </p>
      {last ? <Choices said={said} onAgain={onAgain} /> : null}
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
