import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { SentinelConnector } from "ioredis";

type Tell = Parameters<SentinelConnector["connect"]>[0];

/**
 * Asks sentinels for the primary, again and again, until its client is told to stop. The library's own gives its client
 * up for good when the connection is to be made anew while it asks: that is when the sentinels tell of a fail-over, or
 * when somebody who waited too long for an answer disconnects. It stands in the client's options, so that the copies
 * that BullMQ makes of a client have it too.
 */
export class LastingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    // Those of the client, which the library hands on as they are.
    super(options as ConstructorParameters<typeof SentinelConnector>[0]);
  }

  override async connect(tell: Tell) {
    const stream = await super.connect(tell).catch((error: Error) => {
      if (this.connecting) tell("error", error);
      // The client takes it for a lost connection, and itself knows whether it is to try again.
      return new Socket().destroy();
    });
    // From there on sentinels are listened to for this connection's sake; without it, as after `quit`, for nobody's.
    stream.once(stream instanceof TLSSocket ? "secureConnect" : "connect", () => {
      stream.once("close", () => this.disconnect());
    });
    return stream;
  }
}
