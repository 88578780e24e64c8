import type { PullRequestKey, SessionId } from '../core/model/ids.ts';
import type { Dialect, ModelPrice, ModelUse } from '../core/model/model-use.ts';

/** A model API with its key, as the operator configured it for one agent. */
export interface ModelEndpoint {
  /** Name of the agent that uses it. */
  readonly name: string;
  readonly dialect: Dialect;
  /** Root of the API, without a trailing slash; may have a path. */
  readonly url: string;
  /** File with the key. Only the gateway reads it. */
  readonly keyFile: string;
  /** The models that may be used, the default first. */
  readonly models: readonly string[];
  /** Prices by model. A model without a price may be used only if no budget in USD is set. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** Longest output of one call, in tokens. Added to a request that has no limit; lowered where it is higher. */
  readonly maxOutputTokens: number;
}

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
}

/** The gateway of one session. */
export interface OpenGateway {
  /** Unix socket on this machine. Nobody but the session's site may connect to it. */
  readonly socketPath: string;
  /** The session's own token, which the agent sends instead of a key. */
  readonly token: string;
  /** The use so far. */
  readonly use: () => ModelUse;
  /** Fires after calls that changed the use, at most once a second. */
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
