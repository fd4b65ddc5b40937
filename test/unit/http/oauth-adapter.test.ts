import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createAdapter } from "../../../src/http/oauth-adapter.js";
import { createMemoryOauthRecords } from "../../../src/store/oauth-memory.js";
import { createSealer } from "../../../src/sync/seal.js";

describe("an OAuth client's secret", () => {
  const [old, fresh] = [
    { id: "k1", key: randomBytes(32) },
    { id: "k2", key: randomBytes(32) },
  ];
  const refuse = (why: string) => new Error(why);

  it("is sealed with the newest key when it is next used, and the old key may go", async () => {
    const records = createMemoryOauthRecords();
    const adapterWith = (...keys: (typeof old)[]) =>
      createAdapter(records, createSealer(keys), refuse)("Client");
    await adapterWith(old).upsert("client-1", { client_secret: "hush" }, 3_600);
    await expect(adapterWith(fresh).find("client-1")).rejects.toMatchObject({ code: "auth_expired" });
    expect(await adapterWith(fresh, old).find("client-1")).toMatchObject({ client_secret: "hush" });
    expect(await adapterWith(fresh).find("client-1")).toMatchObject({ client_secret: "hush" });
  });
});
