import { createReadStream } from 'node:fs';
import { toBatches } from '../core/execution/plan-batches.ts';
import { findPlanErrors, type PlanError } from '../core/execution/validate-plan.ts';
import { ACTION_TYPES, type StructuredStep } from '../core/model/structured-plan.ts';
import { renderPlan, toMermaid } from '../core/render/render-plan.ts';
import { InvalidInputError } from '../schemas/invalid-input.ts';
import { parseStructuredPlan } from '../schemas/structured-plan.ts';
import { type CliResult, fail, succeed, toJsonLine } from './cli-result.ts';
import { readText } from './read-text.ts';

const MAX_PLAN_BYTES = 16 * 1024 * 1024;
const ACTIONS = ['validate', 'show'] as const;
const SUPPORTED: ReadonlySet<string> = new Set(ACTION_TYPES);

type Examined =
  | { readonly kind: 'valid'; readonly batches: readonly (readonly StructuredStep[])[] }
  | { readonly kind: 'invalid'; readonly errors: readonly PlanError[] };

/**
 * Runs `ratchet plan validate FILE` and `ratchet plan show FILE [--mermaid]`; `-` reads stdin. Runs nothing of the plan. Exit code 2
 * if the plan is invalid or cannot be read.
 */
export async function runPlan(
  args: readonly string[],
  input: { readonly stdin: AsyncIterable<unknown> },
): Promise<CliResult> {
  const [written, ...rest] = args.filter((arg) => arg !== '--json');
  const action = ACTIONS.find((name) => name === written);
  if (action === undefined) return refuse(`say what to do: ${ACTIONS.join(', ')}`);
  const isDrawn = action === 'show' && rest.includes('--mermaid');
  const [path, extra] = isDrawn ? rest.filter((arg) => arg !== '--mermaid') : rest;
  if (path === undefined) return refuse(`${action}: name the file of the plan, or - for stdin`);
  const unexpected = extra ?? (path.startsWith('--') ? path : undefined);
  if (unexpected !== undefined) return refuse(`${action}: unexpected argument ${JSON.stringify(unexpected)}`);
  const text = await readPlan(path, input.stdin);
  if (typeof text !== 'string') return refuse(`${action}: ${text.problem}`);
  const examined = examine(text);
  return action === 'validate' ? answer(examined) : show(examined, isDrawn);
}

async function readPlan(path: string, stdin: AsyncIterable<unknown>): Promise<string | { readonly problem: string }> {
  try {
    const text = await readText(path === '-' ? stdin : createReadStream(path), MAX_PLAN_BYTES);
    return text ?? { problem: `${path} is longer than ${MAX_PLAN_BYTES} bytes` };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : `${path} cannot be read` };
  }
}

function examine(text: string): Examined {
  try {
    const { steps } = parseStructuredPlan(JSON.parse(text.replace(/^\uFEFF/u, '')));
    const errors = findPlanErrors(steps, { supported: SUPPORTED });
    return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'valid', batches: toBatches(steps).batches };
  } catch (error) {
    if (error instanceof InvalidInputError) return toInvalid(error.problems);
    if (error instanceof SyntaxError) return toInvalid([`the plan is not JSON: ${error.message.slice(0, 200)}`]);
    throw error;
  }
}

function toInvalid(problems: readonly string[]): Examined {
  const errors = problems.map((message) => ({ code: 'PLAN_INVALID', reason: 'schema', steps: [], message }) as const);
  return { kind: 'invalid', errors };
}

function answer(examined: Examined): CliResult {
  const isValid = examined.kind === 'valid';
  const batches = isValid ? examined.batches.map((batch) => batch.map(({ step_id }) => step_id)) : [];
  const stdout = toJsonLine({ valid: isValid, errors: isValid ? [] : examined.errors, batches });
  return { exitCode: isValid ? 0 : 2, stdout, stderr: '' };
}

function show(examined: Examined, isDrawn: boolean): CliResult {
  if (examined.kind === 'invalid')
    return refuse(examined.errors.map(({ message }) => message).join('\nratchet: plan: '));
  return succeed(isDrawn ? toMermaid(examined.batches.flat()) : renderPlan(examined.batches));
}

function refuse(problem: string): CliResult {
  return fail(2, `ratchet: plan: ${problem}\n`);
}
