import { describeConnector } from "./connector.contract.js";
import { trelloHarness } from "./trello.harness.js";

describeConnector("Trello", () => trelloHarness());
