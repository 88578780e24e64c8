import type { IncomingMessage } from 'node:http';
import { isDeeperThan } from '../core/json/is-deeper-than.ts';
import { parseJsonObject } from '../core/json/parse-json-object.ts';
import { ConfigError, toError } from '../core/model/errors.ts';
import type { Event } from '../core/model/event.ts';
import { type DeliveryId, type PullRequestKey, parseDeliveryId } from '../core/model/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log, LogFields } from '../ports/log.ts';
import type { Delivery, IngestOutcome } from '../ports/store.ts';
import { createSplitRoom, type RoomLimits } from '../web/body-room.ts';
import { readBody } from '../web/read-body.ts';
import { type Refusal, refuse } from '../web/refusal.ts';
import { createRefusalLog, DELIVERY_MESSAGES, type RefusalLogLimits } from '../web/refusal-log.ts';
import { type LingerLimits, sendJson, sendRefusal } from '../web/send-response.ts';
import type { RequestHandler } from '../web/server.ts';
import { createSignatureCheck, parseSignatureHeader } from './signature.ts';
import { type ParseCommands, toDelivery } from './to-delivery.ts';
import { isUsedEventName, type OwnIdentity, toEvent } from './to-event.ts';

/** Limits of the edge. `defaultEdgeLimits` suits GitHub. */
export interface EdgeLimits extends LingerLimits, RefusalLogLimits {
  readonly maxBodyBytes: number;
  /** Bodies of at most `smallBodyBytes` have a room of their own. */
  readonly smallBodyBytes: number;
  readonly small: RoomLimits;
  readonly large: RoomLimits;
  readonly maxJsonDepth: number;
}

/** GitHub's maximum is 25 MiB. Of two bodies of that size at the same time, the slower one is refused with 503. */
export const defaultEdgeLimits: EdgeLimits = {
  maxBodyBytes: 25 * 1024 * 1024,
  smallBodyBytes: 256 * 1024,
  small: { maxBytes: 16 * 1024 * 1024, maxBodies: 800 },
  large: { maxBytes: 32 * 1024 * 1024, maxBodies: 100 },
  maxJsonDepth: 64,
  lingerMs: 500,
  lingerBytes: 1024 * 1024,
  windowMs: 60_000,
  linesPerWindow: 20,
};

/** A delivery that was stored and answered. Its wake-ups still have to be announced. */
export interface AcceptedDelivery {
  readonly id: DeliveryId;
  readonly name: string;
  readonly payload: object;
  readonly wakes: readonly PullRequestKey[];
  /** Keys of the sweep queue. */
  readonly sweeps: readonly string[];
}

/** Options of `createWebhookEdge`. */
export interface WebhookEdgeOptions {
  /** Newest first; two during a rotation. */
  readonly secrets: readonly string[];
  readonly path: string;
  readonly own: OwnIdentity;
  readonly parseCommands: ParseCommands;
  /** Stores the delivery durably. A rejection is answered with 503, so GitHub shows the delivery as failed. */
  readonly ingest: (delivery: Delivery) => Promise<IngestOutcome>;
  /** Called after the answer, for accepted deliveries only; must not throw. */
  readonly onAccepted: (accepted: AcceptedDelivery) => void;
  /** Called for each request with its result: what became of the delivery, or the code of the refusal. `event` null: an unknown one. */
  readonly onAnswered?: (event: string | null, result: string) => void;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits?: EdgeLimits;
}

interface Head {
  readonly kind: 'head';
  readonly id: DeliveryId;
  readonly eventName: string;
  readonly signature: Buffer;
}

interface Received {
  readonly kind: 'received';
  readonly payload: object;
  readonly delivery: Delivery;
}

/**
 * Creates the webhook endpoint. It checks limits and the signature over the raw bytes, parses the JSON, maps it to an
 * `Event` and stores it. The answer follows the commit and waits for no handler. Unsigned requests are refused before
 * they are parsed or logged (T1 to T6).
 * @throws ConfigError without a secret: there is no unsigned mode.
 */
