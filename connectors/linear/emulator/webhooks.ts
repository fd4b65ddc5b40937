import { randomBytes, randomUUID } from "node:crypto";
import type { EmulatorHost } from "../../../src/board/emulator.js";
import { pause } from "../../../src/board/http.js";
import { sign } from "../../../src/board/signature.js";
import { branchName } from "./views.js";
import { type Issue, type IssueEvent, identifierOf, type Team, type User } from "./workspace.js";

/** Webhooks and their deliveries: signed, and sent again under the same id when nobody took them. */

export interface Registered {
  readonly id: string;
  url: string;
  enabled: boolean;
  label: string;
  resourceTypes: readonly string[];
  readonly allPublicTeams: boolean;
  readonly team: Team | undefined;
  secret: string;
}

export interface SentDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A day of Linear's waits (a minute, an hour, six hours) in less than a second. */
const RETRIES_MS = [50, 150, 450] as const;

export interface Webhooks {
  readonly registered: readonly Registered[];
  /** Everything sent so far, the oldest first; not the retries. */
  readonly sent: readonly SentDelivery[];
  /** Registers one, as an admin would in the settings. */
  add(from: {
    readonly url: string;
    readonly secret?: string;
    readonly team?: Team;
    readonly resourceTypes?: readonly string[];
  }): Registered;
  /** As Linear does with a URL that stays dead. */
  disable(id: string): void;
  /** Tells of something that is no issue: lost access. */
  announce(type: string, data: Readonly<Record<string, unknown>>): void;
  /** Resolves when no delivery is under way. */
  settled(): Promise<void>;
}

export function createWebhooks(host: EmulatorHost, now: () => Date) {
  const registered: Registered[] = [];
  const sent: SentDelivery[] = [];
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  function register(from: Omit<Registered, "id">): Registered {
    const webhook = { id: randomUUID(), ...from };
    registered.push(webhook);
    return webhook;
  }

  async function deliver(delivery: SentDelivery): Promise<void> {
    if (await host.deliver(delivery)) return;
    for (const waitMs of RETRIES_MS) {
      await pause(waitMs, closing.signal);
      if (closing.signal.aborted || (await host.deliver(delivery))) return;
    }
  }

  function send(webhook: Registered, payload: object, type: string): void {
    const at = now();
    const whole = { ...payload, webhookTimestamp: at.getTime(), webhookId: webhook.id };
    const body = JSON.stringify(whole);
    const delivery = { url: webhook.url, headers: headersFor(webhook, body, type, at), body };
    sent.push(delivery);
    const work: Promise<void> = deliver(delivery).finally(() => running.delete(work));
    running.add(work);
  }

  function listeners(type: string): readonly Registered[] {
    return registered.filter(({ enabled, resourceTypes }) => enabled && resourceTypes.includes(type));
  }

  return {
    registered,
    sent,
    register,
    add({ url, secret = randomBytes(16).toString("hex"), team, resourceTypes = ["Issue"] }) {
      const facts = { url, secret, team, resourceTypes, allPublicTeams: team === undefined };
      return register({ ...facts, enabled: true, label: "By hand" });
    },
    disable(id) {
      for (const webhook of registered) if (webhook.id === id) webhook.enabled = false;
    },
    fire(event: IssueEvent): void {
      for (const webhook of listeners("Issue")) {
        // An issue that leaves a team is told to both.
        const teams = [event.issue.team.id, event.before.teamId];
        const covered = webhook.allPublicTeams ? !event.issue.team.private : teams.includes(webhook.team?.id);
        if (covered) send(webhook, issuePayload(event, now()), "Issue");
      }
    },
    announce(type, data) {
      for (const webhook of listeners(type)) {
        const payload = { action: "update", type, createdAt: now().toISOString(), data };
        send(webhook, payload, type);
      }
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
    close() {
      closing.abort();
    },
  } satisfies Webhooks & Record<string, unknown>;
}

function headersFor(webhook: Registered, body: string, type: string, at: Date): Record<string, string> {
  return {
    "content-type": "application/json; charset=utf-8",
    "user-agent": "Linear-Webhook",
    "linear-delivery": randomUUID(),
    "linear-event": type,
    "linear-timestamp": String(at.getTime()),
    "linear-signature": sign({
      algorithm: "sha256",
      encoding: "hex",
      secret: webhook.secret,
      signed: [body],
    }),
  };
}

function issuePayload({ action, issue, by, before }: IssueEvent, at: Date): object {
  return {
    action,
    type: "Issue",
    actor: actorOf(by),
    createdAt: at.toISOString(),
    data: issueData(issue),
    ...(action === "update" ? { updatedFrom: { ...before, updatedAt: issue.updatedAt.toISOString() } } : {}),
    url: `https://linear.app/emulated/issue/${identifierOf(issue)}`,
    organizationId: ORGANIZATION,
  };
}

const ORGANIZATION = "00000000-0000-4000-8000-000000000001";

function actorOf({ id, name }: User): object {
  return { id, name, type: "user" };
}

function issueData(issue: Issue): object {
  const { state, team } = issue;
  return {
    id: issue.id,
    createdAt: issue.createdAt.toISOString(),
    updatedAt: issue.updatedAt.toISOString(),
    archivedAt: issue.archivedAt?.toISOString() ?? null,
    number: issue.number,
    title: issue.title,
    priority: issue.priority,
    identifier: identifierOf(issue),
    previousIdentifiers: issue.previousIdentifiers,
    branchName: branchName(issue),
    teamId: team.id,
    team: { id: team.id, key: team.key, name: team.name },
    stateId: state.id,
    state: { id: state.id, color: "#5e6ad2", name: state.name, type: state.type },
  };
}
