import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/board/emulator.js";
import { describeConnector } from "../contract/connector.contract.js";
import { jiraHarness } from "../contract/jira.harness.js";
import { describeJira } from "../contract/jira-cases.js";
import { describeJiraEmulator } from "../contract/jira-emulator-cases.js";
import { type Exception, isExcepted, jiraExceptions } from "./exceptions.js";
import { loadOpenApi, tellAbsent, type Violation } from "./validate.js";

const FILES = ["jira.openapi.json", "jira-software.openapi.json"] as const;
const contract = loadOpenApi(...FILES);
if (contract === undefined) tellAbsent("Jira", FILES.join(" or "));

describe.skipIf(contract === undefined)("Jira's published description", () => {
  const violations: Violation[] = [];
  let exchanges = 0;

  const onExchange = (exchange: Exchange) => {
    exchanges += 1;
    if (!exchange.faulty) violations.push(...(contract?.check(exchange) ?? []));
  };
  describeConnector("Jira, watched:", () => jiraHarness({ onExchange }));
  describeJira("Jira's own ways, watched", { onExchange });
  describeJiraEmulator("The emulated Jira, watched", { onExchange });

  it("allows every request and every reply, but for the known exceptions", () => {
    expect(exchanges).toBeGreaterThan(300);
    const unknown = violations.filter((violation) => isExcepted(violation, jiraExceptions) === undefined);
    expect([...new Set(unknown.map((each) => JSON.stringify(each)))]).toEqual([]);
  });

  it("differs in every way the exceptions say", () => {
    const used = new Set(violations.map((violation) => isExcepted(violation, jiraExceptions)));
    expect(jiraExceptions.filter((exception: Exception) => !used.has(exception))).toEqual([]);
  });
});
