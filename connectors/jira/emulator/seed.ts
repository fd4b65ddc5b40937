/** What an emulated Jira site starts with. Ids are strings of digits, as Jira's are. */

export interface StatusSeed {
  readonly id: string;
  readonly name: string;
  readonly category: "new" | "indeterminate" | "done";
  /** Its name before translation, where the account's language differs from the site's. */
  readonly untranslatedName?: string;
}

export interface IssueTypeSeed {
  readonly id: string;
  readonly name: string;
  readonly subtask?: boolean;
}

export interface FieldSeed {
  readonly id: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: {
    readonly type: string;
    readonly items?: string;
    readonly system?: string;
    readonly custom?: string;
    readonly customId?: number;
  };
  readonly allowedValues?: readonly Readonly<Record<string, unknown>>[];
  /** A validator wants it, but the transition's metadata does not say so. */
  readonly undeclared?: boolean;
}

export interface TransitionSeed {
  readonly id: string;
  readonly name: string;
  /** Status ids, or "*" for a global transition. */
  readonly from: string | readonly string[];
  /** Left out, it loops: the ticket stays where it is. */
  readonly to?: string;
  /** Those of its screen; left out, it has none. */
  readonly fields?: readonly FieldSeed[];
  /** A condition: offered to these accounts only. */
  readonly onlyFor?: readonly string[];
  /** A rule that moves the ticket on as soon as it has arrived. */
  readonly thenTo?: string;
}

export interface WorkflowSeed {
  readonly id?: string;
  readonly name: string;
  /** Names or ids. */
  readonly issueTypes: readonly string[];
  readonly initial: string;
  /** Left out: all those its transitions name. */
  readonly statuses?: readonly string[];
  readonly transitions: readonly TransitionSeed[];
}

export interface IssueSeed {
  readonly title: string;
  /** A status's id or name. */
  readonly status: string;
  /** An issue type's id or name; the project's first by default. */
  readonly type?: string;
  readonly key?: string;
  readonly updated?: Date;
  readonly archived?: boolean;
}

export interface ProjectSeed {
  readonly project: {
    readonly id?: string;
    readonly key: string;
    readonly name: string;
    readonly style?: "classic" | "next-gen";
    readonly archived?: boolean;
  };
  readonly issueTypes: readonly IssueTypeSeed[];
  readonly statuses: readonly StatusSeed[];
  readonly workflows: readonly WorkflowSeed[];
  /** Of the project's board; left out, it has no board. */
  readonly columns?: readonly { readonly name: string; readonly statuses: readonly string[] }[];
  readonly issues?: readonly IssueSeed[];
}

export const PERMISSIONS = [
  "BROWSE_PROJECTS",
  "TRANSITION_ISSUES",
  "ADD_COMMENTS",
  "CREATE_ISSUES",
  "EDIT_ISSUES",
  "ADMINISTER_PROJECTS",
  "VIEW_READONLY_WORKFLOW",
  "ADMINISTER",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface AccountSeed {
  readonly accountId: string;
  readonly displayName: string;
  readonly email: string;
  readonly apiToken: string;
  /** All but these are granted. */
  readonly lacks?: readonly Permission[];
}

export interface OAuthSeed {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** For whom it acts. */
  readonly accountId: string;
}

export interface JiraSiteSeed extends ProjectSeed {
  readonly otherProjects?: readonly ProjectSeed[];
  /** The first is the one whose credentials the emulator hands out. */
  readonly accounts?: readonly AccountSeed[];
  readonly oauth?: OAuthSeed;
  /** What Jira's refusals are written in. */
  readonly language?: "en" | "de";
}
