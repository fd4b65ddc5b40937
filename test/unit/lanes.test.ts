import { describe, expect, it } from "vitest";
import { createLanes } from "../../src/hooks/lanes.js";

describe("lanes", () => {
  it("has room for as many as its cap, each lane by itself", () => {
    const lanes = createLanes<string>({ cap: 2 });
    expect([lanes.enter("a", "1"), lanes.enter("a", "2"), lanes.enter("a", "3")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(lanes.enter("b", "4")).toBe(true);
    lanes.leave("a");
    expect(lanes.enter("a", "3")).toBe(true);
  });

  it("gives a place that is left to those who wait, in their order, and to nobody who came later", async () => {
    const lanes = createLanes<string>({ cap: 1, mostWaiting: 2 });
    const given: string[] = [];
    const wait = (who: string, lane = "a") => lanes.wait(lane)?.then((taken) => taken && given.push(who));
    lanes.enter("a", "1");
    const waits = [wait("first"), wait("second")];
    expect(wait("third")).toBeUndefined();
    expect(lanes.wait("b")).toBeUndefined();
    lanes.leave("a");
    expect(lanes.enter("a", "4")).toBe(false);
    lanes.leave("a");
    await Promise.all(waits);
    expect(given).toEqual(["first", "second"]);
    lanes.leave("a");
    expect(lanes.enter("a", "4")).toBe(true);
  });

  it("sends away those who wait, and their places are not lost", async () => {
    const lanes = createLanes<string>({ cap: 1, mostWaiting: 1 });
    lanes.enter("a", "1");
    const wait = lanes.wait("a");
    lanes.sendAway();
    expect(await wait).toBe(false);
    expect(lanes.wait("a")).toBeDefined();
    lanes.sendAway();
    lanes.leave("a");
    expect(lanes.enter("a", "2")).toBe(true);
  });

  it("offers one that stepped back a place to wait in", () => {
    const lanes = createLanes<string>({ cap: 1, mostWaiting: 1 });
    lanes.enter("a", "1");
    void lanes.wait("a");
    lanes.stepBack("a", "3", "third");
    expect(lanes.next("a")).toBeUndefined();
    lanes.leave("a");
    expect(lanes.next("a")).toBe("third");
  });

  it("offers those that stepped back in their order, while there is room", () => {
    const lanes = createLanes<string>({ cap: 1 });
    lanes.enter("a", "1");
    lanes.stepBack("a", "2", "second");
    lanes.stepBack("a", "3", "third");
    expect(lanes.next("a")).toBeUndefined();
    lanes.leave("a");
    expect([lanes.next("a"), lanes.next("a"), lanes.next("a")]).toEqual(["second", "third", undefined]);
  });

  it("does not offer one that came back by itself", () => {
    const lanes = createLanes<string>({ cap: 2 });
    lanes.stepBack("a", "1", "first");
    lanes.stepBack("a", "2", "second");
    lanes.enter("a", "1");
    expect(lanes.next("a")).toBe("second");
  });

  it("offers the newest of one that stepped back twice, once", () => {
    const lanes = createLanes<string>({ cap: 1 });
    lanes.stepBack("a", "1", "old");
    lanes.stepBack("a", "1", "new");
    expect([lanes.next("a"), lanes.next("a")]).toEqual(["new", undefined]);
  });

  it("remembers no more than a thousand a lane", () => {
    const lanes = createLanes<number>({ cap: 1 });
    for (let n = 0; n < 1_500; n++) lanes.stepBack("a", String(n), n);
    const offered = Array.from({ length: 1_500 }, () => lanes.next("a")).filter((job) => job !== undefined);
    expect(offered).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  });

  it("leave places for others, however many lanes of one group are full", () => {
    const lanes = createLanes<string>({ cap: 32, places: 128 });
    const fill = (group: string): number => {
      let entered = 0;
      for (let n = 0; n < 1_000; n++) if (lanes.enter(`${group}/${n % 12}`, String(n))) entered += 1;
      return entered;
    };
    const shares = ["loud", "second", "third", "fourth"].map(fill);
    expect(shares[0]).toBe(86);
    for (const share of shares) expect(share).toBeGreaterThan(0);
    expect(shares.reduce((sum, share) => sum + share)).toBeLessThan(128);
    expect(lanes.enter("quiet/eng", "q")).toBe(true);
  });

  it("offers another lane's job when its own has none, and its group a place", () => {
    const lanes = createLanes<string>({ cap: 8, places: 3 });
    expect([lanes.enter("a/1", "1"), lanes.enter("a/2", "2"), lanes.enter("a/3", "3")]).toEqual([
      true,
      true,
      false,
    ]);
    lanes.stepBack("a/3", "3", "third");
    expect(lanes.next("a/1")).toBeUndefined();
    lanes.leave("a/1");
    expect(lanes.next("a/1")).toBe("third");
  });

  it("lets one group alone use one place, and two", () => {
    for (const places of [1, 2]) {
      const lanes = createLanes<string>({ cap: 8, places });
      const entered = Array.from({ length: 3 }, (_, n) => lanes.enter("a", String(n)));
      expect(entered.filter((is) => is)).toHaveLength(places);
    }
  });
});
