import { parseFlags } from './parse-flags.ts';

/** Parsed arguments of `ratchet plan run`. Paths as typed. */
export interface PlanRunArgs {
  /** null: the plan of the run that is resumed. */
  readonly file: string | null;
  /** null: the folder of the run that is resumed. */
  readonly dir: string | null;
  readonly isYes: boolean;
  /** The most that the run may cost; null: the default. */
  readonly budgetUsd: number | null;
  readonly isJson: boolean;
  readonly resume: string | null;
  readonly isSandboxed: boolean;
}

/** Parsed arguments of `ratchet plan undo`. */
export interface PlanUndoArgs {
  readonly runId: string;
  readonly isJson: boolean;
  readonly isSandboxed: boolean;
}

const RUN_OPTIONS = {
  dir: { type: 'string' },
  yes: { type: 'boolean', default: false },
  budget: { type: 'string' },
  json: { type: 'boolean', default: false },
  resume: { type: 'string' },
  unsandboxed: { type: 'boolean', default: false },
} as const;
const UNDO_OPTIONS = {
  json: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  unsandboxed: { type: 'boolean', default: false },
} as const;

const MAX_USD = 10_000;
/** Ids are letters and digits; in a path they must name one folder. */
const RUN_ID = /^[\da-zA-Z]{1,100}$/u;

/** The arguments, or one line that says what is wrong with them. */
export function parsePlanRunArgs(argv: readonly string[]): PlanRunArgs | string {
  const parsed = parseFlags(argv, RUN_OPTIONS);
  if (typeof parsed === 'string') return parsed;
  const { values, positionals } = parsed;
  const [file = null, extra] = positionals;
  if (extra !== undefined) return `unexpected argument ${JSON.stringify(extra)}`;
  const { dir = null, resume = null } = values;
  const missing = findMissing({ file, dir, resume });
  if (missing !== null) return missing;
  if (resume !== null && values.budget !== undefined)
    return 'a run keeps the budget that it began with: leave --budget out';
  const budgetUsd = toBudget(values.budget);
  if (typeof budgetUsd === 'string') return budgetUsd;
  return {
    ...{ file, dir, resume, budgetUsd, isJson: values.json, isSandboxed: !values.unsandboxed },
    isYes: values.yes || values.json,
  };
}

function findMissing({ file, dir, resume }: Pick<PlanRunArgs, 'file' | 'dir' | 'resume'>): string | null {
  if (resume !== null && !RUN_ID.test(resume)) return toUnknownRun(resume);
  if (resume === null && file === null) return 'name the file of the plan, or - for stdin';
  if (resume === null && dir === null) return 'name the folder to work on, with --dir DIR';
  return dir === '' || file === '' ? 'a path is empty' : null;
}

/** The arguments, or one line that says what is wrong with them. `--yes` changes nothing: who ran the plan has seen its undo. */
export function parsePlanUndoArgs(argv: readonly string[]): PlanUndoArgs | string {
  const parsed = parseFlags(argv, UNDO_OPTIONS);
  if (typeof parsed === 'string') return parsed;
  const { values, positionals } = parsed;
  const [runId, extra] = positionals;
  if (runId === undefined) return 'name the run, as `ratchet plan run` printed it';
  if (extra !== undefined) return `unexpected argument ${JSON.stringify(extra)}`;
  if (!RUN_ID.test(runId)) return toUnknownRun(runId);
  return { runId, isJson: values.json, isSandboxed: !values.unsandboxed };
}

export function toUnknownRun(runId: string): string {
  return `there is no run ${JSON.stringify(runId)}; it is the id that \`ratchet plan run\` printed, and old runs are removed`;
}

function toBudget(given: string | undefined): number | null | string {
  if (given === undefined) return null;
  const isPlain = /^(?:\d+(?:\.\d*)?|\.\d+)$/u.test(given);
  if (isPlain && Number(given) <= MAX_USD) return Number(given);
  return `--budget is an amount of USD from 0 to ${MAX_USD}, not ${JSON.stringify(given)}`;
}
