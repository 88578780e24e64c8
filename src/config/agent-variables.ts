import { z } from 'zod';
import { AGENT_KINDS } from '../core/model/agent-settings.ts';
import { type BudgetScope, DIALECTS } from '../core/model/model-use.ts';
import type { SpendLimit } from '../core/model/spend.ts';
import { toMicroUsd, toTimeMs } from '../core/spend/session-limits.ts';
import { type AgentEntry, findEntryFaults } from './agent-entry.ts';
import { KeyFile, MAX_OUTPUT_TOKENS, Models, ModelUrl } from './agent-fields.ts';
import { integer } from './integer.ts';

const kinds = new Intl.ListFormat('en', { type: 'disjunction' }).format(AGENT_KINDS);

/** An empty list is no list: the variable is not set then. */
const list = z.string().transform((text) => text.split(/[\s,]+/u).filter((item) => item !== ''));

const argv = z.string().transform((value, context): [string, ...string[]] => {
  const parsed = Argv.safeParse(parseJson(value));
  if (parsed.success) return parsed.data;
  context.addIssue({ code: 'custom', message: 'must be a JSON array of strings, the program first' });
  return z.NEVER;
});

const Argv = z.tuple([z.string().min(1)], z.string());

/** Micro-USD; null: no limit. */
const usd = z
  .string()
  .regex(/^(?:none|\d{1,6}(?:\.\d{1,6})?)$/u, 'must be an amount in USD (5 or 0.50), or none')
  .transform((text) => (text === 'none' ? null : toMicroUsd(Number(text))));

/** null: no limit. */
const count = z
  .string()
  .regex(/^(?:none|\d{1,12})$/u, 'must be a whole number, or none')
  .transform((text) => (text === 'none' ? null : Number(text)));

/** Milliseconds; null: no limit. */
const minutes = z
  .string()
  .regex(/^(?:none|\d{1,7})$/u, 'must be a whole number of minutes, or none')
  .transform((text) => (text === 'none' ? null : toTimeMs(Number(text))));

const MICRO = 1_000_000;

/** Letters, digits, `_` and `-` for accounts, dots too for repositories. */
const SPENDER = /^[A-Za-z0-9][\w-]{0,99}(?:\/[\w.-]{1,100})?$/u;

/** Variables about agents, models and their budgets. */
export const AGENT_FIELDS = {
  RATCHET_AGENT: z.enum(AGENT_KINDS, `must be ${kinds}`).optional(),
  RATCHET_AGENT_PATH: z.string().optional(),
  RATCHET_AGENT_COMMAND: argv.optional(),
  RATCHET_FAKE_AGENT_SCRIPT: z.string().optional(),
  RATCHET_AGENTS_FILE: z.string().optional(),
  RATCHET_AGENT_REPOSITORIES: list
    .pipe(z.array(z.string().regex(SPENDER, 'must list owners and repositories: acme, or acme/widget')))
    .optional(),
  RATCHET_MODEL_API: z.enum(DIALECTS, 'must be anthropic, openai or gemini').optional(),
  RATCHET_MODEL_URL: ModelUrl.optional(),
  RATCHET_MODEL_KEY_FILE: KeyFile.optional(),
  RATCHET_MODELS: list.pipe(Models).optional(),
  RATCHET_MODEL_PRICES: z.string().optional(),
  RATCHET_MODEL_MAX_OUTPUT_TOKENS: integer(MAX_OUTPUT_TOKENS.min, MAX_OUTPUT_TOKENS.max).optional(),
  RATCHET_MODEL_SILENCE_SECONDS: integer(5, 3600).default(300),
  RATCHET_FIXUP_USD: usd.default(5 * MICRO),
  RATCHET_PULL_REQUEST_USD: usd.default(15 * MICRO),
  RATCHET_DAY_USD: usd.default(50 * MICRO),
  RATCHET_MONTH_USD: usd.default(250 * MICRO),
  RATCHET_FIXUP_MODEL_CALLS: count.default(200),
  RATCHET_PULL_REQUEST_MODEL_CALLS: count.default(600),
  RATCHET_DAY_MODEL_CALLS: count.default(2_000),
  RATCHET_MONTH_MODEL_CALLS: count.default(20_000),
  RATCHET_FIXUP_MODEL_TOKENS: count.default(null),
  RATCHET_PULL_REQUEST_MODEL_TOKENS: count.default(null),
  RATCHET_DAY_MODEL_TOKENS: count.default(null),
  RATCHET_MONTH_MODEL_TOKENS: count.default(null),
  RATCHET_FIXUP_AGENT_MINUTES: minutes.default(null),
  RATCHET_PULL_REQUEST_AGENT_MINUTES: minutes.default(null),
  RATCHET_DAY_AGENT_MINUTES: minutes.default(null),
  RATCHET_MONTH_AGENT_MINUTES: minutes.default(null),
} as const;

type Fields = z.infer<z.ZodObject<typeof AGENT_FIELDS>>;

/** Settings about agents, models and their budgets. */
export interface AgentEnvironment {
  /** The one agent of the short form, or the file that lists several. */
  readonly agents:
    | { readonly kind: 'one'; readonly entry: AgentEntry }
    | { readonly kind: 'file'; readonly path: string };
  /** Owners and repositories in which agents that cost money may work; null: those of the App's own account. */
  readonly agentRepositories: readonly string[] | null;
  /** File with the operator's prices; null: none. */
  readonly modelPrices: string | null;
  readonly modelSilenceSeconds: number;
  /** The operator's budgets. */
  readonly spendLimits: Readonly<Record<BudgetScope, SpendLimit>>;
}

