import {
  demoTrelloBoard,
  startTrelloEmulator,
  type TrelloEmulator,
  type TrelloEmulatorOptions,
} from "../../connectors/trello/emulator.js";
import { trello } from "../../connectors/trello/index.js";
import type { ConnectorKit, Ticket } from "../../src/board/connector.js";
import type { ConnectOptions, ConnectorHarness } from "./connector.contract.js";

const quietKit: ConnectorKit = {
  connection: "test",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};

/** Three cards to a second, so that seconds lie across the ends of pages; the last one made just now. */
const made = (index: number, count: number) => new Date(Date.now() - Math.floor((count - index) / 3) * 1000);

/** An emulated Trello, by default the demo's board without its cards, as the contract suite wants its boards. */
export async function trelloHarness(
  options: TrelloEmulatorOptions = {},
): Promise<ConnectorHarness & { readonly emulator: TrelloEmulator }> {
  const emulator = await startTrelloEmulator({ board: demoTrelloBoard({ cards: [] }), ...options });
  const [from, to] = [emulator.listId("To Do"), emulator.listId("In Progress")];
  const cardOf = (ticket: Ticket) => ticket.id.split(".")[2] ?? "";
  const { apiKey, token, secret } = emulator.credentials;
  return {
    emulator,
    board: {
      journal: emulator.journal,
      addTickets(count) {
        for (let index = 1; index <= count; index++)
          emulator.addCard({ title: `Ticket ${index}`, list: from, made: made(index, count) });
      },
      addTicket: (title) => void emulator.addCard({ title, list: from }),
      moveAsSomeoneElse: (ticket, list) => emulator.moveCard(cardOf(ticket), list),
      renameStatus: (list, name) => emulator.renameList(list, name),
      editTitle: (ticket, name) => emulator.editCard(cardOf(ticket), { name }),
      remove: (ticket) => emulator.deleteCard(cardOf(ticket)),
      setFaults: (faults) => emulator.setFaults(faults),
      limitRate: (times) => emulator.limits.refuseNext(times),
      archive: (ticket) => emulator.archiveCard(cardOf(ticket)),
      addRule: (thenTo) => emulator.addRule(to, thenTo),
      countWebhooks: () => emulator.webhooks.registered.length,
    },
    connect: (connecting = {}) => connect(emulator, connecting),
    moves: { plain: { from, to } },
    webhook: { signatureHeader: "x-trello-webhook" },
    setsTimeout: true,
    hostileIds: ["trello.00000000.65b0f0000000000000000001", "trello..65b0f0000000000000000001", "card-12"],
    hostileMoveIds: ["Done", "To Do", `${to}?closed=true`, to.toUpperCase(), "65b0f0000000000000000001"],
    secrets: [apiKey, token, secret],
    close: () => emulator.close(),
  };
}

function connect(emulator: TrelloEmulator, options: ConnectOptions) {
  const { apiKey, token, secret } = emulator.credentials;
  const settings = trello.settings.parse({
    board: emulator.boardId,
    apiUrl: options.baseUrl ?? emulator.url,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  const credentials = trello.credentials.parse({
    apiKey,
    token: options.credentials === "wrong" ? "wrong-token" : token,
    ...(options.credentials === "without webhook secret" ? {} : { secret }),
  });
  return trello.create(settings, credentials, { ...quietKit, ...options.kit });
}
