import { BoardwalkError } from "../errors.js";

/** Why Redis cannot be used, said to whoever set its address. */
export interface RedisTrouble {
  readonly message: string;
  readonly fix: string;
}

export const SET_REDIS_URL =
  "Set REDIS_URL to a Redis 7, a cluster or its sentinels that this machine reaches.";
const LOGIN = "Correct user and password in REDIS_URL; write `/`, `?`, `#` and `%` in them encoded.";
const CERTIFICATE =
  "Name the file of the authority that signed it in NODE_EXTRA_CA_CERTS, and start Boardwalk anew.";
const TLS = "Begin REDIS_URL with redis:// where Redis speaks no TLS, and with rediss:// where it does.";

/** By the codes of Node's and OpenSSL's errors, and by the first word of Redis' own. */
const TROUBLES: readonly (readonly [RegExp, RedisTrouble])[] = [
  [/^ECONNREFUSED$/, { message: "Nothing listens at the address of REDIS_URL.", fix: SET_REDIS_URL }],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    { message: "The host of REDIS_URL is not known to this machine.", fix: SET_REDIS_URL },
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    { message: "The host of REDIS_URL cannot be reached from here.", fix: SET_REDIS_URL },
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+)$/,
    {
      message: "The certificate of Redis is of an authority that this machine does not know.",
      fix: CERTIFICATE,
    },
  ],
  [
    /^CERT_HAS_EXPIRED$/,
    { message: "The certificate of Redis has expired.", fix: "Give Redis a new certificate." },
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    {
      message: "The certificate of Redis is not for the host that REDIS_URL names.",
      fix: "Name the host as its certificate does.",
    },
  ],
  [
    /^(EPROTO|ERR_SSL_\w+)$/,
    { message: "Redis and Boardwalk do not agree on TLS at the address of REDIS_URL.", fix: TLS },
  ],
  [/^(ECONNRESET|EPIPE)$/, { message: "Redis broke off the connection at once.", fix: TLS }],
  [/^WRONGPASS$/, { message: "Redis does not know the user or password of REDIS_URL.", fix: LOGIN }],
  [/^NOAUTH$/, { message: "Redis wants a user and a password, and REDIS_URL has none.", fix: LOGIN }],
  [
    /^NOPERM$/,
    {
      message: "The user of REDIS_URL may not do in Redis what Boardwalk needs.",
      fix: "Give it the rights that docs/operating.md names.",
    },
  ],
];

/** A Redis without TLS waits for more when somebody begins with it. */
const SILENT: RedisTrouble = {
  message: "The Redis of REDIS_URL does not answer.",
  fix: `${SET_REDIS_URL} ${TLS}`,
};

/** What the last error of a client, or one that was answered to a command, says of the address. */
export function redisTrouble(error: unknown): RedisTrouble {
  const code = redisErrorCode(error);
  const [, trouble] = TROUBLES.find(([pattern]) => code !== undefined && pattern.test(code)) ?? [];
  return trouble ?? SILENT;
}

/** For whoever starts Boardwalk: what to mend before it can be. */
export function redisUnusable(error: unknown): BoardwalkError {
  const { message, fix } = redisTrouble(error);
  return new BoardwalkError("unavailable", `${message} ${fix}`, { cause: error });
}

/** A word for the kind of trouble, which quotes nothing. */
export function redisErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof BoardwalkError) return redisErrorCode(error.cause);
  if ("code" in error && typeof error.code === "string") return error.code;
  // A sentinel's trouble is told in the words of the last that was asked.
  const told = /(?:^|Last error: |ReplyError: )(?:connect )?([A-Z][A-Z_]{4,})\b/.exec(error.message)?.[1];
  return told ?? redisErrorCode(error.cause);
}
