import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults } from '../faults.ts';
import type { JsonObject } from '../json.ts';

/** GitHub's timeout for a receiver. */
const TIMEOUT_MS = 10_000;
const HOOK_ID = 500_000_001;

/** State of a delivery. `no-url`: no webhook URL was set. */
export type DeliveryOutcome = 'pending' | 'held' | 'sent' | 'failed' | 'dropped' | 'no-url';

/** A webhook delivery. `status` is the receiver's HTTP status; null if it did not answer. */
export type Delivery = {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly payload: JsonObject;
  readonly isRedelivery: boolean;
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly deliveredAt: string;
  readonly durationMs: number;
};

/** A webhook to deliver. */
export type Webhook = { readonly event: string; readonly payload: JsonObject };

/** Sends signed webhooks one after the other and records the results. */
export type DeliveryQueue = {
  readonly records: readonly Delivery[];
  readonly url: () => string | null;
  readonly setUrl: (url: string | null) => void;
  /** Queues a webhook and returns at once. */
  readonly enqueue: (webhook: Webhook) => void;
  /** Sends a recorded delivery again with the same GUID; false if there is no such delivery. */
  readonly redeliver: (id: number) => boolean;
  /** Resolves when every queued delivery was sent. */
  readonly settled: () => Promise<void>;
  /** Stops sending and aborts open requests. */
  readonly close: () => void;
};

type QueueOptions = {
  readonly appId: number;
  readonly secret: string;
  readonly faults: Faults;
  readonly nextId: () => number;
  readonly now: () => string;
  readonly changed: () => void;
};

/** All deliveries. `update` replaces the record. */
type Records = {
  readonly rows: Delivery[];
  readonly update: (id: number, changes: Partial<Delivery>) => void;
};

function createRecords(changed: () => void): Records {
  const rows: Delivery[] = [];
  return {
    rows,
    update: (id, changes) => {
      const index = rows.findIndex((row) => row.id === id);
      const row = rows[index];
      if (row !== undefined) rows[index] = { ...row, ...changes };
      changed();
    },
  };
}

function toDelivery(options: QueueOptions, webhook: Webhook, guid: string, isRedelivery: boolean): Delivery {
  const { action } = webhook.payload;
  return {
    event: webhook.event,
    payload: webhook.payload,
    id: options.nextId(),
    guid,
    action: typeof action === 'string' ? action : null,
    isRedelivery,
    outcome: 'pending',
    status: null,
    deliveredAt: options.now(),
    durationMs: 0,
  };
}

/** Sends one delivery at a time. */
type Sender = {
  readonly url: () => string | null;
  readonly setUrl: (url: string | null) => void;
  readonly chain: (delivery: Delivery, times: number) => void;
  readonly settled: () => Promise<void>;
  readonly close: () => void;
};

function createSender(options: QueueOptions, records: Records): Sender {
  const closing = new AbortController();
  let target: string | null = null;
  let tail: Promise<void> = Promise.resolve();

  async function send(delivery: Delivery, times: number): Promise<void> {
    const delayMs = options.faults.deliveryDelayMs();
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: closing.signal }).catch(() => undefined);
    for (let attempt = 0; attempt < times && !closing.signal.aborted; attempt += 1) {
      if (target === null) {
        records.update(delivery.id, { outcome: 'no-url' });
        return;
      }
      const startedMs = performance.now();
      const status = await post(target, delivery, { ...options, signal: closing.signal });
      const durationMs = Math.round(performance.now() - startedMs);
      records.update(delivery.id, { outcome: status === null ? 'failed' : 'sent', status, durationMs });
    }
  }

  return {
    url: () => target,
    setUrl: (url) => {
      target = url;
    },
    chain: (delivery, times) => {
      tail = tail.then(async () => await send(delivery, times));
    },
    settled: async () => {
      let seen: Promise<void> | null = null;
      while (seen !== tail) {
        seen = tail;
        await seen;
      }
    },
    close: () => {
      closing.abort();
    },
  };
}

export function createDeliveryQueue(options: QueueOptions): DeliveryQueue {
  const records = createRecords(options.changed);
  const sender = createSender(options, records);

  function add(webhook: Webhook, guid: string, isRedelivery: boolean): void {
    const delivery = toDelivery(options, webhook, guid, isRedelivery);
    const { event, action, id } = delivery;
    const subject = { event, action, attempt: isRedelivery ? 2 : 1 };
    records.rows.push(delivery);
    options.changed();
    if (options.faults.isDropped(subject) && !isRedelivery) {
      records.update(id, { outcome: 'dropped' });
      return;
    }
    const times = options.faults.isDuplicated(subject) ? 2 : 1;
    const isHeld = options.faults.hold(subject, () => sender.chain(delivery, times));
    if (isHeld) records.update(id, { outcome: 'held' });
    else sender.chain(delivery, times);
  }

  return {
    records: records.rows,
    url: sender.url,
    setUrl: sender.setUrl,
    settled: sender.settled,
    close: sender.close,
    enqueue: (webhook) => {
      add(webhook, randomUUID(), false);
    },
    redeliver: (id) => {
      const record = records.rows.find((candidate) => candidate.id === id);
      if (record !== undefined) add(record, record.guid, true);
      return record !== undefined;
    },
  };
}

type PostOptions = { readonly appId: number; readonly secret: string; readonly signal: AbortSignal };

/** Posts a delivery on a new connection. Returns the HTTP status, or null without an answer. */
async function post(url: string, delivery: Delivery, options: PostOptions): Promise<number | null> {
  const body = JSON.stringify(delivery.payload);
  const signature = createHmac('sha256', options.secret).update(body).digest('hex');
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), options.signal]);
  const headers = {
    accept: '*/*',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'GitHub-Hookshot/7e4d9b2',
    'x-github-delivery': delivery.guid,
    'x-github-event': delivery.event,
    'x-github-hook-id': String(HOOK_ID),
    'x-github-hook-installation-target-id': String(options.appId),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return await new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      response.resume();
      response.once('end', () => {
        resolve(response.statusCode ?? null);
      });
      response.once('error', () => {
        resolve(null);
      });
    });
    outgoing.once('error', () => {
      resolve(null);
    });
    outgoing.end(body);
  });
}
