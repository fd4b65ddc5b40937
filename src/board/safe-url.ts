import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { BoardwalkError } from "../errors.js";

/**
 * May the service call an address that a tenant typed in? Only over https and only into the public internet, unless
 * the operator allows private hosts.
 *
 * A name can be made to lead elsewhere after it was checked. So the agents behind every request have
 * `createSafeLookup`, which checks the very addresses that are then connected to (`reach.ts`). It is not asked about
 * literal addresses, so `createUrlCheck` comes first in any case. And nobody follows redirects (`redirect: "error"`),
 * or else checks each target.
 */

/** All addresses of a host name. Rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface UrlCheckOptions {
  /** The operator's word that private addresses and plain http are fine. */
  readonly allowPrivateHosts: boolean;
  /** The system's resolver by default. */
  readonly lookup?: Resolve;
}

/**
 * Resolves when the URL may be called.
 * @throws BoardwalkError `invalid` for what is no web address, `forbidden` for one that may not be called.
 */
export function createUrlCheck(options: UrlCheckOptions): (url: string) => Promise<void> {
  const resolve = options.lookup ?? resolveBySystem;
  return async (text) => {
    const url = parse(text);
    if (options.allowPrivateHosts) return;
    if (url.protocol !== "https:") {
      throw forbidden("Boards are called over https only. Please use an address that begins with https.");
    }
    const host = hostOf(url);
    if (isLocalName(host)) throw privateHost();
    const addresses = isIP(host) === 0 ? await resolved(resolve, host) : [host];
    if (addresses.some((address) => !isPublicAddress(address))) throw privateHost();
  };
}

/** A `lookup` for agents that connects to public addresses only: not one of a host's addresses may be private. */
export function createSafeLookup(lookup: typeof systemLookup = systemLookup): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      if (addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address))) {
        return callback(privateHost(), []);
      }
      const [first] = addresses;
      if (options.all || first === undefined) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** Is this literal address one of the public internet's? Of version 6 only global unicast without a second address inside. */
export function isPublicAddress(address: string): boolean {
  const [plain = ""] = address.split("%");
  const version = isIP(plain);
  if (version === 4) return !closed.check(plain, "ipv4");
  return version === 6 && globalUnicast.check(plain, "ipv6") && !closed.check(plain, "ipv6");
}

const closed = blockList([
  ["0.0.0.0", 8], // this host
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // carrier-grade NAT, and a cloud's metadata
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // a cloud's metadata outside any reserved range
  ["169.254.0.0", 16], // link-local, and most clouds' metadata
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
  ["2001::", 23], // special purpose; Teredo carries a version 4 address
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4 carries a version 4 address
  ["3fff::", 20],
]);

/** Outside of it lie loopback, link-local, unique local, multicast, and mapped or translated version 4 addresses. */
const globalUnicast = blockList([["2000::", 3]]);

function blockList(ranges: readonly (readonly [address: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges)
    list.addSubnet(address, prefix, address.includes(":") ? "ipv6" : "ipv4");
  return list;
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new BoardwalkError(
      "invalid",
      "That is not a web address. Please give one like https://board.example.com.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw forbidden(
      "A board's address may not hold a user or a password. Please give those as credentials instead.",
    );
  }
  return url;
}

/** The URL parser has already turned decimal, octal and hexadecimal forms of an address into the usual one. */
function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.+$/, "")
    .toLowerCase();
}

function isLocalName(host: string): boolean {
  return /^$|(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/.test(host);
}

async function resolved(resolve: Resolve, host: string): Promise<readonly string[]> {
  let addresses: readonly string[] = [];
  let failure: unknown;
  try {
    addresses = await resolve(host);
  } catch (error) {
    failure = error;
  }
  if (addresses.length > 0) return addresses;
  throw new BoardwalkError(
    "invalid",
    `This machine finds no server named ${host}. Please check the board's address, and this machine's network.`,
    {
      cause: failure,
    },
  );
}

function resolveBySystem(host: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error: Error | null, addresses: LookupAddress[]) => {
      if (error) reject(error);
      else resolve(addresses.map(({ address }) => address));
    });
  });
}

/** Does not say which address: a tenant could read the operator's network off such answers. */
export function privateHost(): BoardwalkError {
  return forbidden(
    "That address leads into a private network, which this service does not call. Its operator can allow it with BOARDWALK_ALLOW_PRIVATE_HOSTS=1.",
  );
}

function forbidden(message: string): BoardwalkError {
  return new BoardwalkError("forbidden", message);
}
