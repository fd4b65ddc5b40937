import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGithubEmulator } from "../../connectors/github/emulator.js";
import { demoJiraSite, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { startLinearEmulator } from "../../connectors/linear/emulator.js";
import { startTrelloEmulator } from "../../connectors/trello/emulator.js";
import { type OauthService, startOauthService } from "../support/oauth-service.js";

/** A board is looked at before it is kept: what can be chosen, what is missing, what would be imported. */

let service: OauthService;
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  service = await startOauthService({ BOARDWALK_ALLOW_PRIVATE_HOSTS: "1", BOARDWALK_ADMIN_TOKEN: ADMIN });
});
afterAll(async () => {
  await service?.app.close();
  for (const close of closers) await close();
});

const ADMIN = "an-admin-token-of-thirty-two-letters";

interface Found {
  readonly code?: string;
  readonly detail?: string;
  readonly problems?: readonly { readonly message: string; readonly fix: string }[];
  readonly setting?: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly workflows?: readonly {
    readonly name: string;
    readonly statuses: readonly { readonly name: string }[];
  }[];
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
  readonly changes?: readonly { readonly kind: string }[];
  readonly tickets?: { readonly counted: number; readonly more: boolean };
  readonly tools?: readonly { readonly name: string }[];
}

async function ask(what: "choices" | "preview", body: object): Promise<Found> {
  const response = await fetch(`${service.url}/api/v1/tenants/acme/connections/${what}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Found;
}

interface Emulated {
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
  /** The setting that is left to choose, and the choice that is meant. */
  readonly choose: readonly [setting: string, value: string];
  readonly wrong: Readonly<Record<string, unknown>>;
}

const EMULATED: Readonly<Record<string, () => Promise<Emulated>>> = {
  async jira() {
    const issues = [{ title: "Login bug", status: "10000" }];
    const jira = await startJiraEmulator({ site: demoJiraSite({ key: "ENG", name: "Engineering", issues }) });
    closers.push(() => jira.close());
    const { credentials } = jira;
    const wrong = { ...credentials, apiToken: "guessed" };
    return {
      provider: "jira",
      settings: { baseUrl: jira.url },
      credentials,
      choose: ["project", "ENG"],
      wrong,
    };
  },
  async linear() {
    const linear = await startLinearEmulator();
    closers.push(() => linear.close());
    const { credentials } = linear;
    const key = linear.workspace.teams[0]?.key ?? "";
    const wrong = { apiKey: "lin_api_guessed" };
    return {
      provider: "linear",
      settings: { apiUrl: linear.url },
      credentials,
      choose: ["team", key],
      wrong,
    };
  },
  async github() {
    const items = [{ title: "Cache", status: "Todo" }];
    const projects = [{ owner: "acme", number: 7, title: "Roadmap", items }];
    const github = await startGithubEmulator({ projects });
    closers.push(() => github.close());
    return {
      provider: "github",
      settings: { owner: "acme", apiUrl: github.url },
      credentials: { token: github.token },
      choose: ["project", "7"],
      wrong: { token: "guessed" },
    };
  },
  async trello() {
    const trello = await startTrelloEmulator();
    closers.push(() => trello.close());
    const { credentials, boardId } = trello;
    const wrong = { ...credentials, token: "guessed" };
    return {
      provider: "trello",
      settings: { apiUrl: trello.url },
      credentials,
      choose: ["board", boardId],
      wrong,
    };
  },
};

describe.each(Object.entries(EMULATED))("before a %s board is connected", (_name, start) => {
  it("is told which boards the credentials show, and shown what one would be", async () => {
    const { choose, wrong: _wrong, ...board } = await start();
    const found = await ask("choices", board);
    expect(found.problems).toEqual([]);
    const [setting, value] = choose;
    expect(found.setting).toBe(setting);
    expect(found.choices).toContainEqual({ value, label: expect.stringMatching(/ \(.+\)$/) });

    const preview = await ask("preview", { ...board, settings: { ...board.settings, [setting]: value } });
    expect(preview.problems).toEqual([]);
    expect(preview.workflows?.[0]?.statuses.length).toBeGreaterThan(2);
    expect(preview.tickets?.more).toBe(false);
    expect(preview.tickets?.counted).toBeGreaterThan(0);
    expect(preview.tools?.map((tool) => tool.name)).toContain("find_tickets");
    expect(preview.tools?.some((tool) => tool.name.includes("_move_to_"))).toBe(true);
    expect(await service.app.store.tenant("acme").listDocuments("connection")).toEqual([]);
    expect(await service.app.store.tenant("acme").listDocuments("workflow")).toEqual([]);
  });

  it("says what is wrong with credentials that are refused, and what to do", async () => {
    const { choose, wrong, ...board } = await start();
    for (const what of ["choices", "preview"] as const) {
      const settings = { ...board.settings, ...(what === "preview" ? { [choose[0]]: choose[1] } : {}) };
      const { problems } = await ask(what, { ...board, settings, credentials: wrong });
      expect(problems?.length, what).toBeGreaterThan(0);
      for (const { message, fix } of problems ?? []) {
        expect(message).toMatch(/\.$/);
        expect(fix).toMatch(/\.$/);
      }
    }
  });
});

describe("a board that is connected already", () => {
  const REVIEWER = {
    id: "customfield_10050",
    name: "Reviewer",
    required: true,
    schema: { type: "user", custom: "com.atlassian.jira.plugin.system.customfieldtypes:userpicker" },
  };

  async function connected() {
    const site = demoJiraSite({ key: "SHOP", name: "Shop" });
    const [workflow] = site.workflows;
    const transitions = (workflow?.transitions ?? []).map((one) =>
      one.name === "Ask for review" ? { ...one, fields: [REVIEWER] } : one,
    );
    const jira = await startJiraEmulator({
      site: { ...site, workflows: site.workflows.map((one) => ({ ...one, transitions })) },
    });
    closers.push(() => jira.close());
    const request = async (path: string, body: object = {}) =>
      await fetch(`${service.url}/api/v1/tenants/acme/connections${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const settings = { baseUrl: jira.url, project: "SHOP" };
    await request("", { id: "shop", provider: "jira", settings, credentials: jira.credentials });
    expect((await request("/shop/sync?wait=true")).status).toBe(200);
    return { jira, close: () => service.app.connections.remove(service.app.store.tenant("acme"), "shop") };
  }

  it("is shown with what the import would bring and change, and nothing of it is kept", async () => {
    const { jira, close } = await connected();
    const tenant = service.app.store.tenant("acme");
    const kept = async () => [
      await tenant.listDocuments("workflow"),
      await tenant.listDocuments("changes"),
      await tenant.revisions(),
      (await tenant.auditPage({ limit: 100 })).items,
    ];
    const quiet = await ask("preview", { connection: "shop" });
    expect(quiet).toMatchObject({ problems: [], changes: [], tickets: { counted: 10, fresh: 0, moved: 0 } });
    jira.setFaults({ dropWebhooks: 1_000 });
    const [first] = jira.site.issues.values();
    jira.moveIssue(first?.key ?? "", "To Do");
    jira.renameStatus("In Review", "Reviewing");
    jira.addStatus({ id: "10005", name: "🚀", category: "done" });
    jira.addTransition({ id: "91", name: "Ship", from: "10002", to: "10005" });
    const before = await kept();
    const found = await ask("preview", { connection: "shop" });
    expect(found.tickets).toMatchObject({ counted: 10, more: false, fresh: 0, moved: 1 });
    expect(found.changes?.map(({ kind }) => kind).sort()).toEqual(["added", "edges", "renamed"]);
    expect(found.warnings?.map(({ code }) => code).sort()).toEqual(["person_field", "wordless_name"]);
    expect(found.warnings?.find(({ code }) => code === "person_field")?.message).toBe(
      "Moving to Reviewing asks for Reviewer, a person, and people are not matched by name.",
    );
    expect(found.tools?.some(({ name }) => name.endsWith("_move_to_reviewing"))).toBe(true);
    expect(await kept()).toEqual(before);
    await close();
  });

  it("is not found where there is none of that id", async () => {
    expect(await ask("preview", { connection: "none" })).toMatchObject({ code: "not_found_or_hidden" });
  });
});

describe("a board that is tried", () => {
  it.each([
    ["an unknown kind", { provider: "basecamp", settings: {}, credentials: {} }, /no connector/],
    [
      "no credentials",
      { provider: "jira", settings: { baseUrl: "https://a.example" }, credentials: {} },
      /credentials/,
    ],
    [
      "credentials that a try may use up",
      { provider: "linear", settings: {}, credentials: { accessToken: "a", refreshToken: "b" } },
      /renew themselves/,
    ],
  ])("is refused with %s", async (_what, body, why) => {
    const { code, detail } = await ask("choices", body);
    expect(code).toBe("invalid");
    expect(detail).toMatch(why);
  });
});
