import type { lookup as systemLookup } from "node:dns";
import { once } from "node:events";
import { Agent, createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createSafeLookup, createUrlCheck, isPublicAddress } from "../../../src/board/safe-url.js";
import { BoardwalkError } from "../../../src/errors.js";

const names: Record<string, readonly string[]> = {
  "board.example": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
  "inside.example": ["10.0.0.5"],
  "mixed.example": ["93.184.216.34", "127.0.0.1"],
  "inside6.example": ["fd00::1"],
  "empty.example": [],
};

async function lookup(host: string): Promise<readonly string[]> {
  const addresses = names[host];
  if (addresses === undefined) throw Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" });
  return addresses;
}

const check = createUrlCheck({ allowPrivateHosts: false, lookup });

async function answer(url: string, using = check): Promise<string> {
  try {
    await using(url);
    return "allowed";
  } catch (error) {
    return BoardwalkError.from(error).code;
  }
}

describe("a board's address", () => {
  it.each([
    "https://board.example",
    "https://board.example:8443/jira/",
    "https://BOARD.example./",
    "https://93.184.216.34",
    "https://[2606:2800:220:1::1]/",
  ])("%s may be called", async (url) => {
    expect(await answer(url)).toBe("allowed");
  });

  it.each([
    ...["https://127.0.0.1", "https://127.1", "https://2130706433", "https://0x7f000001", "https://0x7f.1"],
    ...["https://017700000001", "https://0177.0.0.1", "https://0", "https://0.0.0.0", "https://127.0.0.1."],
    ...["https://10.1.2.3", "https://172.16.0.1", "https://172.31.255.255", "https://192.168.1.1"],
    ...["https://169.254.169.254/latest/meta-data", "https://100.100.100.200", "https://168.63.129.16"],
    ...["https://100.64.0.1", "https://224.0.0.1", "https://255.255.255.255", "https://198.18.0.1"],
    ...["https://[::1]", "https://[::]", "https://[fe80::1]", "https://[fc00::1]", "https://[fd00:ec2::254]"],
    ...[
      "https://[ff02::1]",
      "https://[::ffff:127.0.0.1]",
      "https://[::ffff:7f00:1]",
      "https://[::127.0.0.1]",
    ],
    ...[
      "https://[64:ff9b::7f00:1]",
      "https://[2002:7f00:1::]",
      "https://[2001:0:7f00:1::]",
      "https://[fec0::1]",
    ],
    ...["https://localhost", "https://LOCALHOST.", "https://a.localhost", "https://printer.local"],
    ...[
      "https://metadata.google.internal",
      "https://①②⑦.0.0.1",
      "https://router.lan",
      "https://x.localdomain",
    ],
    ...["https://inside.example", "https://mixed.example", "https://inside6.example"],
    ...["http://board.example", "https://user@board.example", "https://user:pass@board.example"],
  ])("%s may not be called", async (url) => {
    expect(await answer(url)).toBe("forbidden");
  });

  it.each([
    ...["", "board.example", "ftp://board.example", "file:///etc/passwd", "javascript:alert(1)"],
    ...["gopher://127.0.0.1:6379/_x", "https://", "https://unknown.example", "https://empty.example"],
  ])("%j is not one", async (url) => {
    expect(await answer(url)).toBe("invalid");
  });

  it("is refused without telling where it leads", async () => {
    await expect(check("https://inside.example")).rejects.toThrow(/BOARDWALK_ALLOW_PRIVATE_HOSTS/);
    await expect(check("https://inside.example")).rejects.not.toThrow(/10\.0/);
  });

  it("may be private and plain where the operator allows it, but never hold credentials or another scheme", async () => {
    const lenient = createUrlCheck({ allowPrivateHosts: true, lookup });
    for (const url of ["http://127.0.0.1:41001", "https://inside.example", "http://jira.internal"]) {
      expect(await answer(url, lenient)).toBe("allowed");
    }
    expect(await answer("http://user:pass@127.0.0.1", lenient)).toBe("forbidden");
    expect(await answer("file:///etc/passwd", lenient)).toBe("invalid");
  });

  it("is looked up by the system when nobody says otherwise", async () => {
    expect(await answer("https://nowhere.invalid", createUrlCheck({ allowPrivateHosts: false }))).toBe(
      "invalid",
    );
  });
});

describe("a literal address", () => {
  it.each([
    ["172.15.255.255", true],
    ["172.32.0.0", true],
    ["100.63.255.255", true],
    ["100.128.0.0", true],
    ["11.0.0.0", true],
    ["223.255.255.255", true],
    ["2a00::1", true],
    ["fe80::1%eth0", false],
    ["3fff::1", false],
    ["4000::1", false],
    ["not an address", false],
    ["", false],
  ])("%s is public: %s", (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});

describe("the look-up for agents", () => {
  const answering = (...addresses: string[]) =>
    ((_host: string, _options: object, callback: (...args: unknown[]) => void) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      )) as unknown as typeof systemLookup;

  function lookUp(lookup: typeof systemLookup, options: { all?: boolean } = {}) {
    return new Promise<readonly unknown[]>((resolve, reject) => {
      createSafeLookup(lookup)("board.example", options, (error, ...found) =>
        error ? reject(error) : resolve(found),
      );
    });
  }

  it("gives one address or all, as it is asked", async () => {
    const both = answering("93.184.216.34", "2606:2800::1");
    expect(await lookUp(both)).toEqual(["93.184.216.34", 4]);
    expect(await lookUp(both, { all: true })).toEqual([
      [
        { address: "93.184.216.34", family: 4 },
        { address: "2606:2800::1", family: 6 },
      ],
    ]);
  });

  it("gives none when any is private", async () => {
    await expect(lookUp(answering("93.184.216.34", "10.0.0.1"))).rejects.toMatchObject({ code: "forbidden" });
    await expect(lookUp(answering(), { all: true })).rejects.toMatchObject({ code: "forbidden" });
  });

  it("stops a name that was public when checked and leads inside when called", async () => {
    const answers = [["93.184.216.34"], ["127.0.0.1"]];
    const rebinding = async () => answers.shift() ?? [];
    let reached = 0;
    const server = createServer((_request, response) => {
      reached += 1;
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      expect(
        await answer(
          "https://rebind.example",
          createUrlCheck({ allowPrivateHosts: false, lookup: rebinding }),
        ),
      ).toBe("allowed");
      const [inside = ""] = await rebinding();
      const agent = new Agent({ lookup: createSafeLookup(answering(inside)) });
      const { port } = server.address() as AddressInfo;
      const request = get({ host: "rebind.example", port, agent });
      const [error] = await once(request, "error");
      expect(error).toMatchObject({ code: "forbidden" });
      expect(reached).toBe(0);
    } finally {
      server.close();
    }
  });
});
