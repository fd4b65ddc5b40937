import { randomUUID } from "node:crypto";
import type { EventStream } from "./event-stream.js";
import type { Principal, Surface } from "./principal.js";

/** A 2025 client's session: a small record, since requests are answered by servers that all sessions share. */
export interface Session {
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly surface: Surface;
  readonly client: string | undefined;
  /** URIs of which it wants to hear. */
  readonly subscriptions: Set<string>;
  /** Where the ticket stands that was talked of last. */
  focus: Focus | undefined;
}

export interface Focus {
  readonly ticket: string;
  readonly workflow: string;
  readonly status: string;
}

export interface SessionsOptions {
  readonly now: () => Date;
  /** How long a session may be idle; one with a request in flight or a stream open is not. */
  readonly idleMs?: number;
}

export interface Sessions {
  readonly size: number;
  /**
   * Ends sessions that nobody has used for a minute, the one used longest ago first, until the tenant has fewer than
   * `max`. @returns false when it has as many that are in use.
   */
  makeRoom(tenantId: string | undefined, max: number): boolean;
  /** With `id`, a session that was begun elsewhere. */
  create(principal: Principal, surface: Surface, client: string | undefined, id?: string): Session;
  /** The session of that id when it is this principal's, on this surface; else nothing, whoever's it is. */
  find(id: string, principal: Principal, surface: Surface): Session | undefined;
  /** The session of that id, whoever's it is. */
  peek(id: string): Session | undefined;
  /** Tenants that have any. */
  tenants(): readonly string[];
  /** Sessions of a tenant. */
  of(tenantId: string): Iterable<Session>;
  /** Sessions that are in use without a request: their stream is open. */
  streaming(): Iterable<Session>;
  hasStream(session: Session): boolean;
  /** Keeps the session from being idle until `work` has ended. */
  during<T>(session: Session, work: () => Promise<T>): Promise<T>;
  /** Makes this the stream that news goes to, in place of any before it. */
  attach(session: Session, stream: EventStream): void;
  detach(session: Session, stream: EventStream): void;
  end(session: Session): void;
  endAll(tenantId: string): void;
  /** Sends news to one session; without a stream it hears it when it opens one. */
  tell(session: Session, notification: object): void;
  /** Sends news to the sessions of a tenant that want it, as `tell` does. */
  notify(tenantId: string, notification: object, wants?: (session: Session) => boolean): void;
  /** Ends every stream, and every one that is still to come; the sessions go on. */
  endStreams(): void;
  close(): void;
}

interface Held extends Session {
  readonly person: string;
  lastUsed: number;
  inFlight: number;
  stream: EventStream | undefined;
  /** News that found no stream, each once. */
  readonly missed: Map<string, object>;
}

const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
/** One that was used later than that is not ended for another's sake. */
const IN_USE_MS = 60_000;
const MAX_MISSED = 100;

export function createSessions(options: SessionsOptions): Sessions {
  return new SessionTable(options);
}

class SessionTable implements Sessions {
  readonly #now: () => Date;
  readonly #idleMs: number;
  readonly #byId = new Map<string, Held>();
  /** By tenant, least recently used first. */
  readonly #byTenant = new Map<string | undefined, Set<Held>>();
  readonly #sweeper: NodeJS.Timeout;
  #leaving = false;

  constructor(options: SessionsOptions) {
    this.#now = options.now;
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#byId.size;
  }

  create(principal: Principal, surface: Surface, client: string | undefined, id?: string): Session {
    const held: Held = {
      id: id ?? randomUUID(),
      tenantId: principal.tenant?.id,
      person: principal.speaker.person,
      surface,
      client,
      subscriptions: new Set(),
      focus: undefined,
      lastUsed: 0,
      inFlight: 0,
      stream: undefined,
      missed: new Map(),
    };
    this.#byId.set(held.id, held);
    this.#use(held);
    return held;
  }

  find(id: string, principal: Principal, surface: Surface): Session | undefined {
    const held = this.#byId.get(id);
    const theirs =
      held?.tenantId === principal.tenant?.id &&
      held?.person === principal.speaker.person &&
      held?.surface === surface;
    if (held === undefined || !theirs) return undefined;
    if (this.#isIdle(held)) {
      this.end(held);
      return undefined;
    }
    this.#use(held);
    return held;
  }

  peek(id: string): Session | undefined {
    return this.#byId.get(id);
  }

  tenants(): readonly string[] {
    return [...this.#byTenant.keys()].filter((id) => id !== undefined);
  }

  of(tenantId: string): Iterable<Session> {
    return this.#byTenant.get(tenantId) ?? [];
  }

  *streaming(): Iterable<Session> {
    for (const held of this.#byId.values()) if (held.stream !== undefined) yield held;
  }

  hasStream(session: Session): boolean {
    return (session as Held).stream !== undefined;
  }

  async during<T>(session: Session, work: () => Promise<T>): Promise<T> {
    const held = session as Held;
    held.inFlight += 1;
    try {
      return await work();
    } finally {
      held.inFlight -= 1;
      if (this.#byId.has(held.id)) this.#use(held);
    }
  }

  attach(session: Session, stream: EventStream): void {
    const held = session as Held;
    held.stream?.close();
    held.stream = stream;
    if (this.#leaving) stream.close();
    for (const notification of held.missed.values()) stream.send(notification);
    held.missed.clear();
  }

  detach(session: Session, stream: EventStream): void {
    const held = session as Held;
    if (held.stream !== stream) return;
    held.stream = undefined;
    if (this.#byId.has(held.id)) this.#use(held);
  }

  end(session: Session): void {
    const held = session as Held;
    this.#byId.delete(held.id);
    const ofTenant = this.#byTenant.get(held.tenantId);
    ofTenant?.delete(held);
    if (ofTenant?.size === 0) this.#byTenant.delete(held.tenantId);
    held.stream?.close();
    held.stream = undefined;
  }

  endAll(tenantId: string): void {
    for (const held of [...(this.#byTenant.get(tenantId) ?? [])]) this.end(held);
  }

  tell(session: Session, notification: object): void {
    const held = session as Held;
    if (held.stream !== undefined) held.stream.send(notification);
    else if (held.missed.size < MAX_MISSED) held.missed.set(JSON.stringify(notification), notification);
  }

  notify(tenantId: string, notification: object, wants: (session: Session) => boolean = () => true): void {
    for (const held of this.#byTenant.get(tenantId) ?? []) {
      if (wants(held)) this.tell(held, notification);
    }
  }

  endStreams(): void {
    this.#leaving = true;
    for (const { stream } of this.#byId.values()) stream?.close();
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const held of [...this.#byId.values()]) this.end(held);
  }

  #use(held: Held): void {
    held.lastUsed = this.#now().getTime();
    const ofTenant = this.#byTenant.get(held.tenantId) ?? new Set();
    this.#byTenant.set(held.tenantId, ofTenant);
    ofTenant.delete(held);
    ofTenant.add(held);
  }

  makeRoom(tenantId: string | undefined, max: number): boolean {
    const ofTenant = this.#byTenant.get(tenantId) ?? new Set();
    for (const held of ofTenant) {
      if (ofTenant.size < max) break;
      if (this.#isIdle(held, IN_USE_MS)) this.end(held);
    }
    return ofTenant.size < max;
  }

  #isIdle(held: Held, idleMs = this.#idleMs): boolean {
    const busy = held.inFlight > 0 || held.stream !== undefined;
    return !busy && this.#now().getTime() - held.lastUsed > idleMs;
  }

  #sweep(): void {
    for (const held of [...this.#byId.values()]) if (this.#isIdle(held)) this.end(held);
  }
}
