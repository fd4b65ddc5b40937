import { describe, expect, it } from "vitest";
import { BOARDS } from "../../../connectors/index.js";
import { idFrom, isAskable, PROVIDERS, type Provider, under } from "../../../src/web/providers.js";

describe("the form for a board", () => {
  it("knows every kind that the service speaks to, and lets its own setting be chosen", () => {
    expect(Object.keys(PROVIDERS).sort()).toEqual(BOARDS.map(({ provider }) => provider).sort());
    for (const { provider, choices } of BOARDS)
      expect(PROVIDERS[provider]?.choose.name).toBe(choices?.setting);
  });

  it("asks the board once all is there that it must be told", () => {
    const trello = PROVIDERS.trello as Provider;
    const words = { "credentials.apiKey": "k", "credentials.token": "t", kind: "trello" };
    expect(isAskable(trello, words)).toBe(true);
    expect(isAskable(trello, { "credentials.apiKey": "k" })).toBe(false);
    expect(under(words, "credentials")).toEqual({ apiKey: "k", token: "t" });
  });

  it.each([
    ["Shop (SHOP)", "shop"],
    ["Équipe n° 1 (EQ)", "equipe-n-1"],
    ["進行中 (X)", ""],
    ["a".repeat(50), "a".repeat(40)],
  ])("makes of %j the id %j", (label, id) => {
    expect(idFrom(label)).toBe(id);
  });
});
