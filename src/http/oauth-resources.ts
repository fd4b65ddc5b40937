/** The addresses that tokens are for, and what may be asked for at each. */

/** Where this service is reached, without a slash at the end. */
export interface Addresses {
  publicUrl(): string;
  /** Another host for Alexa+, whose root can then speak of its endpoint alone. */
  alexaUrl(): string;
}

export interface Resource {
  /** Exactly as clients name it. */
  readonly url: string;
  readonly path: string;
  readonly surface: "generated" | "frozen";
  /** The only tenant served here. */
  readonly tenant?: string;
}

/** A token with this scope belongs to a service: it may see what tools there are, and nothing of anybody. */
export const SERVICE_SCOPE = "mcp:service";
export const USER_SCOPES = ["mcp:tools", "mcp:resources"] as const;

const TENANT_PATH = /^\/t\/([a-z0-9][a-z0-9-]{0,39})\/mcp$/;

/** The resource at a path of ours; undefined where MCP is not served. */
export function resourceAt(path: string, addresses: Addresses): Resource | undefined {
  if (path === "/alexa/mcp") return { url: `${addresses.alexaUrl()}${path}`, path, surface: "frozen" };
  const url = `${addresses.publicUrl()}${path}`;
  if (path === "/mcp") return { url, path, surface: "generated" };
  const tenant = TENANT_PATH.exec(path)?.[1];
  return tenant === undefined ? undefined : { url, path, surface: "generated", tenant };
}

/** The resource of exactly this URL, if it is one of ours. */
export function resourceOf(url: string, addresses: Addresses): Resource | undefined {
  for (const base of new Set([addresses.publicUrl(), addresses.alexaUrl()])) {
    if (!url.startsWith(`${base}/`)) continue;
    const found = resourceAt(url.slice(base.length), addresses);
    if (found?.url === url) return found;
  }
  return undefined;
}

/** Its RFC 9728 document: where it is, and who gives tokens for it. */
export function resourceMetadata(resource: Resource, issuer: string) {
  return {
    resource: resource.url,
    authorization_servers: [issuer],
    scopes_supported: USER_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Boardwalk",
  };
}

export function metadataUrl(resource: Resource, addresses: Addresses): string {
  const base = resource.surface === "frozen" ? addresses.alexaUrl() : addresses.publicUrl();
  return `${base}/.well-known/oauth-protected-resource${resource.path}`;
}
