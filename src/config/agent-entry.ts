import type { AgentKind, AgentSettings, ModelEndpoint } from '../core/model/agent-settings.ts';
import { InvariantError } from '../core/model/errors.ts';
import type { Dialect, ModelPrice } from '../core/model/model-use.ts';

/** What the operator says of one agent, in the file or by variables. Which fields it takes depends on its kind. */
export interface AgentEntry {
  readonly name: string;
  readonly kind: AgentKind;
  readonly path?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly script?: string | undefined;
  readonly api?: Dialect | undefined;
  readonly url?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  readonly maxOutputTokens?: number | undefined;
}

type Field = Exclude<keyof AgentEntry, 'name' | 'kind'>;

/** A mistake in an entry. */
export interface EntryFault {
  readonly field: Field;
  /** Continues a sentence that begins with the field. */
  readonly message: string;
}

const OF_PROGRAM = ['path', 'command', 'script'] as const;
const OF_MODEL = ['api', 'url', 'keyFile', 'models', 'prices', 'maxOutputTokens'] as const;
const NEEDED_OF_MODEL = ['keyFile', 'models'] as const;

/** The field that says how to start each kind (null: none), whether it is needed, and the API that the kind speaks; null: any. */
const KINDS: Readonly<
  Record<AgentKind, { readonly program: Field | null; readonly isNeeded: boolean; readonly api: Dialect | null }>
> = {
  claude: { program: 'path', isNeeded: false, api: 'anthropic' },
  codex: { program: 'path', isNeeded: false, api: 'openai' },
  gemini: { program: 'path', isNeeded: false, api: 'gemini' },
  opencode: { program: 'path', isNeeded: false, api: null },
  acp: { program: 'command', isNeeded: true, api: null },
  planner: { program: null, isNeeded: false, api: null },
  command: { program: 'command', isNeeded: true, api: null },
  fake: { program: 'script', isNeeded: true, api: null },
};

const URLS: Readonly<Record<Dialect, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
};

const DEFAULT_MAX_OUTPUT_TOKENS = 32_000;

/** What is wrong with an entry as a whole; the value of each field has been checked. `kindText`: how it says its kind. */
export function findEntryFaults(entry: AgentEntry, kindText: string): readonly EntryFault[] {
  const { program, isNeeded, api } = KINDS[entry.kind];
  const isOf = (field: Field): boolean => entry[field] !== undefined;
  const model = OF_MODEL.filter(isOf);
  // A command calls a model only if it has an API; whoever sets anything else of a model wants one.
  const callsModel = entry.kind !== 'fake' && (entry.kind !== 'command' || model.length > 0);
  const needed: readonly Field[] = [
    ...(isNeeded && program !== null ? [program] : []),
    ...(callsModel ? [...(api === null ? ['api' as const] : []), ...NEEDED_OF_MODEL] : []),
  ];
  const useless = [...OF_PROGRAM.filter((field) => field !== program && isOf(field)), ...(callsModel ? [] : model)];
  const isOther = api !== null && entry.api !== undefined && entry.api !== api;
  return [
    ...needed.filter((field) => !isOf(field)).map((field) => ({ field, message: `is required with ${kindText}` })),
    ...useless.map((field) => ({ field, message: `has no meaning with ${kindText}` })),
    ...(isOther ? [{ field: 'api' as const, message: `must be ${api} with ${kindText}` }] : []),
  ];
}

/** The settings of an entry without faults. `known`: prices by model; those of the entry itself come first. */
export function toAgentSettings(entry: AgentEntry, known: Readonly<Record<string, ModelPrice>>): AgentSettings {
  const { name, kind, path = null, script = '' } = entry;
  const [program = '', ...args] = entry.command ?? [];
  const endpoint = toEndpoint(entry, { ...known, ...entry.prices });
  if (kind === 'fake') return { name, kind, script, endpoint: null };
  if (kind === 'command') return { name, kind, argv: [program, ...args], endpoint };
  if (endpoint === null) throw new InvariantError(`the agent ${name} has no model, though its entry was checked`);
  if (kind === 'acp') return { name, kind, argv: [program, ...args], endpoint };
  return kind === 'planner' ? { name, kind, endpoint } : { name, kind, path, endpoint };
}

function toEndpoint(entry: AgentEntry, known: Readonly<Record<string, ModelPrice>>): ModelEndpoint | null {
  const { name, keyFile, models, maxOutputTokens = DEFAULT_MAX_OUTPUT_TOKENS } = entry;
  const dialect = KINDS[entry.kind].api ?? entry.api;
  if (dialect === undefined || keyFile === undefined || models === undefined) return null;
  const prices = Object.entries(known).filter(([model]) => models.includes(model));
  const { url = URLS[dialect] } = entry;
  return { name, dialect, url, keyFile, models, prices: Object.fromEntries(prices), maxOutputTokens };
}
