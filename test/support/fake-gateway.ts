import { ConfigError } from '../../src/core/model/errors.ts';
import type { ModelUse } from '../../src/core/model/model-use.ts';
import type { GatewaySession, ModelEndpoint, ModelGateway } from '../../src/ports/model-gateway.ts';
import { aModelUse } from './model-builders.ts';

/** A gateway that calls nothing and has seen what a test says. */
export interface FakeGateway extends ModelGateway {
  /** Every session that it was opened for, in order. */
  readonly opened: readonly GatewaySession[];
  readonly openNow: () => number;
  /** What every session uses from now on; three calls that succeed where nothing is said. */
  readonly willSee: (use: Partial<ModelUse>) => void;
  /** The open session has made calls. */
  readonly report: (use: Partial<ModelUse>) => void;
  /** Another key; null: its file cannot be used. */
  readonly setKey: (key: string | null) => void;
}

/** The endpoint of an agent with a model. */
export const ENDPOINT: ModelEndpoint = {
  name: 'fake',
  dialect: 'anthropic',
  url: 'http://models.test',
  keyFile: '/keys/model',
  models: ['model-1', 'model-2'],
  prices: {},
  maxOutputTokens: 8_000,
};

export function createFakeGateway(): FakeGateway {
  const opened: GatewaySession[] = [];
  const listeners = new Set<(use: ModelUse) => void>();
  let seen = aModelUse();
  let key: string | null = 'key-1';
  let openNow = 0;
  const usable = (): string => {
    if (key === null) throw new ConfigError(['the key file cannot be used']);
    return key;
  };
  return {
    opened,
    openNow: () => openNow,
    willSee: (use) => {
      seen = aModelUse(use);
    },
    report: (use) => {
      for (const listener of listeners) listener(aModelUse(use));
    },
    setKey: (next) => {
      key = next;
    },
    open: async (session) => {
      usable();
      opened.push(session);
      openNow += 1;
      let isOpen = true;
      return {
        socketPath: `/run/gateway/${session.sessionId}.sock`,
        token: `token-of-${session.sessionId}`,
        use: () => seen,
        onUse: (listener) => void listeners.add(listener),
        close: async () => {
          if (isOpen) openNow -= 1;
          isOpen = false;
          return seen;
        },
      };
    },
    probe: async () => ({ kind: 'ok', model: 'model-1' }),
    fingerprint: async () => usable(),
    close: async () => undefined,
  };
}
