import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { BoardwalkError } from "../errors.js";

/** Board credentials at rest: AES-256-GCM, with the key's id beside what it sealed, so that keys can rotate. */

const FORM = "bw1";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SealingKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

export interface Sealer {
  /** `context` says whose this is; it is not kept, but nothing opens under another one. See `sealContext`. */
  seal(plain: string, context: string): string;
  /** @throws BoardwalkError `auth_expired` when it was tampered with, moved, or sealed with a key we no longer have. */
  open(sealed: string, context: string): string;
  /** Was it sealed with another key than the one now used? Then seal it anew. */
  stale(sealed: string): boolean;
}

/** The context of one connection's credentials: no two connections of any tenants share one. */
export function sealContext(tenant: string, connection: string): string {
  return JSON.stringify([tenant, connection]);
}

/**
 * The first key seals, every key opens.
 * @throws BoardwalkError `invalid` when there is no key, one is not 32 bytes long, or two share an id.
 */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const [newest] = keys;
  const byId = new Map(keys.map((key) => [key.id, key.key]));
  if (newest === undefined || byId.size !== keys.length || keys.some(({ key }) => key.length !== 32)) {
    throw new BoardwalkError("invalid", "Sealing needs one or more keys of 32 bytes, each with its own id.");
  }

  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, newest.key, nonce);
      cipher.setAAD(bound(newest.id, context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return `${FORM}.${newest.id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
    },

    open(sealed, context) {
      const { id, bytes } = parse(sealed);
      const key = byId.get(id);
      if (key === undefined) {
        throw unopened(
          `They were sealed with the key "${id}", which is no longer among the encryption keys; put it back, or reconnect the board.`,
        );
      }
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(bound(id, context));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw unopened("They were changed, or sealed for something else. Please reconnect the board.", cause);
      }
    },

    stale: (sealed) => parse(sealed).id !== newest.id,
  };
}

/** What the seal vouches for beside the text itself: form and key id, so that neither can be exchanged, and the owner. */
function bound(id: string, context: string): Buffer {
  return Buffer.from(JSON.stringify([FORM, id, context]));
}

function parse(sealed: string): { readonly id: string; readonly bytes: Buffer } {
  const [form, id, encoded, ...rest] = sealed.split(".");
  if (form !== FORM || id === undefined || encoded === undefined || rest.length > 0) {
    throw unopened("They are not in a form we know. Please reconnect the board.");
  }
  const bytes = Buffer.from(encoded, "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES)
    throw unopened("They are cut short. Please reconnect the board.");
  return { id, bytes };
}

function unopened(why: string, cause?: unknown): BoardwalkError {
  return new BoardwalkError("auth_expired", `The saved credentials cannot be opened. ${why}`, { cause });
}
