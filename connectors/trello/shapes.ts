import { z } from "zod";
import { isTrelloId } from "./keys.js";

/** Trello's replies as far as we read them. Anything more is left alone, so that it may grow. */

/** Written into ids of ours, so one of another form is an answer we cannot read. */
const id = z.string().refine(isTrelloId, "must be a Trello id");

export const boardShape = z.object({ id, name: z.string(), closed: z.boolean() });
export const boardChoicesShape = z.array(boardShape.extend({ shortLink: z.string() }));
export type TrelloBoard = z.infer<typeof boardShape>;

export const listShape = z.object({
  id,
  name: z.string(),
  /** Archived. Its cards are not, by their own word. */
  closed: z.boolean(),
  pos: z.number(),
  idBoard: id,
});
export type TrelloList = z.infer<typeof listShape>;

export const cardShape = z.object({
  id,
  idShort: z.number(),
  name: z.string(),
  idList: id,
  idBoard: id,
  closed: z.boolean(),
  dateLastActivity: z.string().nullish(),
  /** Separators, mirrors and links are cards by shape only. */
  cardRole: z.string().nullish(),
});
export type TrelloCard = z.infer<typeof cardShape>;
export const CARD_FIELDS = Object.keys(cardShape.shape).join(",");

export const cardWithListShape = cardShape.extend({ list: listShape.pick({ closed: true }) });
export type TrelloCardWithList = z.infer<typeof cardWithListShape>;

export const tokenShape = z.object({
  idMember: id,
  dateExpires: z.string().nullish(),
  permissions: z.array(
    z.object({
      idModel: z.string(),
      modelType: z.string(),
      read: z.boolean(),
      write: z.boolean(),
    }),
  ),
});
export type TrelloToken = z.infer<typeof tokenShape>;

export const membershipShape = z.object({ idMember: z.string(), memberType: z.string() });

export const webhookShape = z.object({
  id,
  idModel: z.string(),
  callbackURL: z.string(),
  active: z.boolean(),
});
export type TrelloWebhook = z.infer<typeof webhookShape>;

const ref = z.object({ id: z.string().optional() }).optional().catch(undefined);

/** What happened, as an action of a board and a webhook's delivery tell it. */
export const actionShape = z.object({
  id,
  type: z.string(),
  date: z.string(),
  idMemberCreator: z.string().optional(),
  data: z
    .object({
      card: ref,
      list: ref,
      listBefore: ref,
      listAfter: ref,
      /** What changed, by field, each as it was before. */
      old: z.record(z.string(), z.unknown()).optional().catch(undefined),
    })
    .default({}),
});
export type TrelloAction = z.infer<typeof actionShape>;

export const deliveryShape = z.object({ action: actionShape });
