import { setTimeout as sleep } from "node:timers/promises";
import progress from "cli-progress";

/** How far something is: a bar on a terminal, a line now and then elsewhere. Always on stderr: stdout is the answer's. */

export interface Seen {
  readonly done: number;
  /** How many it will be, where that is known. */
  readonly total?: number;
}

const LOOK_EVERY_MS = 500;
const LINE_EVERY_MS = 5_000;

interface Out {
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

/**
 * Does the work, and says how far it is by what `look` sees meanwhile. A look that fails says nothing: the work itself
 * tells what is wrong.
 */
export async function withProgress<T>(
  what: string,
  unit: string,
  look: () => Promise<Seen | undefined>,
  work: () => Promise<T>,
  out: Out = process.stderr,
  lineEveryMs = LINE_EVERY_MS,
): Promise<T> {
  const teller = out.isTTY ? bar(what, unit, out) : lines(what, unit, out, lineEveryMs);
  let over = false;
  const working = work().finally(() => {
    over = true;
  });
  const watching = (async () => {
    while (!over) {
      const seen = await look().catch(() => undefined);
      if (seen !== undefined && !over) teller.tell(seen);
      await Promise.race([sleep(LOOK_EVERY_MS, undefined, { ref: false }), working.catch(() => {})]);
    }
  })();
  try {
    return await working;
  } finally {
    await watching;
    teller.end();
  }
}

interface Teller {
  tell(seen: Seen): void;
  end(): void;
}

function bar(what: string, unit: string, out: Out): Teller {
  const single = new progress.SingleBar(
    {
      stream: out as NodeJS.WritableStream,
      clearOnComplete: true,
      hideCursor: true,
      format: (options, { progress: share, value, total }) => {
        const known = total > 0;
        const drawn = known ? `${progress.Format.BarFormat(share, options)} ` : "";
        return `${what} ${drawn}${value}${known ? `/${total}` : ""} ${unit}`;
      },
    },
    progress.Presets.shades_classic,
  );
  single.start(0, 0);
  return {
    tell({ done, total }) {
      // What is there may be more than last time.
      single.setTotal(total === undefined ? 0 : Math.max(total, done));
      single.update(done);
    },
    end: () => single.stop(),
  };
}

function lines(what: string, unit: string, out: Out, everyMs: number): Teller {
  let toldAt = performance.now();
  out.write(`${what} ...\n`);
  return {
    tell({ done, total }) {
      if (performance.now() - toldAt < everyMs) return;
      toldAt = performance.now();
      out.write(`${what}: ${done}${total === undefined ? "" : ` of ${total}`} ${unit}\n`);
    },
    end: () => {},
  };
}
