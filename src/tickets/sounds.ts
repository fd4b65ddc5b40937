import { doubleMetaphone } from "double-metaphone";

/** How a word sounds, as one or two codes; words that sound alike share one. Empty where the ear has nothing to go by. */
export function soundsOf(token: string): readonly string[] {
  if (!/^[a-z]{2,}$/.test(token)) return [];
  return [...new Set(doubleMetaphone(token))].filter((code) => code.length > 1);
}

export function soundAlike(a: string, b: string): boolean {
  const sounds = soundsOf(a);
  return soundsOf(b).some((code) => sounds.includes(code));
}
