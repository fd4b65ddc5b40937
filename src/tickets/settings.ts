import { z } from "zod";
import type { TenantStore } from "../store/store.js";
import { LOCALES, type Locale, localeAccepted } from "./sentences/sentences.js";
import { type Speech, speechIn } from "./speech.js";
import type { Conversation } from "./tickets.js";

/** What a tenant has chosen for its talks: its setting `speech`. */
const speechSetting = z.object({
  locale: z.enum(LOCALES).optional(),
  /** `closing`: moves into done or canceled ask before they are made. */
  confirm: z.enum(["closing", "never"]).optional(),
});
export type SpeechSetting = z.infer<typeof speechSetting>;

/** A setting that does not parse is no choice: a talk is too important to be lost over it. */
export async function speechSettingOf(tenant: TenantStore): Promise<SpeechSetting> {
  const setting = await tenant.getDocument("setting", "speech");
  const parsed = speechSetting.safeParse(setting?.value ?? {});
  return parsed.success ? parsed.data : {};
}

/** The language to answer in: asked for in this talk, else the tenant's, else what the client accepts, else English. */
export function speechFor(talk: Conversation, setting: SpeechSetting): Speech {
  const accepted = talk.acceptLanguage === undefined ? undefined : localeAccepted(talk.acceptLanguage);
  const locale: Locale = talk.locale ?? setting.locale ?? accepted ?? "en";
  return speechIn(locale);
}

/** Whether closing moves ask first in this talk. */
export function confirmsClosing(talk: Conversation, setting: SpeechSetting): boolean {
  return (talk.confirm ?? setting.confirm ?? "never") === "closing";
}
