import type { ModelEndpoint } from '../core/model/agent-settings.ts';
import type { PullRequestKey, SessionId } from '../core/model/ids.ts';
import type { ModelUse } from '../core/model/model-use.ts';

export type { ModelEndpoint } from '../core/model/agent-settings.ts';

/** One session that may call a model. */
export interface GatewaySession {
  readonly sessionId: SessionId;
  readonly key: PullRequestKey;
  readonly repositoryId: number;
  readonly installationId: number;
  readonly endpoint: ModelEndpoint;
  /** The model of the session; one of the endpoint's. No other may be called. */
  readonly model: string;
  /** Limits of the fixup, the lower of operator and policy. null: none. */
  readonly maxMicroUsd: number | null;
  readonly maxCalls: number | null;
  readonly maxTokens: number | null;
}

/** The gateway of one session. */
export interface OpenGateway {
  /** Unix socket on this machine. Nobody but the session's site may connect to it. */
  readonly socketPath: string;
  /** The session's own token, which the agent sends instead of a key. */
  readonly token: string;
  /** The use so far. */
  readonly use: () => ModelUse;
  /** Fires after calls that changed the use, at most once a second. The listener must not throw. */
  readonly onUse: (listener: (use: ModelUse) => void) => void;
  /** Ends all its calls and removes the socket. Idempotent. */
  readonly close: () => Promise<ModelUse>;
}

/** Lets agents call models, without their key, within budgets. */
export interface ModelGateway {
  /** Throws `ConfigError` if the key file cannot be used. */
  readonly open: (session: GatewaySession) => Promise<OpenGateway>;
  /** Makes one minimal call to the endpoint, outside of all budgets. */
  readonly probe: (
    endpoint: ModelEndpoint,
    signal: AbortSignal,
  ) => Promise<{ readonly kind: 'ok'; readonly model: string } | { readonly kind: 'failed'; readonly why: string }>;
  /** A hash of an endpoint's whole configuration, key included. Another value means another configuration. */
  readonly fingerprint: (endpoint: ModelEndpoint) => Promise<string>;
  readonly close: () => Promise<void>;
}
