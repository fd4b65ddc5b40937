import { useEffect, useState } from "preact/hooks";
import { placeOf, useAction, useSession } from "./hooks.js";
import { Fault, Screen, When } from "./parts.js";
import type { CrashReport, CrashStep, DemoState } from "./shapes.js";

/** Only in the demo: a worker is killed in the middle of a move, and it is shown as it goes what becomes of the move. */

const LOOK_EVERY_MS = 250;

export function CrashScreen() {
  const { api } = useSession();
  const [state, setState] = useState<DemoState>();
  const [report, setReport] = useState<CrashReport>();
  const [lost, setLost] = useState<Error>();
  const look = () => api.demo.look().then(setState, setLost);
  const crash = useAction(async () => {
    setReport(undefined);
    setState((before) => before && { ...before, underWay: true, steps: [] });
    setReport(await api.demo.crash().finally(look));
  });
  const underWay = crash.busy || state?.underWay === true;
  useEffect(() => {
    void look();
    if (!underWay) return;
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [underWay]);
  return (
    <Screen
      title="Crash test"
      lead="Only in this demo. A worker process is killed when Jira has moved a ticket and nobody has written it down yet: the worst moment there is."
    >
      <Fault error={crash.error ?? lost} />
      {state?.crash === false ? (
        <p class="note warn">
          Everything is kept in this one process, so none can be killed alone. Start the demo where
          redis-server is installed, and without --memory.
        </p>
      ) : (
        <p class="row">
          <button type="button" disabled={state === undefined || underWay} onClick={() => void crash.run()}>
            {underWay ? "Crashing …" : "Crash a worker mid-move"}
          </button>
        </p>
      )}
      <Steps steps={state?.steps ?? []} />
      <Ending report={report} />
    </Screen>
  );
}

const TONES: Readonly<Record<string, string>> = {
  killed: "bad",
  failed: "bad",
  heard: "warn",
  "taken-over": "good",
  confirmed: "good",
  counted: "good",
};

function Steps({ steps }: { steps: readonly CrashStep[] }) {
  return (
    <ol class="timeline crash" aria-label="What happens" aria-live="polite">
      {steps.map(({ at, step, text }) => (
        <li key={`${at} ${step}`} class={TONES[step] ?? ""}>
          <When at={at} /> <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

function Ending({ report }: { report: CrashReport | undefined }) {
  if (report === undefined) return <p role="status" />;
  const { tenant, ticket, outcome, moves, pulls, recoveredMs } = report;
  const kept = outcome === "confirmed" && moves === 1 && pulls <= 1;
  return (
    <p role="status" class={`note ${kept ? "good" : "bad"}`}>
      <strong>{kept ? "Nothing was lost, and nothing was done twice." : "The promise was not kept."}</strong>{" "}
      From the kill to its end the move took {(recoveredMs / 1_000).toFixed(1)} seconds.{" "}
      <a href={placeOf(tenant, "ticket", ticket.id)}>Timeline of {ticket.key}</a>
    </p>
  );
}
