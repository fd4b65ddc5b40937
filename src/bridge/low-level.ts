import { z } from "zod";

/** What is used of a low-level `Server`, of either official SDK. */
export interface LowLevelServerLike {
  /** Declares what the server can do; before it connects. */
  registerCapabilities(capabilities: never): void;
  /** Answers requests of one method. */
  setRequestHandler(method: never, handler: never): void;
  /** Tells the client that its list of tools is old. */
  sendToolListChanged(): Promise<void>;
  /** Tells a subscribed client that a resource has changed. */
  sendResourceUpdated(params: { uri: string }): Promise<void>;
  /** Called when the connection has ended. */
  onclose?: (() => void) | undefined;
}

type Handler = (request: { params?: Record<string, unknown> }, extra: unknown) => Promise<object>;

/** Version 2 names a request by its method, version 1 by a schema of it. */
export function onRequest(server: LowLevelServerLike, method: string, handler: Handler): void {
  const byMethod = () => server.setRequestHandler(method as never, handler as never);
  const bySchema = () => {
    const schema = z.object({ method: z.literal(method), params: z.looseObject({}).optional() });
    server.setRequestHandler(schema as never, handler as never);
  };
  try {
    byMethod();
  } catch {
    bySchema();
  }
}
