import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/board/emulator.js";
import { describeConnector } from "../contract/connector.contract.js";
import { trelloHarness } from "../contract/trello.harness.js";
import { describeTrello } from "../contract/trello-cases.js";
import { describeTrelloEmulator } from "../contract/trello-emulator-cases.js";
import { type Exception, isExcepted, trelloExceptions } from "./exceptions.js";
import { loadOpenApi, tellAbsent, type Violation } from "./validate.js";

const FILE = "trello.openapi.json";
const contract = loadOpenApi(FILE);
if (contract === undefined) tellAbsent("Trello", FILE);

describe.skipIf(contract === undefined)("Trello's published description", () => {
  const violations: Violation[] = [];
  let exchanges = 0;

  const onExchange = (exchange: Exchange) => {
    exchanges += 1;
    // Its paths begin below the version.
    const path = exchange.path.replace(/^\/1(?=\/)/, "");
    if (!exchange.faulty) violations.push(...(contract?.check({ ...exchange, path }) ?? []));
  };
  describeConnector("Trello, watched:", () => trelloHarness({ onExchange }));
  describeTrello("Trello's own ways, watched", { onExchange });
  describeTrelloEmulator("The emulated Trello, watched", { onExchange });

  it("allows every request and every reply, but for the known exceptions", () => {
    expect(exchanges).toBeGreaterThan(300);
    const unknown = violations.filter((violation) => isExcepted(violation, trelloExceptions) === undefined);
    expect([...new Set(unknown.map((each) => JSON.stringify(each)))]).toEqual([]);
  });

  it("differs in every way the exceptions say", () => {
    const used = new Set(violations.map((violation) => isExcepted(violation, trelloExceptions)));
    expect(trelloExceptions.filter((exception: Exception) => !used.has(exception))).toEqual([]);
  });
});
