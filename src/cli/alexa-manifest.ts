import { z } from "zod";
import type { Config } from "../config.js";
import { BoardwalkError } from "../errors.js";
import { safeParse } from "../parse.js";

/**
 * What an Alexa+ add-on is submitted with, held to the limits that Amazon has published. The file's own format is
 * known to partners only, so the keys are ours: copy the values into what `alexa-ai new mcp` makes.
 */

export interface ManifestWishes {
  readonly name?: string;
  readonly privacyUrl?: string;
  readonly termsUrl?: string;
  /** PNG files, by path. */
  readonly images?: Readonly<Record<string, Uint8Array>>;
}

const httpsUrl = (what: string) =>
  z
    .string({ error: `${what} is missing` })
    .refine((url) => URL.canParse(url) && url.startsWith("https://"), `${what} has to begin with https`);

const manifest = z.object({
  name: z.string().min(1).max(30, "the name may have at most 30 characters"),
  shortDescription: z.string().max(123),
  fullDescription: z.string().max(4_000),
  examplePhrases: z.array(z.string().max(200)).min(3).max(4),
  privacyPolicyUrl: httpsUrl("the address of the privacy policy (--privacy-url)"),
  termsOfUseUrl: httpsUrl("the address of the terms of use (--terms-url)"),
  icons: z
    .array(z.object({ file: z.string(), size: z.number() }))
    .min(6, "six square icons of different sizes are wanted (--images)"),
  carouselImages: z
    .array(z.object({ file: z.string() }))
    .min(1, "at least one image of 600 by 900 is wanted (--images)"),
  mcpServerUrl: httpsUrl("ALEXA_PUBLIC_URL (or PUBLIC_URL)"),
  authorization: z.object({
    clientId: z.string({ error: "ALEXA_CLIENT_ID is missing" }),
    protectedResource: z.string(),
    scopes: z.array(z.string()),
    serviceScope: z.string(),
    redirectUris: z.array(z.string()).min(1, "ALEXA_REDIRECT_URIS is missing"),
  }),
  childDirected: z.literal(false),
  toolContract: z.object({ sha256: z.string() }),
});
export type AddonManifest = z.infer<typeof manifest>;

/** Each is one that a test says to the demo's board. */
export const EXAMPLE_PHRASES = [
  "Move the second tap bug to in review",
  "What is in progress",
  "Where can the photo upload go",
  "Describe the board",
] as const;

const SHORT = "Ask where your team's tickets stand, and move them across your real board by saying so.";
const FULL =
  "Boardwalk lets you talk your team's tickets across the board they are on: Jira, Linear, GitHub Projects or " +
  "Trello. Ask what is in a status, where a ticket stands, and where it can go from there. Say where it should go, " +
  "and it moves on the real board; before a ticket is closed you are asked once more. When entering a status opens a " +
  "draft pull request, you are told. You hear that a ticket has moved only once the board itself has confirmed it, " +
  "and you can take your last move back. You need an account at a Boardwalk that your team runs: whoever runs it " +
  "gives you a pairing code to link with.";

/** @throws BoardwalkError `invalid` that names everything that is missing or too long, all at once. */
export function addonManifest(config: Config, wishes: ManifestWishes, contractHash: string): AddonManifest {
  const base = config.alexaPublicUrl ?? config.publicUrl;
  const sizes = Object.entries(wishes.images ?? {}).map(([file, bytes]) => ({ file, ...pngSize(bytes) }));
  const square = new Map(
    sizes.filter(({ width, height }) => width === height).map((one) => [one.width, one]),
  );
  const parsed = safeParse(manifest, {
    name: wishes.name ?? "Boardwalk",
    shortDescription: SHORT,
    fullDescription: FULL,
    examplePhrases: [...EXAMPLE_PHRASES],
    privacyPolicyUrl: wishes.privacyUrl,
    termsOfUseUrl: wishes.termsUrl,
    icons: [...square.values()]
      .map(({ file, width: size }) => ({ file, size }))
      .sort((a, b) => a.size - b.size),
    carouselImages: sizes
      .filter(({ width, height }) => width === 600 && height === 900)
      .map(({ file }) => ({ file })),
    mcpServerUrl: base === undefined ? undefined : `${base}/alexa/mcp`,
    authorization: {
      clientId: config.alexaClientId,
      protectedResource: `${base}/.well-known/oauth-protected-resource`,
      scopes: ["mcp:tools", "mcp:resources"],
      serviceScope: "mcp:service",
      redirectUris: [...config.alexaRedirectUris],
    },
    childDirected: false,
    toolContract: { sha256: contractHash },
  });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => issue.message);
  throw new BoardwalkError(
    "invalid",
    `The add-on cannot be submitted like this:\n${faults.map((fault) => `- ${fault}.`).join("\n")}`,
    { data: { faults } },
  );
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

/** Width and height as a PNG's first chunk has them; nothing for another file. */
function pngSize(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const buffer = Buffer.from(bytes);
  if (buffer.length < 24 || !buffer.subarray(0, 8).equals(PNG)) return { width: 0, height: -1 };
  return { width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) };
}
