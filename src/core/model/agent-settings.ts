import type { Dialect, ModelPrice } from './model-use.ts';

/** The kinds of agents. Only `command` and `fake` can do without a model. */
export const AGENT_KINDS = ['claude', 'codex', 'gemini', 'opencode', 'acp', 'planner', 'command', 'fake'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

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

/** One agent of the operator's configuration. */
export type AgentSettings = { readonly name: string } & (
  | {
      readonly kind: 'claude' | 'codex' | 'gemini' | 'opencode';
      /** Its program; null: the usual one of its kind. */
      readonly path: string | null;
      readonly endpoint: ModelEndpoint;
    }
  | { readonly kind: 'acp'; readonly argv: readonly [string, ...string[]]; readonly endpoint: ModelEndpoint }
  /** Ratchet's own: the model writes a plan, and Ratchet carries it out. */
  | { readonly kind: 'planner'; readonly endpoint: ModelEndpoint }
  | {
      readonly kind: 'command';
      readonly argv: readonly [string, ...string[]];
      /** null: it calls no model through Ratchet. */
      readonly endpoint: ModelEndpoint | null;
    }
  | { readonly kind: 'fake'; readonly script: string; readonly endpoint: null }
);
