import { BoardwalkError } from "../errors.js";

/** Spans, as the rest of the service needs them. Where no collector is set there is no {@link Tracing} at all. */

/** What is told of a span. Never a title, a comment or what else people wrote; never a secret. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: "server" | "client" | "producer" | "consumer" | "internal";
  /** The `traceparent` of what it is a part of; one that is missing or broken begins a trace of its own. */
  readonly parent?: string | undefined;
  readonly facts?: Facts;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** For whatever is a part of it, in this process or in another. */
  readonly traceparent: string;
  rename(name: string): void;
  tell(facts: Facts): void;
  /** @param error what kind of failure it ended with: a code, never a message. */
  end(error?: string): void;
}

export interface Tracing {
  start(span: SpanStart): Span;
  /** Sends what is not sent yet. */
  close(): Promise<void>;
}

/** Runs `work` in a span of its own, which ends with it. */
export async function traced<T>(
  tracing: Tracing,
  start: SpanStart,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracing.start(start);
  let failure: string | undefined;
  try {
    return await work(span);
  } catch (error) {
    failure = BoardwalkError.from(error).code;
    throw error;
  } finally {
    span.end(failure);
  }
}
