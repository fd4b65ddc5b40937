/** What an emulated workspace starts with. Ids are made where none are given. */

export interface StateSeed {
  readonly id?: string;
  readonly name: string;
  /** One of Linear's seven, or one it may have tomorrow. */
  readonly type: string;
  /** Within its type. @default after the states before it */
  readonly position?: number;
  readonly archived?: boolean;
  /** The id of the state of a parent team. */
  readonly inheritedFrom?: string;
}

export interface GitRuleSeed {
  readonly event: "draft" | "start" | "review" | "mergeable" | "merge";
  /** A state's name or id; left out, the rule is to do nothing. */
  readonly state?: string;
  /** A target branch; left out, any. */
  readonly branch?: string;
}

export interface TeamSeed {
  readonly id?: string;
  readonly key: string;
  readonly name: string;
  readonly states: readonly StateSeed[];
  /** Name or id. @default the first unstarted or backlog state */
  readonly defaultState?: string;
  readonly triageEnabled?: boolean;
  readonly requirePriorityToLeaveTriage?: boolean;
  /** Shown to its members only. */
  readonly private?: boolean;
  readonly retired?: boolean;
  readonly gitRules?: readonly GitRuleSeed[];
}

export interface IssueSeed {
  readonly id?: string;
  readonly title: string;
  /** A team's key. @default the first team's */
  readonly team?: string;
  /** Name or id. @default the team's default state */
  readonly state?: string;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. @default 0 */
  readonly priority?: number;
  readonly archived?: boolean;
}

export interface UserSeed {
  readonly id?: string;
  readonly name: string;
  /** Begins with `lin_api_`. */
  readonly apiKey?: string;
  /** May manage webhooks. @default false */
  readonly admin?: boolean;
  /** Keys of the private teams she is a member of. */
  readonly memberOf?: readonly string[];
}

export interface OAuthSeed {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** The user the app acts for. @default the first one's name */
  readonly user?: string;
  /** @default ["read", "write"] */
  readonly scopes?: readonly string[];
}

export interface LinearWorkspaceSeed {
  readonly teams: readonly TeamSeed[];
  readonly issues?: readonly IssueSeed[];
  /** The first is whose key the emulator tells. @default one admin */
  readonly users?: readonly UserSeed[];
  readonly oauth?: OAuthSeed;
}
