/** Names made by `fsmFromStatusGraph` and the bridge, at the level of types: `string` where they cannot be known. */

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
// biome-ignore format: an alphabet reads best in one piece.
type Lower = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z";
type Upper = Uppercase<Lower>;

/** Runs of anything but letters and digits as one `_`. */
type Joined<
  S extends string,
  TKeep extends string,
  TLast extends string = "",
  TDone extends string = "",
> = S extends `${infer Head}${infer Rest}`
  ? Head extends TKeep
    ? Joined<Rest, TKeep, Head, `${TDone}${Head}`>
    : Joined<Rest, TKeep, "_", TLast extends "_" ? TDone : `${TDone}_`>
  : TDone;

type HasAny<S extends string, TChar extends string> = S extends `${infer Head}${infer Rest}`
  ? Head extends TChar
    ? true
    : HasAny<Rest, TChar>
  : false;

/** The event `fsmFromStatusGraph` names after a status: `MOVE_TO_IN_REVIEW` for "In Review". */
export type MoveEventName<TStatus extends string> = TStatus extends string
  ? string extends TStatus
    ? string
    : HasAny<Uppercase<TStatus>, Upper | Digit> extends true
      ? `MOVE_TO_${Joined<Uppercase<TStatus>, Upper | Digit>}`
      : string
  : never;

type Snake<
  S extends string,
  TLast extends string = "",
  TDone extends string = "",
> = S extends `${infer Head}${infer Rest}`
  ? Head extends Upper
    ? Snake<Rest, Head, `${TDone}${TLast extends Lower | Digit ? "_" : ""}${Lowercase<Head>}`>
    : Head extends Lower | Digit
      ? Snake<Rest, Head, `${TDone}${Head}`>
      : Snake<Rest, "_", TLast extends "_" ? TDone : `${TDone}_`>
  : TDone;

/** Whether a name is short enough to stay uncut. */
type Fits<S extends string, TCount extends 0[] = []> = TCount["length"] extends 41
  ? false
  : S extends `${string}${infer Rest}`
    ? Fits<Rest, [...TCount, 0]>
    : true;

type ValidId<TId extends string> = Joined<TId, Lower | Upper | Digit | "-" | "_">;

type Prefixed<TId extends string, TEvent extends string> = `${ValidId<TId>}_${Snake<TEvent>}`;

/**
 * The tool for an event of the machine with this id, or `string` where it cannot be known at compile time. Of two
 * events whose names come out equal, the later is given a hash that no type can foresee.
 */
export type FsmToolName<TId extends string, TEvent extends string> = TEvent extends string
  ? string extends TEvent
    ? string
    : string extends TId
      ? string
      : HasAny<Snake<TEvent>, Lower | Digit> extends true
        ? Fits<Prefixed<TId, TEvent>> extends true
          ? Prefixed<TId, TEvent>
          : string
        : string
  : never;
