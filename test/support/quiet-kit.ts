import type { ConnectorKit } from "../../src/board/connector.js";

/** A host that lets a connector do everything and keeps nothing. */
export const quietKit: ConnectorKit = {
  connection: "test",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};
