import { describeConnector } from "./connector.contract.js";
import { jiraHarness } from "./jira.harness.js";

describeConnector("Jira", () => jiraHarness());
