import { describeConnector } from "./connector.contract.js";
import { linearHarness } from "./linear.harness.js";

describeConnector("Linear", () => linearHarness());
