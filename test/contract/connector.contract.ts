import { afterEach, describe } from "vitest";
import { describeKeepingApart } from "./connector/apart.js";
import { describeFailing } from "./connector/failing.js";
import type { ConnectorHarness, ConnectorSetup } from "./connector/harness.js";
import { describeMoving } from "./connector/moving.js";
import { describeNames } from "./connector/naming.js";
import { describePulling } from "./connector/pulling.js";
import { describeWebhooks } from "./connector/webhooks.js";

export type { BoardHandle, ConnectOptions, ConnectorHarness, ConnectorSetup } from "./connector/harness.js";

/**
 * What every connector promises, whatever its board. Where boards differ, they differ by the data a harness gives:
 * a part left out is a thing that board does not have.
 */

export function describeConnector(name: string, setup: ConnectorSetup): void {
  describe(`${name} connector`, () => {
    const open: ConnectorHarness[] = [];
    const fresh = async () => {
      const harness = await setup();
      open.push(harness);
      return harness;
    };
    afterEach(async () => {
      await Promise.all(open.splice(0).map((harness) => harness.close()));
    });

    describePulling(fresh);
    describeMoving(fresh);
    describeFailing(fresh);
    describeKeepingApart(fresh);
    describeNames(fresh);
    describeWebhooks(fresh);
  });
}
