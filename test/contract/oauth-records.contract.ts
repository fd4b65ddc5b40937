import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OauthRecords } from "../../src/http/oauth-records.js";
import { until } from "../support/until.js";

const LONG_MS = 60_000;

type Opened = OauthRecords & { close(): Promise<void> };

/** What every place that keeps sign-ins promises. */
export function describeOauthRecords(where: string, open: () => Promise<Opened>): void {
  describe(`OAuth records ${where}`, () => {
    let records: Opened;
    beforeAll(async () => {
      records = await open();
    });
    afterAll(() => records.close());
    const id = () => randomUUID();

    it("are kept whole, each kind for itself, and replaced", async () => {
      const one = id();
      const value = { a: [1, null, "ü"], b: { c: true } };
      expect(await records.save("Session", one, value, LONG_MS)).toBe(true);
      expect(await records.get("Session", one)).toEqual({ value, used: false });
      expect(await records.get("Interaction", one)).toBeUndefined();
      await records.save("Session", one, { b: 2 }, LONG_MS);
      expect((await records.get("Session", one))?.value).toEqual({ b: 2 });
      await records.delete("Session", one);
      expect(await records.get("Session", one)).toBeUndefined();
    });

    it("are gone after their time", async () => {
      const one = id();
      await records.save("Session", one, {}, 20);
      await until(async () => (await records.get("Session", one)) === undefined);
      expect(await records.use("Session", one)).toBe(false);
    });

    it("are used by one of twenty who try at once, and stay used when saved again", async () => {
      const one = id();
      await records.save("AuthorizationCode", one, { x: 1 }, LONG_MS);
      const tries = await Promise.all(
        Array.from({ length: 20 }, () => records.use("AuthorizationCode", one)),
      );
      expect(tries.filter(Boolean)).toHaveLength(1);
      expect((await records.get("AuthorizationCode", one))?.used).toBe(true);
      await records.save("AuthorizationCode", one, { x: 2 }, LONG_MS);
      expect(await records.use("AuthorizationCode", one)).toBe(false);
      expect(await records.use("AuthorizationCode", id())).toBe(false);
    });

    it("go with their grant, and none is saved under one that has gone", async () => {
      const [grant, other, token, theirs] = [id(), id(), id(), id()];
      for (const one of [grant, other]) await records.save("Grant", one, {}, LONG_MS);
      expect(await records.save("AccessToken", token, {}, LONG_MS, { grant })).toBe(true);
      await records.save("AccessToken", theirs, {}, LONG_MS, { grant: other });
      await records.deleteGrant(grant);
      expect(await records.get("AccessToken", token)).toBeUndefined();
      expect(await records.get("Grant", grant)).toBeUndefined();
      expect(await records.save("AccessToken", id(), {}, LONG_MS, { grant })).toBe(false);
      expect(await records.get("AccessToken", theirs)).toBeDefined();
    });

    it("of one owner go together, whatever grants they were saved under", async () => {
      const [ann, bob] = [id(), id()];
      const grants = [id(), id(), id()] as const;
      await records.save("Grant", grants[0], {}, LONG_MS, { owner: ann });
      await records.save("Grant", grants[1], {}, LONG_MS, { owner: ann });
      await records.save("Grant", grants[2], {}, LONG_MS, { owner: bob });
      const tokens = await Promise.all(
        grants.map(async (grant) => {
          const token = id();
          await records.save("RefreshToken", token, {}, LONG_MS, { grant });
          return token;
        }),
      );
      await records.deleteOwner(ann);
      const left = await Promise.all(tokens.map((token) => records.get("RefreshToken", token)));
      expect(left.map((one) => one !== undefined)).toEqual([false, false, true]);
      await records.deleteOwner(id());
    });

    it("under a grant may be many, of which those still there go with it", async () => {
      const grant = id();
      await records.save("Grant", grant, {}, LONG_MS);
      const ids = Array.from({ length: 150 }, id);
      for (const one of ids.slice(0, 120)) await records.save("AccessToken", one, {}, 1, { grant });
      for (const one of ids.slice(120)) await records.save("AccessToken", one, {}, LONG_MS, { grant });
      await records.deleteGrant(grant);
      for (const one of ids) expect(await records.get("AccessToken", one)).toBeUndefined();
    });
  });
}
