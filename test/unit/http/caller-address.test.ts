import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { callerAddress } from "../../../src/http/caller-address.js";

const from = (socket: string | undefined, forwarded?: string, publicUrl = "https://boardwalk.example") =>
  callerAddress(
    {
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
      socket: { remoteAddress: socket } as IncomingMessage["socket"],
    },
    { publicUrl: () => publicUrl },
  );

describe("the address that a stranger is counted by", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["198.51.100.1, 203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:51234", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:DB8:1:2::1", "2001:db8:1:2::"],
    ["2001:db8::1", "2001:db8:0:0::"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1:2::"],
    ["fe80::1%eth0", "fe80:0:0:0::"],
    ["::1", "0:0:0:0::"],
  ])("is what the proxy saw: %s", (forwarded, counted) => {
    expect(from("10.0.0.1", forwarded)).toBe(counted);
  });

  it.each(["", "unknown", "x".repeat(5_000), "203.0.113.7.8", "203.0.113.7, "])(
    "is the proxy's own where the header holds none (%#)",
    (forwarded) => expect(from("10.0.0.1", forwarded)).toBe("10.0.0.1"),
  );

  it("is the socket's where no proxy stands before us, whatever the caller writes", () => {
    expect(from("192.0.2.1", "203.0.113.7", "http://127.0.0.1:8420")).toBe("192.0.2.1");
    expect(from("::ffff:192.0.2.1", undefined, "http://127.0.0.1:8420")).toBe("192.0.2.1");
    expect(from(undefined, undefined)).toBe("unknown");
  });
});