export function createWebhookEdge(options: WebhookEdgeOptions): RequestHandler {
  if (options.secrets.length === 0 || options.secrets.includes('')) {
    throw new ConfigError(['a webhook secret is required']);
  }
  const limits = options.limits ?? defaultEdgeLimits;
  const room = createSplitRoom(limits, options.clock);
  const logRefusal = createRefusalLog(options.log, options.clock, limits, DELIVERY_MESSAGES);

  return async (request, response) => {
    if (request.url?.split('?', 1)[0] !== options.path) return false;
    const head = parseHead(request, limits.maxBodyBytes);
    if (head.kind === 'refused') {
      refuseRequest(head, 0, null);
      return true;
    }
    const event = toUsedName(head.eventName);
    const check = createSignatureCheck(options.secrets, head.signature);
    const body = await readBody(request, { maxBytes: limits.maxBodyBytes, room }, check.update);
    try {
      if (body.kind === 'refused') refuseRequest(body.refusal, body.bytes, event);
      else if (body.kind === 'body' && !check.isRight()) refuseRequest(refuse('SIGNATURE_WRONG'), body.bytes, event);
      else if (body.kind === 'body') await serveBody(head, Buffer.concat(body.chunks));
    } finally {
      body.leave();
    }
    return true;

    async function serveBody({ id, eventName }: Head, raw: Buffer): Promise<void> {
      const received = receive({ id, eventName, raw }, limits.maxJsonDepth, options);
      const outcome = received.kind === 'refused' ? received : await store(received.delivery, options);
      if (outcome.kind === 'refused') {
        refuseRequest(outcome, raw.length, toUsedName(eventName));
        return;
      }
      sendJson(response, 202, { outcome: outcome.kind });
      options.onAnswered?.(toUsedName(eventName), outcome.kind);
      if (received.kind === 'refused' || outcome.kind !== 'accepted') return;
      // In a later turn, so that nothing in the receiver can delay the answer.
      const { wakes, sweeps } = outcome;
      setImmediate(options.onAccepted, { id, name: eventName, payload: received.payload, wakes, sweeps });
    }

    function refuseRequest(refusal: Refusal, bytes: number, name: string | null): void {
      options.onAnswered?.(name, refusal.code);
      logRefusal({ refusal, bytes, remoteAddress: request.socket.remoteAddress ?? null });
      sendRefusal(request, response, refusal, limits);
    }
  };
}

/** Of other names there may be any number. */
function toUsedName(eventName: string): string | null {
  return isUsedEventName(eventName) ? eventName : null;
}

/** Maps verified bytes to the delivery to store, or refuses them. */
function receive(
  head: { readonly id: DeliveryId; readonly eventName: string; readonly raw: Buffer },
  maxJsonDepth: number,
  { own, parseCommands, clock, log }: WebhookEdgeOptions,
): Received | Refusal {
  const { id, eventName, raw } = head;
  if (isDeeperThan(raw, maxJsonDepth)) return refuse('JSON_TOO_DEEP');
  const payload = parseJsonObject(raw.toString('utf8'));
  if (payload === null) return refuse('JSON_INVALID');
  const mapping = toEvent(eventName, payload, own);
  if (mapping.kind === 'invalid') return refuse('PAYLOAD_INVALID', `${eventName}: ${mapping.where}`);
  const event = mapping.kind === 'event' ? mapping.event : null;
  const delivery = toDelivery({ id, eventName, body: raw, payload, receivedAt: clock.now(), event }, parseCommands);
  log.debug(
    {
      deliveryId: id,
      eventName,
      ...toSubject(event),
      action: delivery.action,
      ignored: mapping.kind === 'ignored' ? mapping.why : null,
      // Commands of bots are not parsed (T9).
      author: event !== null && 'author' in event ? event.author.kind : null,
      commands: delivery.commands.length,
    },
    'delivery received',
  );
  if (event?.kind === 'label_changed' && event.author.kind === 'bot') {
    log.info({ deliveryId: id, ...toSubject(event), authorId: event.author.id }, 'a label of a bot changes nothing');
  }
  return { kind: 'received', payload, delivery };
}

/** The repository, and the pull request where the event names one, as the log has them. */
function toSubject(event: Event | null): LogFields {
  if (event === null || !('repository' in event)) return {};
  const { owner, name } = event.repository;
  return { owner, name, ...('number' in event ? { number: event.number } : {}) };
}

async function store(delivery: Delivery, { ingest, log }: WebhookEdgeOptions): Promise<IngestOutcome | Refusal> {
  try {
    return await ingest(delivery);
  } catch (error) {
    log.error({ deliveryId: delivery.id, err: toError(error) }, 'delivery could not be stored');
    return refuse('NOT_STORED');
  }
}

/** Checks everything that can be checked before the body arrives. */
function parseHead(request: IncomingMessage, maxBodyBytes: number): Head | Refusal {
  const { headers } = request;
  if (request.method !== 'POST') return refuse('METHOD_NOT_ALLOWED');
  if (!isJson(headers['content-type']) || headers['content-encoding'] !== undefined) {
    return refuse('CONTENT_TYPE_UNSUPPORTED');
  }
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return refuse('BODY_TOO_LARGE');
  const signature = parseSignatureHeader(headers['x-hub-signature-256']);
  if (signature === null) return refuse('SIGNATURE_MISSING');
  const eventName = headers['x-github-event'];
  if (typeof eventName !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(eventName)) return refuse('EVENT_NAME_INVALID');
  const id = toDeliveryId(headers['x-github-delivery']);
  return id === null ? refuse('DELIVERY_ID_INVALID') : { kind: 'head', id, eventName, signature };
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(?:;|$)/i.test(contentType);
}

function toDeliveryId(value: string | readonly string[] | undefined): DeliveryId | null {
  try {
    return typeof value === 'string' ? parseDeliveryId(value) : null;
  } catch {
    return null;
  }
}
