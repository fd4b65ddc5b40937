import { BoardwalkError } from "../errors.js";
import type { Problem } from "./connector.js";

/** What connectors share about probing: a read whose failure is a finding, not the end of the probe. */

/** By error code, what a board's own words for it are. */
export type ProbeSentences = Readonly<Record<string, { readonly message: string; readonly fix: string }>>;

/** The reading, or what is wrong. `fix` is for codes without a sentence of their own. */
export async function problemOf<T>(
  read: () => Promise<T>,
  sentences: ProbeSentences,
  fix: string,
): Promise<{ readonly value: T } | { readonly problem: Problem }> {
  try {
    return { value: await read() };
  } catch (thrown) {
    const { code, message } = BoardwalkError.from(thrown);
    const known = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
    return { problem: { code, message, fix, ...known } };
  }
}
