import { parseFlags } from './parse-flags.ts';

/** Parsed arguments of `ratchet run`. Paths as typed. */
export interface RunArgs {
  readonly repo: string;
  /** null: the first one that is configured. */
  readonly agent: string | null;
  /** The most that the run may cost; null: as the environment says. */
  readonly budgetUsd: number | null;
  readonly isDryRun: boolean;
  readonly isJson: boolean;
  readonly resume: string | null;
}

const OPTIONS = {
  repo: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  agent: { type: 'string' },
  budget: { type: 'string' },
  json: { type: 'boolean', default: false },
  resume: { type: 'string' },
} as const;
const MAX_USD = 10_000;

/** The arguments, or one line that says what is wrong with them. */
export function parseRunArgs(argv: readonly string[]): RunArgs | string {
  const parsed = parseFlags(argv, OPTIONS);
  if (typeof parsed === 'string') return parsed;
  const { values, positionals } = parsed;
  const { repo = '', resume = null, agent = null } = values;
  const isDryRun = values['dry-run'];
  const [extra] = positionals;
  if (extra !== undefined) return `unexpected argument ${JSON.stringify(extra)}`;
  if (repo === '') return 'name the checkout to work on, with --repo DIR';
  const contradiction = findContradiction({ agent, isDryRun, resume, budget: values.budget });
  if (contradiction !== null) return contradiction;
  const budgetUsd = toBudget(values.budget);
  if (typeof budgetUsd === 'string') return budgetUsd;
  return { repo, agent, budgetUsd, isDryRun, isJson: values.json, resume };
}

function findContradiction({
  agent,
  isDryRun,
  resume,
  budget,
}: Pick<RunArgs, 'agent' | 'isDryRun' | 'resume'> & { readonly budget: string | undefined }): string | null {
  if (agent === '') return '--agent is the name of an agent, or local';
  if (resume === '') return '--resume is the id of a run';
  if (resume !== null && (isDryRun || agent !== null || budget !== undefined))
    return '--resume goes on as the run was begun: leave --dry-run, --agent and --budget out';
  return isDryRun && agent !== null ? '--dry-run starts no agent: leave --agent out' : null;
}

function toBudget(given: string | undefined): number | null | string {
  if (given === undefined) return null;
  const isPlain = /^(?:\d+(?:\.\d*)?|\.\d+)$/u.test(given);
  if (isPlain && Number(given) <= MAX_USD) return Number(given);
  return `--budget is an amount of USD from 0 to ${MAX_USD}, not ${JSON.stringify(given)}`;
}
