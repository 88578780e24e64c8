import { CodedError } from '../model/errors.ts';
import type { StepId, StructuredStep } from '../model/structured-plan.ts';
import { toBatches } from './plan-batches.ts';
import { quoteId, toPredecessors, toStepKey } from './step-key.ts';

/** Why a plan cannot run. */
export interface PlanError {
  readonly code: 'PLAN_INVALID';
  readonly reason: 'schema' | 'no_steps' | 'duplicate_id' | 'unknown_dependency' | 'unsupported_action' | 'cycle';
  /** The steps that it is about. Of a cycle: its steps in order, each needed by the next, and the last by the first. */
  readonly steps: readonly StepId[];
  /** One sentence. It quotes ids of the plan, which may come from a stranger. */
  readonly message: string;
}

/** Errors beyond this number are counted only. */
const MAX_ERRORS = 20;
const MAX_RING_LENGTH = 20;

type Step = Pick<StructuredStep, 'step_id' | 'action_type' | 'depends_on' | 'when'>;

/**
 * Everything that keeps a plan from running, found before anything runs. `supported`: the action types that have an adapter
 * (004.R21). A plan without errors can be put in batches.
 */
export function findPlanErrors(
  steps: readonly Step[],
  { supported }: { readonly supported: ReadonlySet<string> },
): readonly PlanError[] {
  if (steps.length === 0) return [toError('no_steps', [], 'The plan has no steps.')];
  const errors = [...findDuplicates(steps), ...findUnknown(steps), ...findUnsupported(steps, supported)];
  // Who needs whom is not clear with ids that name two steps.
  const isClear = !errors.some(({ reason }) => reason === 'duplicate_id');
  return [...errors, ...(isClear ? findRing(steps) : [])].slice(0, MAX_ERRORS);
}

function findDuplicates(steps: readonly Step[]): readonly PlanError[] {
  const byKey = Map.groupBy(steps, ({ step_id }) => toStepKey(step_id));
  return [...byKey.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return [];
    const message = `${others.length + 1} steps have the id ${quoteId(first.step_id)}.`;
    return [toError('duplicate_id', [first.step_id], message)];
  });
}

function findUnknown(steps: readonly Step[]): readonly PlanError[] {
  const known = new Set(steps.map(({ step_id }) => toStepKey(step_id)));
  return steps.flatMap((step) =>
    [...toPredecessors(step)]
      .filter((key) => !known.has(key))
      .map((key) =>
        toError(
          'unknown_dependency',
          [step.step_id],
          `Step ${quoteId(step.step_id)} needs step ${quoteId(key)}, which the plan does not have.`,
        ),
      ),
  );
}

function findUnsupported(steps: readonly Step[], supported: ReadonlySet<string>): readonly PlanError[] {
  return steps
    .filter(({ action_type }) => !supported.has(action_type))
    .map(({ step_id, action_type }) =>
      toError(
        'unsupported_action',
        [step_id],
        `UNSUPPORTED_ACTION: step ${quoteId(step_id)} has the action type ${quoteId(action_type)}; there is ${[...supported].join(', ')}.`,
      ),
    );
}

/** One ring, if there is any: each step of `rest` is in a ring or behind one, so going backwards meets a step twice. */
function findRing(steps: readonly Step[]): readonly PlanError[] {
  const { rest } = toBatches(steps);
  const byKey = new Map(rest.map((step) => [toStepKey(step.step_id), step]));
  const path = new Set<Step>();
  let step = rest[0];
  while (step !== undefined && !path.has(step)) {
    path.add(step);
    step = [...toPredecessors(step)].map((key) => byKey.get(key)).find((before) => before !== undefined);
  }
  if (step === undefined) return [];
  const walked = [...path];
  const ring = walked
    .slice(walked.indexOf(step))
    .map(({ step_id }) => step_id)
    .toReversed();
  return [toError('cycle', ring, describeRing(ring.map(quoteId)))];
}

function describeRing(ring: readonly string[]): string {
  const first = ring.slice(0, 1).join('');
  if (ring.length === 1) return `Step ${first} needs itself.`;
  const left = ring.length > MAX_RING_LENGTH ? ` → ${ring.length - MAX_RING_LENGTH} more` : '';
  return `The steps need each other in a ring: ${ring.slice(0, MAX_RING_LENGTH).join(' → ')}${left} → ${first}.`;
}

function toError(reason: PlanError['reason'], steps: readonly StepId[], message: string): PlanError {
  return { code: 'PLAN_INVALID', reason, steps, message };
}

/** A plan that cannot run was to be run. */
export class InvalidPlanError extends CodedError {
  readonly code = 'PLAN_INVALID';
  readonly errors: readonly PlanError[];

  constructor(errors: readonly PlanError[]) {
    super(errors.map(({ message }) => message).join(' '), 'never');
    this.errors = errors;
  }
}
