import { z } from "zod";

/** The only way into Trello we use: an app's key and a token that a member gave it. */

/** What may stand between the quotes of the Authorization header. */
const secret = z.string().regex(/^[\w.~-]{1,512}$/, "may only hold letters, digits and . _ ~ -");

export const trelloCredentials = z.strictObject({
  apiKey: secret,
  token: secret,
  /** The app's own secret, with which Trello signs its webhooks. Without it the board is polled. */
  secret: secret.optional(),
});
export type TrelloCredentials = z.infer<typeof trelloCredentials>;

/** Both secrets in one header, so that they stand in no address and thus in no log. */
export function authorization({ apiKey, token }: Pick<TrelloCredentials, "apiKey" | "token">): string {
  return `OAuth oauth_consumer_key="${apiKey}", oauth_token="${token}"`;
}
