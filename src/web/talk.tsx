import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { placeOf, useAction, useLoaded, useSession } from "./hooks.js";
import { Fault, onSubmit, Screen, wordsOf } from "./parts.js";
import type { Board, Said, Surface } from "./shapes.js";
import { canHear, canSpeak, hear, speak } from "./speech.js";
import { type Turn, TurnView } from "./turn.js";

/** The conversation: a sentence, what an agent would call for it, and the reply. */

/** `sentence` is put where she may say it, and not said. */
export function TalkScreen({ sentence: given }: { sentence: string }) {
  const { api, path } = useSession();
  const conversation = useMemo(() => crypto.getRandomValues(new Uint32Array(2)).join("-"), []);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [asking, setAsking] = useState<string>();
  const [aloud, setAloud] = useState(false);
  const { busy, error, run } = useAction(async (sentence: string, body: object) => {
    const askedAt = performance.now();
    setAsking(sentence);
    const said = await api
      .post<Said>(path("/say"), { ...body, conversation })
      .finally(() => setAsking(undefined));
    const tookMs = Math.round(performance.now() - askedAt);
    setTurns((before) => [...before, { number: before.length, sentence, said, tookMs }]);
    if (aloud) speak(said.answer.spoken);
  });
  const say = (sentence: string) => run(sentence, { sentence });
  return (
    <Screen title="Talk" lead="The same words and the same tools that an assistant uses, on the real boards.">
      <div class="talking">
        {turns.length === 0 && asking === undefined ? <Samples busy={busy} onSentence={say} /> : null}
        <ol class="talk" aria-live="polite" aria-label="Conversation">
          {turns.map((turn) => (
            <TurnView key={turn.number} turn={turn} last={turn.number === turns.length - 1} onAgain={run} />
          ))}
        </ol>
        {asking === undefined ? null : <p class="asked">{asking}</p>}
        <Fault error={error} />
        <div class="composer">
          <Mouth busy={busy} given={given} onSentence={say}>
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
          </Mouth>
        </div>
      </div>
    </Screen>
  );
}

/** What is always there to be said, after what fits this team's own tickets. */
const ANYWHERE = ["what is in progress", "describe the boards"];
const MOST_SAMPLES = 5;
const SAMPLED = ["move_ticket", "read_ticket", "list_moves", "find_tickets"];

interface SamplesProps {
  readonly busy: boolean;
  onSentence(sentence: string): Promise<void>;
}

function Samples({ busy, onSentence }: SamplesProps) {
  const { tenant, operator, path } = useSession();
  const boards = useLoaded<{ boards: readonly Board[] }>(path("/boards"));
  const { data } = useLoaded<{ surfaces: readonly Surface[] }>(path("/tools"));
  // Those of Alexa+ name a ticket and a status that are there.
  const tools = data?.surfaces.find(({ id }) => id === "alexa")?.tools ?? [];
  const own = SAMPLED.flatMap((name) => tools.find((tool) => tool.name === name)?.phrases.slice(0, 1) ?? []);
  const samples = [...new Set([...own, ...ANYWHERE])].slice(0, MOST_SAMPLES);
  if (boards.data?.boards.length === 0) {
    return (
      <p class="empty">
        There is nothing to talk about yet.{" "}
        {operator ? <a href={placeOf(tenant, "connect")}>Connect a board</a> : "No board is connected."}
      </p>
    );
  }
  return (
    <div class="empty">
      <p>Say what should happen to a ticket, or ask where one is. You see the call that is made of it.</p>
      <p class="row">
        {(boards.data === undefined || data === undefined ? [] : samples).map((sample) => (
          <button
            key={sample}
            type="button"
            class="chip"
            disabled={busy}
            onClick={() => void onSentence(sample)}
          >
            <bdi>{sample}</bdi>
          </button>
        ))}
      </p>
    </div>
  );
}

interface MouthProps {
  readonly children: ComponentChildren;
  readonly busy: boolean;
  readonly given: string;
  onSentence(sentence: string): Promise<void>;
}

function Mouth({ busy, given, onSentence, children }: MouthProps) {
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
        placeholder="Such as: move the login bug to in review"
      />
      <button type="submit" disabled={busy}>
        {busy ? "Asking …" : "Say it"}
      </button>
      {canHear ? (
        <button type="button" class="plain" aria-pressed={hearing} onClick={listen}>
          {hearing ? "Listening …" : "Speak"}
        </button>
      ) : null}
      {children}
      <div role="status">{trouble === "" ? null : <small>{trouble}</small>}</div>
    </form>
  );
}
