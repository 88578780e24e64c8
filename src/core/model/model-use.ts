/** Protocols of model APIs. `openai` covers Responses and Chat Completions. */
export const DIALECTS = ['anthropic', 'openai', 'gemini'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Counts of tokens. Each token is counted once: `input` has neither `cached` nor `written` ones. */
export interface TokenUse {
  readonly input: number;
  /** Input that the provider read from its cache. */
  readonly cached: number;
  /** Input that the provider wrote to its cache. */
  readonly written: number;
  /** Output, including reasoning. */
  readonly output: number;
}

/** Prices of each kind of token, in USD per million. */
export type TokenPrices = TokenUse;

/** Prices of a model. */
export interface ModelPrice extends TokenPrices {
  /** Prices of a whole call whose input, cached or not, has more tokens than `above`. */
  readonly long?: TokenPrices & { readonly above: number };
}

/** Money in millionths of a USD. A whole number; costs are rounded up. */
export type MicroUsd = number;

/** What a budget covers. `day`: a repository and a UTC day. `month`: an installation and a UTC month. */
export const BUDGET_SCOPES = ['fixup', 'pull_request', 'day', 'month'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** What a call to a model uses. */
export const CALL_UNITS = ['usd', 'calls', 'tokens'] as const;
/** `time`: how long agents work. */
export const BUDGET_UNITS = [...CALL_UNITS, 'time'] as const;
export type BudgetUnit = (typeof BUDGET_UNITS)[number];

/** Why the gateway refused a call, or stopped one. */
export const GATEWAY_REFUSALS = [
  /** The call does not fit into a budget of USD, of calls or of tokens. */
  'budget_usd',
  'budget_calls',
  'budget_tokens',
  /** An operator switched agents off, or the repository is not on the list of those that may spend. */
  'switched_off',
  'model_not_allowed',
  /** A tool, or content, that the provider would run or fetch, or that costs more than the price says. */
  'hosted_tool',
  /** A path, method or query that is no part of the dialect. */
  'not_a_model_call',
  'wrong_token',
  'too_large',
  /** Not JSON, or compressed. */
  'malformed',
  /** The model failed several times in a row in this session. */
  'failing',
  /** The model's key or URL cannot be used. */
  'misconfigured',
] as const;
export type GatewayRefusal = (typeof GATEWAY_REFUSALS)[number];

/** How a call that reached the model failed. */
export const UPSTREAM_FAULTS = [
  /** 401 or 403: the key is not accepted. */
  'auth',
  /** 402, or an error that says that the credit is used up. */
  'no_credit',
  /** 429. */
  'rate_limited',
  /** 5xx or 529. */
  'overloaded',
  /** Nothing arrived for longer than the limit. */
  'silent',
  /** The connection failed, or ended in the middle of an answer. */
  'cut',
  /** The request does not fit into the model's context. */
  'too_long',
  /** Another 4xx. */
  'bad_request',
  /** The answer is not of the dialect: HTML, or broken JSON. */
  'unreadable',
] as const;
export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number];

/** The evidence of the gateway about one session. */
export interface ModelUse {
  /** Calls that were sent to the model. */
  readonly calls: number;
  readonly tokens: TokenUse;
  readonly microUsd: MicroUsd;
  /** Refused calls by reason. */
  readonly refused: Readonly<Partial<Record<GatewayRefusal, number>>>;
  /** Why the last refused call was refused; names what the agent asked for. null: none was. */
  readonly lastRefusal: string | null;
  /**
   * The refusal that ended the session, with its text; null if none did, or if a later call succeeded. Only refusals that the
   * agent cannot do anything about.
   */
  readonly stoppedBy: {
    readonly why: GatewayRefusal;
    readonly scope: BudgetScope | null;
    readonly detail: string;
  } | null;
  /** Failed calls by kind. */
  readonly faults: Readonly<Partial<Record<UpstreamFault, number>>>;
  /** How the last call that reached the model ended; null: there was none, it is open, or the agent left before its end. */
  readonly lastCall: 'ok' | UpstreamFault | null;
  /** When the provider accepts calls again, by its own words; null if it does not say. */
  readonly retryAt: number | null;
}

/** The agent's part in a session, for the check run, the commit trailer and the log. */
export interface AgentUse {
  /** Its name in the operator's configuration. */
  readonly agent: string;
  readonly version: string | null;
  readonly model: string | null;
  readonly calls: number;
  readonly tokens: TokenUse;
  readonly microUsd: MicroUsd;
  readonly durationMs: number;
}
