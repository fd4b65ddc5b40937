import { afterEach, describe } from "vitest";
import { describeHostileIds, describeKeepingApart } from "./connector/apart.js";
import { describeFailing, describeLogin } from "./connector/failing.js";
import type { ConnectorHarness, ConnectorSetup, Fresh } from "./connector/harness.js";
import { describeMoving, describeRoundTrip } from "./connector/moving.js";
import { describeNames } from "./connector/naming.js";
import { describePulling, describeReading } from "./connector/pulling.js";
import { describeWebhooks } from "./connector/webhooks.js";

export type { BoardHandle, ConnectOptions, ConnectorHarness, ConnectorSetup } from "./connector/harness.js";

/**
 * What every connector promises, whatever its board. Where boards differ, they differ by the data a harness gives:
 * a part left out is a thing that board does not have.
 */

type Part = (fresh: Fresh) => void;

/** The parts that can be tried on a board as it stands: they add and take away nothing, and move one ticket. */
const STANDING: readonly Part[] = [describeReading, describeRoundTrip, describeLogin, describeHostileIds];
const PARTS: readonly Part[] = [
  ...STANDING,
  describePulling,
  describeMoving,
  describeFailing,
  describeKeepingApart,
  describeNames,
  describeWebhooks,
];

export function describeConnector(name: string, setup: ConnectorSetup): void {
  describeParts(`${name} connector`, setup, PARTS);
}

/** What of this a real board can be asked to show, by a harness with a `standing` ticket. */
export function describeStandingConnector(name: string, setup: ConnectorSetup): void {
  describeParts(`${name} connector, on a board as it stands`, setup, STANDING);
}

function describeParts(name: string, setup: ConnectorSetup, parts: readonly Part[]): void {
  describe(name, () => {
    const open: ConnectorHarness[] = [];
    const fresh = async () => {
      const harness = await setup();
      open.push(harness);
      return harness;
    };
    afterEach(async () => {
      await Promise.all(open.splice(0).map((harness) => harness.close()));
    });

    for (const part of parts) part(fresh);
  });
}
