import { parse } from 'yaml';
import { isObject, type Json, type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../json.ts';
import { type Trigger, toTrigger } from './trigger.ts';

/** A step: a command to run, or an action, which the world does not run. */
export type WorkflowStep = {
  readonly name: string;
  readonly run: string | null;
  readonly uses: string | null;
  readonly workingDirectory: string;
  readonly condition: string;
  readonly isErrorIgnored: boolean;
  readonly env: Readonly<Record<string, string>>;
};

export type WorkflowJobPlan = {
  /** The job's check run name, e.g. `test` or `test (20)`. */
  readonly name: string;
  /** Its name before the matrix is expanded, e.g. `test (${{ matrix.node }})`. */
  readonly unexpandedName: string;
  readonly key: string;
  /** The environment that it deploys to. */
  readonly environment: string | null;
  readonly needs: readonly string[];
  readonly steps: readonly WorkflowStep[];
};

/** The parts of a workflow file that the world runs. */
export type Workflow = {
  readonly path: string;
  readonly name: string;
  readonly push: Trigger | null;
  readonly pullRequest: Trigger | null;
  /** A newer run of the group cancels a pending one, and with `cancels` a running one too. */
  readonly concurrency: { readonly group: string; readonly cancels: boolean } | null;
  readonly jobs: readonly WorkflowJobPlan[];
};

/**
 * Parses a workflow file; null if it is not valid YAML or has no jobs. Supported: `on` push and pull_request with
 * branch, path and type filters, `concurrency`, jobs, `needs`, `environment`, `matrix` without include and exclude,
 * `env`, `working-directory`, `continue-on-error`, `if: always() / failure()`.
 */
export function parseWorkflow(path: string, text: string): Workflow | null {
  const document = parseYaml(text);
  if (document === null) return null;
  const jobs = Object.entries(objectAt(document, 'jobs')).flatMap(([key, job]) => {
    return isObject(job) ? toJobs(key, job, toEnv(document)) : [];
  });
  if (jobs.length === 0) return null;
  return {
    path,
    name: stringAt(document, 'name') ?? path,
    push: toTrigger(document['on'] ?? null, 'push'),
    pullRequest: toTrigger(document['on'] ?? null, 'pull_request'),
    concurrency: toConcurrency(document),
    jobs,
  };
}

function toConcurrency(document: JsonObject): Workflow['concurrency'] {
  const plain = stringAt(document, 'concurrency');
  if (plain !== null) return { group: plain, cancels: false };
  const concurrency = objectAt(document, 'concurrency');
  const group = stringAt(concurrency, 'group');
  return group === null ? null : { group, cancels: concurrency['cancel-in-progress'] === true };
}

function parseYaml(text: string): JsonObject | null {
  try {
    const value: unknown = parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function toEnv(value: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(objectAt(value, 'env')).map(([key, text]) => [key, toText(text)]));
}

function toText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/** The combinations of a matrix. Without a matrix, one empty combination. */
function toCombinations(job: JsonObject): readonly Readonly<Record<string, string>>[] {
  const matrix = objectAt(objectAt(job, 'strategy'), 'matrix');
  let combinations: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [key, values] of Object.entries(matrix)) {
    if (!Array.isArray(values) || key === 'include' || key === 'exclude') continue;
    const list: readonly Json[] = values;
    combinations = combinations.flatMap((known) => list.map((value) => ({ ...known, [key]: toText(value) })));
  }
  return combinations;
}

function substitute(text: string, combination: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{\s*matrix\.([\w-]+)\s*\}\}/gu, (_match, key: string) => combination[key] ?? '');
}

function toJobs(key: string, job: JsonObject, env: Readonly<Record<string, string>>): readonly WorkflowJobPlan[] {
  const needs = typeof job['needs'] === 'string' ? [job['needs']] : stringsAt(job, 'needs');
  return toCombinations(job).map((combination) => {
    const base = stringAt(job, 'name');
    const values = Object.values(combination);
    const plain = base ?? (values.length === 0 ? key : `${key} (${values.join(', ')})`);
    const steps = objectsAt(job, 'steps').map((step) => toStep(step, { ...env, ...toEnv(job) }, combination));
    const environment = stringAt(job, 'environment') ?? stringAt(objectAt(job, 'environment'), 'name');
    const unexpandedName = base ?? toUnexpandedName(key, Object.keys(combination));
    return { name: substitute(plain, combination), unexpandedName, key, environment, needs, steps };
  });
}

function toUnexpandedName(key: string, names: readonly string[]): string {
  return names.length === 0 ? key : `${key} (${names.map((name) => `\${{ matrix.${name} }}`).join(', ')})`;
}

function toStep(
  step: JsonObject,
  env: Readonly<Record<string, string>>,
  combination: Readonly<Record<string, string>>,
): WorkflowStep {
  const run = stringAt(step, 'run');
  const uses = stringAt(step, 'uses');
  const name = stringAt(step, 'name') ?? `Run ${(uses ?? run ?? '').split('\n')[0] ?? ''}`;
  return {
    name: substitute(name, combination),
    run: run === null ? null : substitute(run, combination),
    uses,
    workingDirectory: stringAt(step, 'working-directory') ?? '.',
    condition: stringAt(step, 'if') ?? 'success()',
    isErrorIgnored: step['continue-on-error'] === true,
    env: { ...env, ...toEnv(step) },
  };
}
