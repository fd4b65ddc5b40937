import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseJson, safeParse } from "../parse.js";
import type { TenantStore } from "../store/store.js";
import { noPlace, type TenantBudgets } from "../tickets/budgets.js";
import { MOST_MS } from "../tickets/recency.js";
import type { EventStream } from "./event-stream.js";
import type { Principal } from "./principal.js";
import type { Focus, Session, Sessions } from "./sessions.js";

/**
 * Sessions that any replica can serve: what is known of one is kept in its tenant's store for as long as it is used,
 * and only its person can take it up elsewhere. A stream lives where it was opened; news find it from anywhere.
 */
export interface SharedSessions
  extends Pick<Sessions, "during" | "detach" | "notify" | "size" | "tenants" | "of" | "endStreams"> {
  /** @throws BoardwalkError `rate_limited` when its tenant has as many in use as it may have. */
  begin(...by: Parameters<Sessions["create"]>): Promise<Session>;
  find(...by: Parameters<Sessions["find"]>): Promise<Session | undefined>;
  attach(session: Session, stream: EventStream): void;
  /** Tells the other replicas what has changed about it. */
  keep(session: Session): Promise<void>;
  /** Sends news to one session, wherever its stream is. */
  tell(session: Session, notification: object): Promise<void>;
  end(session: Session): Promise<void>;
  endAll(tenantId: string): Promise<void>;
  /** Sets the focus of every session that talks of this ticket. @returns those whose focus has moved. */
  refocus(tenantId: string, focus: Focus): Promise<readonly Session[]>;
  /**
   * Makes up for what other replicas may have told of a tenant's sessions without being heard: what has ended ends, and
   * talk is of where its ticket is. @returns those whose focus has moved.
   */
  catchUp(tenantId: string): Promise<readonly Session[]>;
  close(): Promise<void>;
}

/** How replicas reach each other. */
export interface SessionBus {
  publish(message: string): Promise<void>;
  /** @returns a function that stops listening. */
  subscribe(listener: (message: string) => void): Promise<() => Promise<void>>;
}

export interface SharedSessionsOptions {
  readonly sessions: Sessions;
  /** Without one, sessions are this process's own. */
  readonly bus?: SessionBus;
  /** Without them a tenant may have any number. */
  readonly budgets?: TenantBudgets;
  readonly now: () => Date;
  readonly idleMs?: number;
  readonly report: (error: unknown) => void;
}

const text = z.string();
const focusShape = z.object({ ticket: text, workflow: text, status: text });
const factsShape = z.object({
  person: text,
  surface: z.enum(["generated", "compact", "frozen"]),
  client: text.optional(),
  subscriptions: z.array(text),
  focus: focusShape.optional(),
});
type Facts = z.infer<typeof factsShape>;

const message = z.object({
  from: text,
  session: text,
  kind: z.enum(["changed", "ended", "tell"]),
  notification: z.looseObject({}).optional(),
});
type Message = z.infer<typeof message>;

const IDLE_MS = 30 * 60_000;
/** A session in use is written again when a quarter of its time has passed. */
const REWRITE_SHARE = 4;
const REWRITE_EVERY_MS = 60_000;
const SESSION_ID = /^[0-9a-f-]{36}$/;

/** News that a client may have missed while its session was between two replicas. */
const CAUGHT_UP = ["tools", "resources"].map((list) => ({
  jsonrpc: "2.0",
  method: `notifications/${list}/list_changed`,
}));

export async function createSharedSessions(options: SharedSessionsOptions): Promise<SharedSessions> {
  if (options.bus === undefined) return new SharedTable(options);
  const table = new SharedTable(options);
  await table.listen(options.bus);
  return table;
}

/** What this replica knows of a session beside the session itself. */
interface Shared {
  readonly tenant: TenantStore;
  readonly person: string;
  savedAt: number;
  /** When it was last read from the store, as `performance.now()` tells it. */
  readAt: number;
  /** It was begun elsewhere, and has no stream here yet: its client may have missed something. */
  adopted: boolean;
}

