import { createPrivateKey } from "node:crypto";
import { z } from "zod";

/** What both halves of this folder, the pull requests and the projects, are told about GitHub. */

export const DEFAULT_API_URL = "https://api.github.com";

/** A base such as `https://HOST/api/v3`; the paths below it are ours. */
export const apiUrlSetting = z
  .url({ protocol: /^https?$/, error: "apiUrl must be an http or https address." })
  .refine(
    (url) => !/[?#@]/.test(url),
    "apiUrl must be a plain base address, without a user, query or fragment.",
  )
  .transform((url) => url.replace(/\/+$/, ""))
  .optional();

export const ownerSetting = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$/,
    "This is not the login of a GitHub user or organization.",
  );

const token = z.object({
  token: z.string().regex(/^[\x21-\x7e]+$/, "The token must be one word without spaces."),
  webhookSecret: z.string().min(1).optional(),
});

const app = z.object({
  appId: z.union([z.string().regex(/^[A-Za-z0-9.]+$/), z.number().int().positive()]),
  privateKey: z.string().refine(isPrivateKey, "privateKey must be the App's private key in PEM form."),
  installationId: z.union([z.string().regex(/^\d+$/), z.number().int().positive()]),
  webhookSecret: z.string().min(1).optional(),
});

/** A token of a person, or an installation of a GitHub App. */
export const githubCredentials = z.union([token, app]);
export type GithubCredentials = z.infer<typeof githubCredentials>;

/** Stands for the account whose limits these credentials share. Secret. */
export function accountOf(credentials: GithubCredentials): string {
  return "token" in credentials ? credentials.token : `installation ${credentials.installationId}`;
}

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    return false;
  }
}
