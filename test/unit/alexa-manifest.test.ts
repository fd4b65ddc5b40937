import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addonManifest, EXAMPLE_PHRASES } from "../../src/cli/alexa-manifest.js";
import { parseConfig } from "../../src/config.js";
import { type Demo, startDemo } from "../../src/demo.js";
import { BoardwalkError } from "../../src/errors.js";
import { answerSentence } from "../../src/tickets/say.js";

function png(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(24);
  Buffer.from("89504e470d0a1a0a", "hex").copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const config = parseConfig({
  PUBLIC_URL: "https://boardwalk.example",
  ALEXA_PUBLIC_URL: "https://alexa.boardwalk.example",
  ALEXA_CLIENT_ID: "alexa",
  ALEXA_CLIENT_SECRET: "a-secret-of-enough-letters",
  ALEXA_REDIRECT_URIS: "https://layla.amazon.com/link/M1,https://pitangui.amazon.com/link/M1",
});
const images = {
  ...Object.fromEntries([36, 64, 108, 180, 256, 512].map((size) => [`icon-${size}.png`, png(size, size)])),
  "carousel.png": png(600, 900),
  "notes.txt": Buffer.from("not a picture"),
};
const wishes = {
  privacyUrl: "https://boardwalk.example/privacy",
  termsUrl: "https://boardwalk.example/terms",
  images,
};

describe("the add-on's submission", () => {
  it("keeps Amazon's limits, and names the address and client that the service itself has", () => {
    const made = addonManifest(config, wishes, "abc");
    expect(made).toMatchObject({
      name: "Boardwalk",
      mcpServerUrl: "https://alexa.boardwalk.example/alexa/mcp",
      authorization: {
        clientId: "alexa",
        protectedResource: "https://alexa.boardwalk.example/.well-known/oauth-protected-resource",
        redirectUris: ["https://layla.amazon.com/link/M1", "https://pitangui.amazon.com/link/M1"],
      },
      childDirected: false,
      carouselImages: [{ file: "carousel.png" }],
      toolContract: { sha256: "abc" },
    });
    expect(made.icons.map(({ size }) => size)).toEqual([36, 64, 108, 180, 256, 512]);
    expect(made.shortDescription.length).toBeLessThanOrEqual(123);
    expect(JSON.stringify(made)).not.toContain("a-secret-of-enough-letters");
  });

  it("is refused with everything that is missing, at once", () => {
    try {
      addonManifest(parseConfig({ PUBLIC_URL: "http://boardwalk.example" }), { name: "x".repeat(31) }, "abc");
      expect.unreachable();
    } catch (error) {
      const { code, message } = BoardwalkError.from(error);
      expect(code).toBe("invalid");
      for (const missing of [
        "30 characters",
        "privacy",
        "terms",
        "six square icons",
        "600 by 900",
        "https",
        "ALEXA_CLIENT_ID",
        "ALEXA_REDIRECT_URIS",
      ])
        expect(message).toContain(missing);
    }
  });
});

describe("the example phrases", () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
  });
  afterAll(() => demo.close());

  it.each(EXAMPLE_PHRASES)("%j works as it is said", async (phrase) => {
    const { answer } = await answerSentence(demo.app.tickets, demo.talk, phrase);
    expect(["confirmed", undefined]).toContain(answer.outcome);
    expect(answer.question).toBeUndefined();
    expect(answer.tickets ?? answer.ticket ?? answer.boards).not.toEqual([]);
    expect(answer.spoken).not.toMatch(/found no ticket/);
  });
});
