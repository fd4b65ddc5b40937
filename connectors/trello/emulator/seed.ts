/** What an emulated Trello starts with. Ids left out are made. */

export interface MemberSeed {
  readonly id?: string;
  readonly username: string;
  readonly fullName?: string;
  /** @default "normal" */
  readonly memberType?: "admin" | "normal" | "observer";
}

export interface ListSeed {
  readonly id?: string;
  readonly name: string;
  readonly closed?: boolean;
  readonly pos?: number;
}

export interface CardSeed {
  readonly id?: string;
  readonly title: string;
  /** By name or id. */
  readonly list: string;
  readonly closed?: boolean;
  readonly cardRole?: "separator" | "board" | "mirror" | "link";
  /** When it was made, which is part of its id. @default now */
  readonly made?: Date;
  /** @default now */
  readonly lastActivity?: Date;
}

export interface BoardSeed {
  readonly id?: string;
  readonly shortLink?: string;
  readonly name: string;
  readonly lists: readonly ListSeed[];
  readonly cards?: readonly CardSeed[];
  /** Does the token's member belong to it? @default true */
  readonly member?: boolean;
}

export interface TrelloSeed extends BoardSeed {
  /** Beside the token's own, who is the first. */
  readonly members?: readonly MemberSeed[];
  readonly otherBoards?: readonly BoardSeed[];
  readonly token?: TokenSeed;
}

export interface TokenSeed {
  /** @default true */
  readonly write?: boolean;
  readonly expires?: Date;
}
