import { z } from "zod";
import { safeParse } from "../parse.js";
import type { TenantStore } from "../store/store.js";
import { LOCALES, type Locale, localeAccepted } from "./sentences/sentences.js";
import { type Speech, speechIn } from "./speech.js";
import type { Conversation } from "./tickets.js";

/** What a tenant has chosen about its tools: its setting `mcp`. */
export const catalogueChoice = z.object({
  /** `compact` when the tenant wants one move tool in place of one per status. @default generated */
  tools: z.enum(["generated", "compact"]).optional(),
  /**
   * `hide`: a 2025 session that talks of one ticket is shown only the moves open to that ticket. Calls are held to
   * the ticket's state either way, and lists of 2026 may not depend on what was said before. @default explain
   */
  gating: z.enum(["explain", "hide"]).optional(),
  /** More tools than this and the core is shown in their place; some clients show no more than 40. */
  maxTools: z.number().int().min(1).max(1_000).optional(),
});
export type CatalogueChoice = z.infer<typeof catalogueChoice>;

/** What a tenant has chosen for its talks: its setting `speech`. */
export const speechSetting = z.object({
  locale: z.enum(LOCALES).optional(),
  /** `closing`: moves into done or canceled ask before they are made. */
  confirm: z.enum(["closing", "never"]).optional(),
});
export type SpeechSetting = z.infer<typeof speechSetting>;

const most = (max: number) => z.int().min(1).max(max).exactOptional();

/** How much of the service a tenant may use where that is not what everybody may: its setting `budgets`. */
export const budgetsSetting = z.strictObject({
  callsPerMinute: most(10_000_000),
  sessions: most(1_000_000),
  streams: most(1_000_000),
  tickets: most(10_000_000),
});
export type BudgetsSetting = z.infer<typeof budgetsSetting>;

export function catalogueChoiceOf(tenant: TenantStore): Promise<CatalogueChoice> {
  return settingOf(tenant, "mcp", catalogueChoice);
}

export function speechSettingOf(tenant: TenantStore): Promise<SpeechSetting> {
  return settingOf(tenant, "speech", speechSetting);
}

export function budgetsSettingOf(tenant: TenantStore): Promise<BudgetsSetting> {
  return settingOf(tenant, "budgets", budgetsSetting);
}

/** A setting that does not parse is no choice: tools and talks are too important to be lost over it. */
async function settingOf<T extends object>(
  tenant: TenantStore,
  name: string,
  schema: z.ZodType<T>,
): Promise<T | Record<string, never>> {
  const setting = await tenant.getDocument("setting", name);
  const parsed = safeParse(schema, setting?.value ?? {});
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