/** Variables of the short form, by field of an entry. */
const NAMES = {
  path: 'RATCHET_AGENT_PATH',
  command: 'RATCHET_AGENT_COMMAND',
  script: 'RATCHET_FAKE_AGENT_SCRIPT',
  api: 'RATCHET_MODEL_API',
  url: 'RATCHET_MODEL_URL',
  keyFile: 'RATCHET_MODEL_KEY_FILE',
  models: 'RATCHET_MODELS',
  prices: 'RATCHET_MODEL_PRICES',
  maxOutputTokens: 'RATCHET_MODEL_MAX_OUTPUT_TOKENS',
} as const;
/** They are for agents of a file, too. */
const SHARED: readonly string[] = ['RATCHET_MODEL_PRICES'];

/** The problem of an environment that says nothing about agents. */
export const AGENT_REQUIRED = 'RATCHET_AGENT is required';

/** Problems of the variables about agents together, from their raw texts. */
export function findAgentContradictions(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { RATCHET_AGENT: written, RATCHET_AGENTS_FILE: file } = given;
  if (file !== undefined) {
    const single = ['RATCHET_AGENT', ...Object.values(NAMES)].filter((name) => given[name] !== undefined);
    return single
      .filter((name) => !SHARED.includes(name))
      .map((name) => `${name} and RATCHET_AGENTS_FILE exclude each other: the file says it for each agent`);
  }
  if (written === undefined) return [AGENT_REQUIRED];
  const kind = AGENT_KINDS.find((known) => known === written);
  if (kind === undefined) return [];
  const of = (field: keyof typeof NAMES): string | undefined => given[NAMES[field]];
  const api = DIALECTS.find((known) => known === of('api'));
  // Only whether a field is set matters, and the API. What it holds is checked elsewhere.
  const isSet = <Value>(field: keyof typeof NAMES, value: Value): Value | undefined =>
    of(field) === undefined ? undefined : value;
  const entry: AgentEntry = {
    ...{ name: kind, kind, path: of('path'), url: of('url'), keyFile: of('keyFile'), api },
    ...{ models: isSet('models', []), maxOutputTokens: isSet('maxOutputTokens', 0) },
    // Those of another kind have always been ignored.
    command: kind === 'acp' || kind === 'command' ? isSet('command', []) : undefined,
    script: kind === 'fake' ? of('script') : undefined,
  };
  return findEntryFaults(entry, `RATCHET_AGENT=${kind}`)
    .filter(({ field }) => field !== 'api' || of('api') === undefined || api !== undefined)
    .map(({ field, message }) => `${NAMES[field]} ${message}`);
}

/** The settings, of variables without contradictions. */
export function toAgentEnvironment(fields: Fields): AgentEnvironment {
  return {
    agents: toAgents(fields),
    agentRepositories: fields.RATCHET_AGENT_REPOSITORIES ?? null,
    modelPrices: fields.RATCHET_MODEL_PRICES ?? null,
    modelSilenceSeconds: fields.RATCHET_MODEL_SILENCE_SECONDS,
    spendLimits: {
      fixup: {
        maxMicroUsd: fields.RATCHET_FIXUP_USD,
        maxCalls: fields.RATCHET_FIXUP_MODEL_CALLS,
        maxTokens: fields.RATCHET_FIXUP_MODEL_TOKENS,
        maxTimeMs: fields.RATCHET_FIXUP_AGENT_MINUTES,
      },
      pull_request: {
        maxMicroUsd: fields.RATCHET_PULL_REQUEST_USD,
        maxCalls: fields.RATCHET_PULL_REQUEST_MODEL_CALLS,
        maxTokens: fields.RATCHET_PULL_REQUEST_MODEL_TOKENS,
        maxTimeMs: fields.RATCHET_PULL_REQUEST_AGENT_MINUTES,
      },
      day: {
        maxMicroUsd: fields.RATCHET_DAY_USD,
        maxCalls: fields.RATCHET_DAY_MODEL_CALLS,
        maxTokens: fields.RATCHET_DAY_MODEL_TOKENS,
        maxTimeMs: fields.RATCHET_DAY_AGENT_MINUTES,
      },
      month: {
        maxMicroUsd: fields.RATCHET_MONTH_USD,
        maxCalls: fields.RATCHET_MONTH_MODEL_CALLS,
        maxTokens: fields.RATCHET_MONTH_MODEL_TOKENS,
        maxTimeMs: fields.RATCHET_MONTH_AGENT_MINUTES,
      },
    },
  };
}

function toAgents(fields: Fields): AgentEnvironment['agents'] {
  const { RATCHET_AGENTS_FILE: path, RATCHET_AGENT: kind } = fields;
  if (path !== undefined || kind === undefined) return { kind: 'file', path: path ?? '' };
  const entry: AgentEntry = {
    name: kind,
    kind,
    path: fields.RATCHET_AGENT_PATH,
    command: fields.RATCHET_AGENT_COMMAND,
    script: fields.RATCHET_FAKE_AGENT_SCRIPT,
    api: fields.RATCHET_MODEL_API,
    url: fields.RATCHET_MODEL_URL,
    keyFile: fields.RATCHET_MODEL_KEY_FILE,
    models: fields.RATCHET_MODELS,
    maxOutputTokens: fields.RATCHET_MODEL_MAX_OUTPUT_TOKENS,
  };
  return { kind: 'one', entry };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