class SharedTable implements SharedSessions {
  readonly #options: SharedSessionsOptions;
  readonly #table: Sessions;
  readonly #shared = new WeakMap<Session, Shared>();
  readonly #self = randomUUID();
  readonly #ttlMs: number;
  #stopListening: (() => Promise<void>) | undefined;
  #rewriter: NodeJS.Timeout | undefined;

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
    this.#table = options.sessions;
    const idleMs = options.idleMs ?? IDLE_MS;
    this.#ttlMs = idleMs + idleMs / REWRITE_SHARE;
  }

  async listen(bus: SessionBus): Promise<void> {
    this.#stopListening = await bus.subscribe((heard) => {
      const parsed = safeParse(message, parseJson(heard));
      if (parsed.success && parsed.data.from !== this.#self)
        void this.#hear(parsed.data).catch(this.#options.report);
    });
    this.#rewriter = setInterval(() => void this.#rewrite().catch(this.#options.report), REWRITE_EVERY_MS);
    this.#rewriter.unref();
  }

  get size(): number {
    return this.#table.size;
  }

  async begin(...[principal, surface, client]: Parameters<Sessions["create"]>): Promise<Session> {
    const max = await this.#most(principal);
    if (!this.#table.makeRoom(principal.tenant?.id, max)) throw noPlace("sessions", max, principal.tenant);
    const session = this.#table.create(principal, surface, client);
    this.#share(session, principal, false);
    await this.#save(session);
    return session;
  }

  async find(...[id, principal, surface]: Parameters<Sessions["find"]>): Promise<Session | undefined> {
    const local = this.#table.find(id, principal, surface);
    const { tenant, speaker } = principal;
    if (this.#options.bus === undefined || tenant === undefined || !SESSION_ID.test(id)) return local;
    const known = local && this.#shared.get(local);
    // Replicas tell each other what changes and what ends; this long, should their word be lost, it is not noticed.
    if (known !== undefined && performance.now() - known.readAt < MOST_MS) return local;
    const readAt = performance.now();
    const facts = await recallFacts(tenant, id);
    if (known !== undefined) known.readAt = readAt;
    if (facts === undefined) {
      if (local !== undefined) this.#endHere(local);
      return undefined;
    }
    if (facts.person !== speaker.person || facts.surface !== surface) return undefined;
    const max = local === undefined ? await this.#most(principal) : 0;
    // Another request may have taken it up while we asked.
    const session =
      local ?? this.#table.find(id, principal, surface) ?? this.#adopt(id, principal, facts, max);
    apply(facts, session);
    await this.#saveAgain(session);
    return session;
  }

  /** It was let in where it began, so it is not turned away here. */
  #adopt(id: string, principal: Principal, facts: Facts, max: number): Session {
    this.#table.makeRoom(principal.tenant?.id, max);
    const session = this.#table.create(principal, facts.surface, facts.client, id);
    this.#share(session, principal, true);
    return session;
  }

  async #most({ tenant }: Principal): Promise<number> {
    const { budgets } = this.#options;
    return budgets === undefined ? Number.POSITIVE_INFINITY : (await budgets.limitsFor(tenant)).sessions;
  }

  #share(session: Session, { tenant, speaker }: Principal, adopted: boolean): void {
    if (this.#options.bus === undefined || tenant === undefined) return;
    this.#shared.set(session, {
      tenant,
      person: speaker.person,
      savedAt: 0,
      readAt: Number.NEGATIVE_INFINITY,
      adopted,
    });
  }

  during<T>(session: Session, work: () => Promise<T>): Promise<T> {
    return this.#table.during(session, work);
  }

  attach(session: Session, stream: EventStream): void {
    this.#table.attach(session, stream);
    const shared = this.#shared.get(session);
    if (!shared?.adopted) return;
    shared.adopted = false;
    for (const notification of CAUGHT_UP) stream.send(notification);
  }

  detach(session: Session, stream: EventStream): void {
    this.#table.detach(session, stream);
  }

  async keep(session: Session): Promise<void> {
    if (!this.#shared.has(session)) return;
    await this.#save(session);
    await this.#publish({ kind: "changed", session: session.id });
  }

  async tell(session: Session, notification: object): Promise<void> {
    this.#table.tell(session, notification);
    if (this.#shared.has(session) && !this.#table.hasStream(session))
      await this.#publish({ kind: "tell", session: session.id, notification: { ...notification } });
  }

  notify(...news: Parameters<Sessions["notify"]>): void {
    this.#table.notify(...news);
  }

  async end(session: Session): Promise<void> {
    this.#table.end(session);
    const shared = this.#shared.get(session);
    if (shared === undefined) return;
    this.#shared.delete(session);
    await shared.tenant.forget(keyOf(session.id));
    await this.#publish({ kind: "ended", session: session.id });
  }

  async endAll(tenantId: string): Promise<void> {
    await Promise.all([...this.#table.of(tenantId)].map((session) => this.end(session)));
  }

  async refocus(tenantId: string, focus: Focus): Promise<readonly Session[]> {
    const moved = [...this.#table.of(tenantId)].filter(
      (session) => session.focus?.ticket === focus.ticket && !sameFocus(session.focus, focus),
    );
    for (const session of moved) session.focus = focus;
    // Every replica that has the session does this for itself, so nobody has to be told.
    await Promise.all(moved.map((session) => this.#save(session)));
    return moved;
  }

  tenants(): readonly string[] {
    return this.#table.tenants();
  }

  of(tenantId: string): Iterable<Session> {
    return this.#table.of(tenantId);
  }

  async catchUp(tenantId: string): Promise<readonly Session[]> {
    const all = [...this.#table.of(tenantId)];
    const moved = await Promise.all(all.map((session) => this.#readAgain(session)));
    return all.filter((_, i) => moved[i]);
  }

  /** @returns whether its focus has moved. */
  async #readAgain(session: Session): Promise<boolean> {
    const shared = this.#shared.get(session);
    if (shared === undefined) return false;
    const facts = await recallFacts(shared.tenant, session.id);
    if (facts === undefined) {
      this.#endHere(session);
      return false;
    }
    const before = session.focus;
    apply(facts, session);
    const actor = session.focus && (await shared.tenant.getActor(session.focus.ticket));
    if (actor !== undefined) {
      const { id, workflow, status } = actor.ticket;
      session.focus = { ticket: id, workflow, status };
    }
    if (sameFocus(before, session.focus)) return false;
    await this.#save(session);
    return true;
  }

  endStreams(): void {
    this.#table.endStreams();
  }

  async close(): Promise<void> {
    clearInterval(this.#rewriter);
    await this.#stopListening?.();
    // Their facts stay: another replica goes on with them.
    this.#table.close();
  }

  /** It has ended elsewhere, and that was told while we did not hear. */
  #endHere(session: Session): void {
    this.#shared.delete(session);
    this.#table.end(session);
  }

  async #save(session: Session): Promise<void> {
    const shared = this.#shared.get(session);
    if (shared === undefined) return;
    shared.savedAt = this.#options.now().getTime();
    await shared.tenant.remember(keyOf(session.id), factsOf(session, shared.person), this.#ttlMs);
  }

  async #saveAgain(session: Session): Promise<void> {
    const age = this.#options.now().getTime() - (this.#shared.get(session)?.savedAt ?? 0);
    if (age > this.#ttlMs / (REWRITE_SHARE + 1)) await this.#save(session);
  }

  /** A session whose client only listens is in use all the same. */
  async #rewrite(): Promise<void> {
    for (const session of [...this.#table.streaming()]) await this.#saveAgain(session);
  }

  async #publish(what: Omit<Message, "from">): Promise<void> {
    await this.#options.bus?.publish(JSON.stringify({ ...what, from: this.#self }));
  }

  async #hear({ kind, session: id, notification }: Message): Promise<void> {
    const session = this.#table.peek(id);
    const shared = session && this.#shared.get(session);
    if (session === undefined || shared === undefined) return;
    if (kind === "ended") return this.#table.end(session);
    if (kind === "tell") return this.#table.tell(session, notification ?? {});
    const facts = await recallFacts(shared.tenant, id);
    if (facts !== undefined) apply(facts, session);
  }
}

function keyOf(id: string): string {
  return `mcp-session/${id}`;
}

async function recallFacts(tenant: TenantStore, id: string): Promise<Facts | undefined> {
  const parsed = safeParse(factsShape, await tenant.recall(keyOf(id)));
  return parsed.success ? parsed.data : undefined;
}

function factsOf(session: Session, person: string): Facts {
  const { surface, client, subscriptions, focus } = session;
  return {
    person,
    surface,
    ...(client === undefined ? {} : { client }),
    subscriptions: [...subscriptions],
    ...(focus === undefined ? {} : { focus: { ...focus } }),
  };
}

function apply(facts: Facts, session: Session): void {
  session.focus = facts.focus;
  session.subscriptions.clear();
  for (const uri of facts.subscriptions) session.subscriptions.add(uri);
}

export function sameFocus(a: Focus | undefined, b: Focus | undefined): boolean {
  return a?.ticket === b?.ticket && a?.workflow === b?.workflow && a?.status === b?.status;
}
