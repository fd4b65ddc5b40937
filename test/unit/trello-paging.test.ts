import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newestFirst } from "../../connectors/trello/cards.js";
import { firstIdOfSecond, madeAtSeconds } from "../../connectors/trello/keys.js";

interface Item {
  readonly id: string;
}

const START = 1_700_000_000;

/** Cards made so many in each second. */
function madeBySecond(counts: readonly number[]): Item[] {
  return counts.flatMap((count, second) =>
    Array.from({ length: count }, (_, i) => ({
      id: (START + second).toString(16) + i.toString(16).padStart(16, "0"),
    })),
  );
}

/** The two readings of `before` that have been seen: the id itself, and the second it was made in. */
const READINGS = {
  "by id": (item: Item, before: string) => item.id < before,
  "by second": (item: Item, before: string) => madeAtSeconds(item.id) < madeAtSeconds(before),
};

async function readAll(
  items: readonly Item[],
  isBefore: (item: Item, before: string) => boolean,
  limit: number,
) {
  let requests = 0;
  const found: string[] = [];
  const pages = newestFirst(async ({ before }) => {
    requests += 1;
    const rest = items.filter((item) => before === undefined || isBefore(item, before));
    const page = rest.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
    // In the order of the board, which is nobody's business here.
    return page.toReversed();
  }, limit);
  for await (const { id } of pages) found.push(id);
  return { found, requests };
}

describe.each(Object.entries(READINGS))("pages of cards where `before` is read %s", (_name, isBefore) => {
  it("hold every card once, however many were made in one second", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 4 }), { maxLength: 40 }), async (counts) => {
        const items = madeBySecond(counts);
        const { found } = await readAll(items, isBefore, 5);
        expect(found.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
      }),
    );
  });

  it("are one where all fit", async () => {
    expect((await readAll(madeBySecond([2, 2]), isBefore, 5)).requests).toBe(1);
  });

  it("end with an error, not early, where one second fills a page", async () => {
    const reading = readAll(madeBySecond([3, 6, 1]), isBefore, 5);
    await expect(reading).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("the first id of a second", () => {
  it("is no greater than any made in it, and greater than any made before", () => {
    const [earlier, , later] = [...madeBySecond([1, 1, 1])];
    const id = firstIdOfSecond(START + 1);
    expect(id).toHaveLength(24);
    expect((earlier?.id ?? "") < id).toBe(true);
    expect((later?.id ?? "") > id).toBe(true);
    expect(madeAtSeconds(id)).toBe(START + 1);
  });
});
