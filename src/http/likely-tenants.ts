import { hashToken } from "./tokens.js";

/**
 * Whose a token was when it last let somebody in: a guess, so that what its request will need is read while the token
 * is looked up. It lets nobody in, and holds no token.
 */
export interface LikelyTenants {
  of(token: string): string | undefined;
  /** What the look-up said; `undefined` for a token that is nobody's. */
  saw(token: string, tenant: string | undefined): void;
}

export function createLikelyTenants(capacity = 10_000): LikelyTenants {
  const tenants = new Map<string, string>();
  return {
    of: (token) => tenants.get(hashToken(token)),
    saw(token, tenant) {
      const key = hashToken(token);
      if (tenants.get(key) === tenant) return;
      tenants.delete(key);
      if (tenant !== undefined) tenants.set(key, tenant);
      if (tenants.size > capacity) tenants.delete(tenants.keys().next().value ?? key);
    },
  };
}
