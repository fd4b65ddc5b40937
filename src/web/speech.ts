/** The browser's own ears and voice, where it has them. */

interface Recognition {
  lang: string;
  interimResults: boolean;
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  abort(): void;
}

interface Hearing {
  onHeard(sentence: string): void;
  onEnd(): void;
  onError(why: string): void;
}

const found = window as unknown as Record<string, (new () => Recognition) | undefined>;
const Ears = found.SpeechRecognition ?? found.webkitSpeechRecognition;

export const canHear = Ears !== undefined;
export const canSpeak = "speechSynthesis" in window;

/** Listens for one sentence. @returns a function that stops listening. */
export function hear({ onHeard, onEnd, onError }: Hearing): () => void {
  if (Ears === undefined) return () => {};
  const ears = new Ears();
  ears.lang = navigator.language;
  ears.interimResults = false;
  ears.onresult = ({ results }) => {
    const sentence = results[0]?.[0]?.transcript;
    if (sentence !== undefined) onHeard(sentence);
  };
  ears.onerror = ({ error }) => onError(WHY[error] ?? `Nothing could be heard (${error}).`);
  ears.onend = onEnd;
  ears.start();
  return () => ears.abort();
}

const WHY: Readonly<Record<string, string>> = {
  "not-allowed": "This page may not use the microphone; allow it in the browser.",
  "no-speech": "Nothing was heard. Try again.",
  network: "The browser's speech recognition cannot be reached. Type the sentence instead.",
  aborted: "",
};

export function speak(sentence: string): void {
  if (!canSpeak) return;
  speechSynthesis.cancel();
  speechSynthesis.speak(new SpeechSynthesisUtterance(sentence));
}
