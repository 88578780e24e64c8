import { createReadStream } from 'node:fs';
import { toBatches } from '../core/execution/plan-batches.ts';
import { findPlanErrors, type PlanError } from '../core/execution/validate-plan.ts';
import { ACTION_TYPES, type StructuredPlan, type StructuredStep } from '../core/model/structured-plan.ts';
import { toFileFault } from '../core/text/file-fault.ts';
import { InvalidInputError } from '../schemas/invalid-input.ts';
import { parseStructuredPlan } from '../schemas/structured-plan.ts';
import { toJsonLine } from './cli-result.ts';
import { readText } from './read-text.ts';

const MAX_PLAN_BYTES = 16 * 1024 * 1024;
const SUPPORTED: ReadonlySet<string> = new Set(ACTION_TYPES);
/** Those that `plan run --unsandboxed` carries out: a page in a browser could reach the network. */
export const WITHOUT_SANDBOX: ReadonlySet<string> = new Set(ACTION_TYPES.filter((type) => type !== 'browser_act'));

/** A plan from a file, examined before anything of it runs. */
export type Examined =
  | { readonly kind: 'valid'; readonly plan: StructuredPlan; readonly batches: readonly (readonly StructuredStep[])[] }
  | { readonly kind: 'invalid'; readonly errors: readonly PlanError[] };

/** The text of a plan; `-` is stdin. */
export async function readPlan(
  path: string,
  stdin: AsyncIterable<unknown>,
): Promise<string | { readonly problem: string }> {
  try {
    const text = await readText(path === '-' ? stdin : createReadStream(path), MAX_PLAN_BYTES);
    return text ?? { problem: `${path} is longer than ${MAX_PLAN_BYTES} bytes` };
  } catch (error) {
    return { problem: toFileFault(error, path) };
  }
}

/** Whether a text is a plan, and in which order it would run. */
export function examinePlan(text: string, supported = SUPPORTED): Examined {
  try {
    const plan = parseStructuredPlan(JSON.parse(text.replace(/^\uFEFF/u, '')));
    const { steps } = plan;
    const errors = findPlanErrors(steps, { supported });
    return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'valid', plan, batches: toBatches(steps).batches };
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

/** What `plan validate` prints. */
export function toExaminedJson(examined: Examined): string {
  const isValid = examined.kind === 'valid';
  const batches = isValid ? examined.batches.map((batch) => batch.map(({ step_id }) => step_id)) : [];
  return toJsonLine({ valid: isValid, errors: isValid ? [] : examined.errors, batches });
}

/** The errors of a plan as the rest of a line on stderr. */
export function toErrorText(errors: readonly PlanError[]): string {
  return errors.map(({ message }) => message).join('\nratchet: plan: ');
}
