import {
  demoJiraSite,
  type JiraEmulator,
  type JiraSiteSeed,
  startJiraEmulator,
} from "../../connectors/jira/emulator.js";
import { jira } from "../../connectors/jira/index.js";
import type { ConnectorKit, Ticket } from "../../src/board/connector.js";
import type { ConnectOptions, ConnectorHarness } from "./connector.contract.js";

const WEBHOOK_SECRET = "a webhook secret of the test";

export const quietKit: ConnectorKit = {
  connection: "test",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};

/** An emulated Jira, by default the demo's project without its tickets, as the contract suite wants its boards. */
export async function jiraHarness(
  options: Parameters<typeof startJiraEmulator>[0] = {},
): Promise<ConnectorHarness & { readonly emulator: JiraEmulator }> {
  const site: JiraSiteSeed = demoJiraSite({ issues: [] });
  const emulator = await startJiraEmulator({ site, ...options });
  const nativeId = (ticket: Ticket) => ticket.id.split(".")[2] ?? "";
  return {
    emulator,
    board: {
      journal: emulator.journal,
      addTickets(count) {
        const updated = new Date(Date.now() - 3_600_000);
        for (let index = 1; index <= count; index++)
          emulator.createIssue({ title: `Ticket ${index}`, status: "10000", updated });
      },
      addTicket: (title) => void emulator.createIssue({ title, status: "10000" }),
      moveAsSomeoneElse: (ticket, to) => emulator.moveIssue(nativeId(ticket), to),
      renameStatus: (status, name) => emulator.renameStatus(status, name),
      editTitle: (ticket, title) => emulator.editTitle(nativeId(ticket), title),
      remove: (ticket) => emulator.deleteIssue(nativeId(ticket)),
      setFaults: (faults) => emulator.setFaults(faults),
      limitRate: (times, retryAfterSeconds) =>
        emulator.limitRate({ times, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }),
      archive: (ticket) => emulator.archiveIssue(nativeId(ticket)),
      addRule: (thenTo) => emulator.editTransition("11", { thenTo }),
      countWebhooks: () => emulator.webhooks.registered.length,
    },
    connect: (connecting = {}) => connect(emulator, connecting),
    moves: {
      plain: { from: "10000", to: "10001" },
      withField: { from: "10002", to: "10003", field: "resolution", value: "Done" },
      closes: true,
    },
    webhook: { signatureHeader: "x-hub-signature" },
    setsTimeout: true,
    hostileIds: ["jira.00000000.1", "AB-1/../../myself?x=", "jira..10001", "jira.%2e.10001"],
    hostileMoveIds: ["31/../../myself", "Done", "10001?x="],
    secrets: [emulator.credentials.apiToken, WEBHOOK_SECRET, emulator.authorization],
    close: () => emulator.close(),
  };
}

function connect(emulator: JiraEmulator, options: ConnectOptions) {
  const { email, apiToken } = emulator.credentials;
  const settings = jira.settings.parse({
    baseUrl: options.baseUrl ?? emulator.url,
    project: "ENG",
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  const credentials = jira.credentials.parse({
    email,
    apiToken: options.credentials === "wrong" ? "wrong-token" : apiToken,
    ...(options.credentials === "without webhook secret" ? {} : { webhookSecret: WEBHOOK_SECRET }),
  });
  return jira.create(settings, credentials, { ...quietKit, ...options.kit });
}
