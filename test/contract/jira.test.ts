import { describeConnector } from "./connector.contract.js";
import { jiraHarness } from "./jira.harness.js";
import { describeJira } from "./jira-cases.js";
import { describeJiraEmulator } from "./jira-emulator-cases.js";

describeConnector("Jira", () => jiraHarness());
describeJira("Jira's own ways");
describeJiraEmulator("The emulated Jira");
