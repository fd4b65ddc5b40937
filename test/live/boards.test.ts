import { describe } from "vitest";
import { BOARDS } from "../../connectors/index.js";
import { describeStandingConnector } from "../contract/connector.contract.js";
import { liveAccount, liveHarness } from "../support/live.js";

/** Against real accounts, by hand: what keeps the emulators honest. */

for (const kind of BOARDS) {
  const variable = `LIVE_${kind.provider.toUpperCase()}`;
  const account = liveAccount(variable);
  if (account === undefined) {
    console.info(`${kind.provider} is skipped: set ${variable}, as CONTRIBUTING.md says under "Live tests".`);
    describe.skip(`${kind.provider}, a real account`, () => {
      describeStandingConnector(kind.provider, () => Promise.reject(new Error(`${variable} is not set`)));
    });
  } else {
    describeStandingConnector(`${kind.provider}, a real account:`, () => liveHarness(kind, account));
  }
}
