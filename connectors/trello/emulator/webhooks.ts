import type { Express, Request, Response } from "express";
import type { EmulatorHost } from "../../../src/board/emulator.js";
import { pause } from "../../../src/board/http.js";
import { sign } from "../../../src/board/signature.js";
import type { Access } from "./auth.js";
import { flag, NOT_FOUND, parameter, refuse } from "./http.js";
import { isId, newId } from "./ids.js";
import { renderDelivery } from "./render.js";
import type { Action, World } from "./world.js";

/** Webhooks: their registration, which asks whether anyone answers, and their deliveries. */

const TRIES = 3;

export interface Registered {
  readonly id: string;
  description: string;
  idModel: string;
  callbackURL: string;
  active: boolean;
  consecutiveFailures: number;
  firstConsecutiveFailDate: string | null;
}

export interface SentDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookOptions {
  /** Before the second try; twice as long before the third. */
  readonly retryMs: number;
  /** After so many deliveries that nobody took, a webhook is switched off. */
  readonly failuresToDisable: number;
}

export interface Webhooks {
  readonly registered: readonly Registered[];
  /** Everything sent so far, each delivery once however often it was tried, the oldest first. */
  readonly sent: readonly SentDelivery[];
  fire(action: Action): void;
  /** Gives up what is still to be tried again; resolves when no delivery is under way. */
  stop(): Promise<void>;
}

export function createWebhooks(
  host: EmulatorHost,
  world: () => World,
  access: Access,
  options: WebhookOptions,
): Webhooks & { addRoutes(app: Express): void } {
  const registered: Registered[] = [];
  const sent: SentDelivery[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function deliver(webhook: Registered, delivery: SentDelivery): Promise<void> {
    let status = 0;
    const told = {
      ...delivery,
      onStatus: (each: number) => {
        status = each;
      },
    };
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      if (await host.deliver(told)) return void noteSuccess(webhook);
      // "Gone" is the receiver's way to unsubscribe.
      if (status === 410) return void registered.splice(registered.indexOf(webhook), 1);
      if (stopping.signal.aborted) return;
      if (attempt < TRIES) await pause(options.retryMs * attempt, stopping.signal);
    }
    noteFailure(webhook, world().now(), options.failuresToDisable);
  }

  return {
    registered,
    sent,
    fire(action) {
      const models = [action.board.id, ...action.models];
      for (const webhook of registered) {
        if (!webhook.active || !models.includes(webhook.idModel)) continue;
        const body = JSON.stringify(renderDelivery(world(), action, webhook.idModel));
        const delivery = { url: webhook.callbackURL, headers: headersFor(webhook, body, access), body };
        sent.push(delivery);
        const work: Promise<void> = deliver(webhook, delivery).finally(() => running.delete(work));
        running.add(work);
      }
    },
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
    },
    addRoutes(app) {
      addRegistration(app, world(), access, registered);
      addOneWebhook(app, registered);
    },
  };
}

function headersFor({ callbackURL }: Registered, body: string, { secret }: Access): Record<string, string> {
  const signed = [body, callbackURL];
  return {
    "content-type": "application/json; charset=utf-8",
    "user-agent": "Trello Webhooks",
    "x-trello-webhook": sign({ algorithm: "sha1", encoding: "base64", secret, signed }),
  };
}

function noteSuccess(webhook: Registered): void {
  Object.assign(webhook, { consecutiveFailures: 0, firstConsecutiveFailDate: null });
}

function noteFailure(webhook: Registered, at: Date, failuresToDisable: number): void {
  webhook.consecutiveFailures += 1;
  webhook.firstConsecutiveFailDate ??= at.toISOString();
  if (webhook.consecutiveFailures >= failuresToDisable) webhook.active = false;
}

function addRegistration(app: Express, world: World, access: Access, registered: Registered[]): void {
  const create = async (request: Request, response: Response) => {
    const [idModel = "", callbackURL = ""] = [
      parameter(request, "idModel"),
      parameter(request, "callbackURL"),
    ];
    const refused = () => {
      const text = refusal(world, registered, idModel, callbackURL);
      if (text !== undefined) refuse(response, 400, text);
      return text !== undefined;
    };
    // Once more after the question: another registration may have been faster.
    if (refused() || !(await answers(callbackURL, response)) || refused()) return;
    const webhook: Registered = {
      id: newId(world.now()),
      description: parameter(request, "description") ?? "",
      idModel,
      callbackURL,
      active: flag(request, "active") ?? true,
      consecutiveFailures: 0,
      firstConsecutiveFailDate: null,
    };
    registered.push(webhook);
    response.json(webhook);
  };
  app.post("/1/webhooks", create);
  const ofToken = "/1/tokens/:token/webhooks";
  app.use(ofToken, (request, response, next) => {
    if (request.params.token === access.token) next();
    else refuse(response, 401, "unauthorized token");
  });
  app.post(ofToken, create);
  app.get(ofToken, (_request, response) => void response.json(registered));
}

function refusal(
  world: World,
  registered: readonly Registered[],
  idModel: string,
  callbackURL: string,
): string | undefined {
  const known =
    world.lists.has(idModel) || world.cards.has(idModel) || world.boards.some(({ id }) => id === idModel);
  if (!isId(idModel) || !known) return "invalid value for idModel";
  if (!URL.canParse(callbackURL)) return "invalid value for callbackURL";
  const same = registered.some((each) => each.callbackURL === callbackURL && each.idModel === idModel);
  return same ? "A webhook with that callback, model, and token already exists" : undefined;
}

/** Before a webhook is kept or switched on, its address must answer HEAD. Refused in JSON, unlike most. */
async function answers(url: string, response: Response): Promise<boolean> {
  const status = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(5_000) }).then(
    (answer) => answer.status,
    () => "nothing",
  );
  if (status === 200) return true;
  const message = `URL (${url}) did not return 200 status code, got ${status}`;
  response.status(400).json({ message, error: "VALIDATOR_URL_RETURNED_ERROR" });
  return false;
}

function addOneWebhook(app: Express, registered: Registered[]): void {
  const path = "/1/webhooks/:id";
  const find = (request: Request, response: Response) => {
    const webhook = registered.find(({ id }) => id === request.params.id);
    if (webhook === undefined) refuse(response, 404, NOT_FOUND);
    return webhook;
  };
  app.get(path, (request, response) => {
    const webhook = find(request, response);
    if (webhook !== undefined) response.json(webhook);
  });
  app.put(path, async (request, response) => {
    const webhook = find(request, response);
    if (webhook === undefined) return;
    const url = parameter(request, "callbackURL") ?? webhook.callbackURL;
    if (!(await answers(url, response))) return;
    const active = flag(request, "active");
    if (active !== undefined) webhook.active = active;
    webhook.description = parameter(request, "description") ?? webhook.description;
    webhook.callbackURL = url;
    response.json(webhook);
  });
  app.delete(path, (request, response) => {
    const webhook = find(request, response);
    if (webhook === undefined) return;
    registered.splice(registered.indexOf(webhook), 1);
    response.json({ _value: null });
  });
}
