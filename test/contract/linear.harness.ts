import { ALL_DOCUMENTS, operationName } from "../../connectors/linear/documents.js";
import {
  demoLinearTeam,
  type LinearEmulator,
  type LinearEmulatorOptions,
  startLinearEmulator,
} from "../../connectors/linear/emulator.js";
import { linear } from "../../connectors/linear/index.js";
import type { ConnectorKit, Ticket } from "../../src/board/connector.js";
import type { ConnectOptions, ConnectorHarness } from "./connector.contract.js";

const MUTATIONS = new Set(
  ALL_DOCUMENTS.filter(({ kind }) => kind === "mutation").map(({ query }) => operationName(query)),
);
const WEBHOOK_SECRET = "a webhook secret of the test";

export const quietKit: ConnectorKit = {
  connection: "test",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};

/** An emulated Linear, by default the demo's team without its issues, as the contract suite wants its boards. */
export async function linearHarness(
  options: LinearEmulatorOptions = {},
): Promise<ConnectorHarness & { readonly emulator: LinearEmulator }> {
  const emulator = await startLinearEmulator({ ...demoLinearTeam({ issues: [] }), ...options });
  emulator.addState({ name: "Triage", type: "triage" });
  emulator.setTriage("MOB", { enabled: true, requirePriority: true });
  const nativeId = (ticket: Ticket) => ticket.id.split(".")[2] ?? "";
  const idOf = (name: string) => emulator.state(name).id;
  return {
    emulator,
    board: {
      journal: emulator.journal,
      isWrite: ({ operation = "" }) => MUTATIONS.has(operation),
      addTickets(count) {
        for (let index = 1; index <= count; index++)
          emulator.createIssue({ title: `Ticket ${index}`, state: "Todo" });
      },
      addTicket: (title) => void emulator.createIssue({ title, state: "Todo" }),
      moveAsSomeoneElse: (ticket, to) => emulator.moveIssue(nativeId(ticket), to),
      renameStatus: (status, name) => emulator.renameState(status, name),
      editTitle: (ticket, title) => emulator.editTitle(nativeId(ticket), title),
      remove: (ticket) => emulator.deleteIssue(nativeId(ticket)),
      setFaults: (faults) => emulator.setFaults(faults),
      limitRate: (times, retryAfterSeconds) =>
        emulator.limitRate({ times, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }),
      archive: (ticket) => emulator.archiveIssue(nativeId(ticket)),
      countWebhooks: () => emulator.webhooks.registered.length,
    },
    connect: (connecting = {}) => connect(emulator, connecting),
    moves: {
      plain: { from: idOf("Todo"), to: idOf("In Progress") },
      withField: { from: idOf("Triage"), to: idOf("In Progress"), field: "priority", value: "High" },
    },
    webhook: { signatureHeader: "linear-signature", deliveryIdHeader: "linear-delivery" },
    setsTimeout: true,
    hostileIds: [
      "MOB-1",
      "linear.00000000.MOB-1",
      `linear.00000000.${idOf("Todo")}`,
      `linear..${idOf("Todo")}`,
      `linear.00000000.${"-".repeat(36)}`,
    ],
    hostileMoveIds: ["In Progress", "undefined", "__proto__", idOf("Todo").toUpperCase()],
    secrets: [emulator.credentials.apiKey, WEBHOOK_SECRET],
    close: () => emulator.close(),
  };
}

function connect(emulator: LinearEmulator, options: ConnectOptions) {
  const settings = linear.settings.parse({
    team: "MOB",
    apiUrl: options.baseUrl ?? emulator.url,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  const credentials = linear.credentials.parse({
    apiKey: options.credentials === "wrong" ? "lin_api_wrong" : emulator.credentials.apiKey,
    ...(options.credentials === "without webhook secret" ? {} : { webhookSecret: WEBHOOK_SECRET }),
  });
  return linear.create(settings, credentials, { ...quietKit, ...options.kit });
}
