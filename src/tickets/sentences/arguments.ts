import { sayable, shorten } from "../sayable.js";
import type { ArgumentFault, Sentences } from "./sentences.js";

/** What is wrong with what a tool was given, said so that it can be put right. */

const MOST_NAMES = 3;
const MOST_WORDS_OF_A_NAME = 4;

export function faultSaid(s: Sentences, fault: ArgumentFault): string {
  switch (fault.kind) {
    case "unnamed":
      return s.unnamedArguments();
    case "gone":
      return s.placeGone();
    case "unknown":
      return unknownSaid(s, fault.names);
    default: {
      const { label, expects } = s.arguments[fault.name];
      if (fault.kind === "missing") return s.missingArgument(label, expects);
      return fault.kind === "long" ? s.longArgument(label, expects) : s.wrongArgument(label, expects);
    }
  }
}

/** The caller's own words, as far as they can be said. */
function unknownSaid(s: Sentences, names: readonly string[]): string {
  const heard = names
    .slice(0, MOST_NAMES)
    .map((name) => shorten(sayable(name, s.signs).replace(/[.,?:]+/g, ""), MOST_WORDS_OF_A_NAME))
    .filter((name) => name !== "");
  return heard.length === 0 ? s.errors.invalid : s.unknownArguments(s.and(heard));
}
