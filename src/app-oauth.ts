import type { Reach } from "./board/connector.js";
import type { Config, EncryptionKey } from "./config.js";
import type { Knocks } from "./http/knocks.js";
import { createOauth, type Oauth } from "./http/oauth.js";
import type { OauthRecords } from "./http/oauth-records.js";
import type { Addresses } from "./http/oauth-resources.js";
import type { Report } from "./http/problems.js";
import { createMemoryOauthRecords } from "./store/oauth-memory.js";
import { createRedisOauthRecords } from "./store/redis/oauth.js";
import type { Store } from "./store/store.js";

/** The OAuth server of the service, from its settings. */

export interface OauthParts {
  readonly store: Store;
  readonly records: OauthRecords;
  readonly knocks: Knocks;
  readonly keys: readonly EncryptionKey[];
  readonly addresses: Addresses;
  checkUrl(url: string): Promise<void>;
  readonly reach?: Reach;
  now(): Date;
  readonly report: Report;
  removed(tenantId: string): Promise<void>;
}

/** Where sign-ins are kept: the Redis at this address, or memory without one. */
export function openOauthRecords(redisUrl: string | undefined): OauthRecords & { close(): Promise<void> } {
  return redisUrl === undefined ? createMemoryOauthRecords() : createRedisOauthRecords(redisUrl);
}

export function openOauth(config: Config, parts: OauthParts): Oauth {
  const { alexaClientId: id, alexaClientSecret: secret, alexaRedirectUris: redirectUris } = config;
  return createOauth({
    ...parts,
    clients: id === undefined || secret === undefined ? [] : [{ id, secret, redirectUris }],
  });
}

/** `alexa` falls back to the one for everybody, which falls back to where the service listens. */
export function addressesOf(config: Config, listens: () => string): Addresses {
  const publicUrl = () => config.publicUrl ?? listens();
  return { publicUrl, alexaUrl: () => config.alexaPublicUrl ?? publicUrl() };
}
