import { Probot } from 'probot';
import type { PullRequestKey } from '../core/model/ids.ts';
import type { Log } from '../ports/log.ts';
import { createProbotLogger } from './probot-logger.ts';
import { isUsedEventName, usedEventNames } from './to-event.ts';
import type { AcceptedDelivery } from './webhook-edge.ts';

type HandledEvent = Parameters<Probot['receive']>[0];

/** Dependencies of the Probot application, which announces the wake-ups that the edge stored. */
export interface RatchetAppDeps {
  readonly announce: (keys: readonly PullRequestKey[]) => Promise<void>;
  /** Returns the stored wake-ups of a delivery, once. */
  readonly takeWakes: (deliveryId: string) => readonly PullRequestKey[];
}

/** Registers the handlers. They hold no rules: the delivery was interpreted and stored before they run. */
export function ratchetApp(probot: Pick<Probot, 'on'>, { announce, takeWakes }: RatchetAppDeps): void {
  probot.on(usedEventNames.filter(isUsedEventName), async (context) => {
    const wakes = takeWakes(context.id);
    if (wakes.length > 0) await announce(wakes);
  });
}

/** Options of `createProbotApp`. */
export interface ProbotAppOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly secret: string;
  readonly baseUrl: string;
  readonly announce: RatchetAppDeps['announce'];
  readonly log: Log;
  /**
   * Most deliveries in the handlers at once; default 1,000. The wake-ups of further ones wait for the queue's timer.
   */
  readonly maxPending?: number;
}

/** Handles deliveries that the edge accepted. */
export interface ProbotApp {
  /**
   * Never throws and never blocks. Failures are logged, and the queue's timer finds wake-ups that were not announced.
   */
  readonly receive: (accepted: AcceptedDelivery) => void;
  /** Resolves when every delivery received so far has passed its handlers. */
  readonly settled: () => Promise<void>;
}

/**
 * Creates Ratchet's Probot application. The edge feeds it through `Probot.receive`, without a second signature check or
 * parse. Probot's server, its setup pages and its `/probot/import` are never created.
 */
export async function createProbotApp(options: ProbotAppOptions): Promise<ProbotApp> {
  const { appId, privateKey, secret, baseUrl, log, announce, maxPending = 1000 } = options;
  const wakesById = new Map<string, readonly PullRequestKey[]>();
  const running = new Set<Promise<void>>();
  const probot = new Probot({ appId, privateKey, secret, baseUrl, log: createProbotLogger(log) });
  await probot.ready();
  await probot.load((app) =>
    ratchetApp(app, {
      announce,
      takeWakes: (id) => {
        const wakes = wakesById.get(id) ?? [];
        wakesById.delete(id);
        return wakes;
      },
    }),
  );

  async function run(accepted: AcceptedDelivery): Promise<void> {
    const { id, name, payload, wakes } = accepted;
    const event = { id, name, payload };
    if (!isHandledEvent(event)) return;
    wakesById.set(accepted.id, accepted.wakes);
    try {
      await probot.receive(event);
    } catch (error) {
      const about = wakes.length === 1 ? { key: wakes[0] } : {};
      log.warn({ deliveryId: id, ...about, eventName: name, error: nameOf(error) }, 'wake-ups not announced');
    } finally {
      wakesById.delete(accepted.id);
    }
  }

  return {
    receive: (accepted) => {
      if (accepted.wakes.length === 0) return;
      if (running.size >= maxPending) {
        log.debug({ deliveryId: accepted.id, pending: running.size }, 'handlers are busy: wake-ups left to the timer');
        return;
      }
      const done = run(accepted).finally(() => running.delete(done));
      running.add(done);
    },
    settled: async () => {
      await Promise.all(running);
    },
  };
}

/**
 * The edge has already parsed the payload by the schema of its event, with fewer fields than Probot's types promise.
 * The handlers read none of them.
 */
function isHandledEvent(
  event: { readonly id: string } & Pick<AcceptedDelivery, 'name' | 'payload'>,
): event is HandledEvent {
  return isUsedEventName(event.name);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
