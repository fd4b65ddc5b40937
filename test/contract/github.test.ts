import { describeConnector } from "./connector.contract.js";
import { githubHarness } from "./github.harness.js";

describeConnector("GitHub", githubHarness);
