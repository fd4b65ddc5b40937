import {
  type GithubEmulator,
  type GithubEmulatorOptions,
  startGithubEmulator,
} from "../../connectors/github/emulator.js";
import { createGithubConnector, github } from "../../connectors/github/index.js";
import type { ConnectorKit, Ticket } from "../../src/board/connector.js";
import type { ConnectOptions, ConnectorHarness } from "./connector.contract.js";

const WEBHOOK_SECRET = "a webhook secret of the test";

const quietKit: ConnectorKit = {
  connection: "test",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};

/** An emulated GitHub with one empty project. Its tickets are drafts: the only items whose text edits GitHub tells. */
export async function githubHarness(
  options: GithubEmulatorOptions = {},
): Promise<ConnectorHarness & { readonly emulator: GithubEmulator }> {
  const emulator = await startGithubEmulator({
    pings: false,
    projects: [
      {
        owner: "acme",
        number: 3,
        fields: [{ name: "Status", options: ["Todo", "In Progress", "Done"] }],
      },
    ],
    ...options,
  });
  const project = emulator.project();
  const itemOf = (ticket: Ticket) => ticket.id.split(".")[2] ?? "";
  const nameOf = (id: string) =>
    project.state.fields[0]?.options.find((option) => option.id === id)?.name ?? id;
  return {
    emulator,
    board: {
      journal: emulator.journal,
      isWrite: ({ method, operation }) =>
        operation === undefined ? method !== "GET" : /Move|Clear|Create/.test(operation),
      addTickets(count) {
        for (let index = 1; index <= count; index++)
          project.addItem({ title: `Ticket ${index}`, status: "Todo" });
      },
      addTicket: (title) => void project.addItem({ title, status: "Todo" }),
      moveAsSomeoneElse: (ticket, to) => project.move(itemOf(ticket), nameOf(to)),
      renameStatus: (status, name) => project.renameOption(nameOf(status), name),
      editTitle: (ticket, title) => project.editDraft(itemOf(ticket), { title, body: title }),
      remove: (ticket) => project.removeItem(itemOf(ticket)),
      setFaults: (faults) => emulator.host.setFaults(faults),
      limitRate: (times, seconds) =>
        emulator.limit("secondary", { times, ...(seconds === undefined ? {} : { seconds }) }),
      archive: (ticket) => project.archive(itemOf(ticket)),
      addRule: (thenTo) => project.automate("In Progress", nameOf(thenTo)),
      countWebhooks: () => emulator.hooks.all.length,
    },
    connect: (options = {}) => connect(emulator, options),
    moves: { plain: { from: project.optionId("Todo"), to: project.optionId("In Progress") } },
    webhook: { signatureHeader: "x-hub-signature-256", deliveryIdHeader: "x-github-delivery" },
    setsTimeout: true,
    hostileIds: ["github.00000000.PVTI_abc", "github..PVTI_abc", "web#12", "PVTI_lADOabc", "I_kwDOabc"],
    hostileMoveIds: ["Done", "undefined", "deadbeef", "__proto__"],
    secrets: [emulator.token, WEBHOOK_SECRET],
    close: () => emulator.close(),
  };
}

function connect(emulator: GithubEmulator, options: ConnectOptions) {
  const settings = github.settings.parse({
    owner: "acme",
    project: 3,
    apiUrl: options.baseUrl ?? emulator.url,
  });
  const credentials = github.credentials.parse({
    token: options.credentials === "wrong" ? "wrong-token" : emulator.token,
    ...(options.credentials === "without webhook secret" ? {} : { webhookSecret: WEBHOOK_SECRET }),
  });
  const timing = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
  return createGithubConnector(settings, credentials, { ...quietKit, ...options.kit }, timing);
}
