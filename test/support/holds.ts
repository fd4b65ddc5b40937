import type { Request } from "express";
import type { Gate } from "../../src/board/emulator.js";

/** Stops single requests at an emulated board, so that a test knows where its client stands when it is killed. */

/** Before the board does it, or when it is done and only the answer is missing. */
export type Moment = "before" | "after";

export interface Held {
  /** It has come to its moment and stands there. */
  readonly arrived: boolean;
  /** Its client has hung up, or is dead. */
  readonly abandoned: boolean;
  /** Lets it go on, whether or not anyone still waits for it. */
  release(): void;
  /** The board never sees it. Only before it is done. */
  lose(): void;
}

export interface Holds {
  readonly gate: Gate;
  /** Holds the next request that fits; later ones pass. */
  next(fits: (request: Request) => boolean, moment: Moment): Held;
}

interface Rule {
  readonly fits: (request: Request) => boolean;
  readonly moment: Moment;
  readonly arrive: (request: Request) => Promise<"lost" | undefined>;
}

export function createHolds(): Holds {
  const rules = new Set<Rule>();
  return {
    gate(request) {
      const rule = [...rules].find((each) => each.fits(request));
      if (rule === undefined) return undefined;
      rules.delete(rule);
      if (rule.moment === "before") return { before: () => rule.arrive(request) };
      return {
        after: async () => {
          await rule.arrive(request);
          return undefined;
        },
      };
    },
    next(fits, moment) {
      let held: Request | undefined;
      let decide: (fate: "lost" | undefined) => void = () => {};
      const fate = new Promise<"lost" | undefined>((resolve) => {
        decide = resolve;
      });
      rules.add({
        fits,
        moment,
        arrive: (request) => {
          held = request;
          return fate;
        },
      });
      return {
        get arrived() {
          return held !== undefined;
        },
        get abandoned() {
          return held?.socket.destroyed ?? false;
        },
        release: () => decide(undefined),
        lose: () => decide("lost"),
      };
    },
  };
}
