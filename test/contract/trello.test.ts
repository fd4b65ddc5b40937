import { describeConnector } from "./connector.contract.js";
import { trelloHarness } from "./trello.harness.js";
import { describeTrello } from "./trello-cases.js";
import { describeTrelloEmulator } from "./trello-emulator-cases.js";

describeConnector("Trello", () => trelloHarness());
describeTrello("Trello's own ways");
describeTrelloEmulator("The emulated Trello");
