import type { Answer, Said } from "./shapes.js";

/** What a call did, step by step: resolve, decide, act, reply. Pure. */

export interface CallPart {
  readonly name: "Resolve" | "Decide" | "Act" | "Reply";
  readonly state: "done" | "asks" | "stopped" | "under way" | "skipped";
  readonly text: string;
}

export function partsOf({ tool, args, answer }: Said): readonly CallPart[] {
  const resolved = resolvePart(args, answer);
  const moves = tool === "move_ticket" || tool === "undo_move" || answer.outcome !== undefined;
  const stopped = resolved.state !== "done";
  const decided = stopped ? skipped("Decide") : moves ? decidePart(answer) : readPart();
  const acts = !stopped && moves && decided.state === "done";
  const acted = acts
    ? actPart(answer)
    : skipped("Act", moves || stopped ? "Nothing was written." : "A read: no board is asked.");
  return [resolved, decided, acted, replyPart(answer)];
}

function skipped(name: "Decide" | "Act", text = "Not reached."): CallPart {
  return { name, state: "skipped", text };
}

function resolvePart(args: Said["args"], answer: Answer): CallPart {
  const name = "Resolve";
  const { question, ticket, tickets, to } = answer;
  const heard = words(args.ticket ?? args.query ?? args.status);
  if (question?.about === "ticket") return { name, state: "asks", text: `${heard} fits several tickets.` };
  if (question?.about === "status")
    return { name, state: "asks", text: `${words(args.to)} fits several statuses.` };
  if (tickets !== undefined)
    return { name, state: "done", text: `${heard || "Everything"}: ${tickets.length} shown.` };
  if (ticket === undefined && args.ticket !== undefined)
    return { name, state: "stopped", text: `${heard} is no ticket that is known.` };
  const found = [
    ticket === undefined ? "" : `${heard === "" ? "" : `${heard} is `}${ticket.key ?? ticket.title}`,
    to === undefined ? "" : `${args.to === undefined ? "" : `${words(args.to)} is `}${to.name}`,
  ].filter(Boolean);
  return { name, state: "done", text: found.length === 0 ? "Nothing to look up." : `${found.join("; ")}.` };
}

function decidePart({ outcome, question, from, to, already, openMoves }: Answer): CallPart {
  const name = "Decide";
  const way = from !== undefined && to !== undefined ? `${from.name} → ${to.name}` : (to?.name ?? "the move");
  if (question?.about === "field") return { name, state: "asks", text: `${way} wants something first.` };
  if (question?.about === "confirm") return { name, state: "asks", text: `${way} is asked about first.` };
  if (outcome === "refused") {
    const open = openMoves?.length ?? 0;
    return {
      name,
      state: "stopped",
      text: `Not allowed; ${open} other ${open === 1 ? "move is" : "moves are"} open.`,
    };
  }
  if (outcome === "conflict") return { name, state: "stopped", text: "Somebody moved it meanwhile." };
  return { name, state: "done", text: already ? "It is there already." : `${way} is allowed.` };
}

function readPart(): CallPart {
  return { name: "Decide", state: "done", text: "A read: always allowed." };
}

function actPart({ outcome, already, movedOn, hooks = [] }: Answer): CallPart {
  const name = "Act";
  const started = hooks.map(({ hook, state }) => `${hook.replaceAll("-", " ")} ${state}`);
  const also = started.length === 0 ? "" : ` Then: ${started.join(", ")}.`;
  if (already) return { name, state: "done", text: `Nothing was written.${also}` };
  if (outcome === "confirmed")
    return {
      name,
      state: "done",
      text: `Written to the board and read again${movedOn ? "; the board took it further" : ""}.${also}`,
    };
  if (outcome === "accepted") return { name, state: "under way", text: "A job is at it." };
  return { name, state: "stopped", text: "The board did not say whether it was done." };
}

function replyPart({ outcome, question }: Answer): CallPart {
  if (question !== undefined) return { name: "Reply", state: "asks", text: "A question, with choices." };
  return { name: "Reply", state: "done", text: outcome ?? "answered" };
}

function words(heard: unknown): string {
  return heard === undefined ? "" : `“${String(heard)}”`;
}
