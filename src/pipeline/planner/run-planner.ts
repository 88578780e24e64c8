import { toStepKey } from '../../core/execution/step-key.ts';
import { findPlanErrors } from '../../core/execution/validate-plan.ts';
import type { JsonObject } from '../../core/json/parse-json-object.ts';
import type { ExecutionResult } from '../../core/model/plan-run.ts';
import type { AgentQuestion } from '../../core/model/session.ts';
import { MAX_SHOWN_STEPS, type ShownStep } from '../../core/model/shown-step.ts';
import type { StructuredPlan, StructuredStep } from '../../core/model/structured-plan.ts';
import { findPlanQuestion } from '../../core/planner/find-plan-question.ts';
import { judgePlanRun } from '../../core/planner/judge-plan-run.ts';
import {
  MAX_READS,
  MAX_REPAIRS,
  type ShownFile,
  toFilesTurn,
  toPlannerPrompt,
  toRepairTurn,
} from '../../core/planner/planner-prompt.ts';
import { type PlannerAnswer, readPlannerAnswer } from '../../core/planner/read-planner-answer.ts';
import type { PlannerModel, PlannerTurn, PlannerWorkspace } from '../../ports/planner.ts';

const MAX_TOLD_LENGTH = 200;

/** What a planner is told. */
export interface PlannerTask {
  /** The prompt that every agent gets. */
  readonly prompt: string;
  /** Files that the task is about: shown at once. */
  readonly targetFiles: readonly string[];
  /** The most that a plan may declare, in USD. */
  readonly budgetUsd: number;
}

export interface PlannerDeps {
  readonly model: PlannerModel;
  readonly workspace: PlannerWorkspace;
  /** The action types that are carried out. */
  readonly actionTypes: readonly string[];
  readonly schema: JsonObject;
  /** The plan, or what is wrong with its values. */
  readonly parsePlan: (
    json: JsonObject,
  ) =>
    | { readonly kind: 'plan'; readonly plan: StructuredPlan }
    | { readonly kind: 'invalid'; readonly problems: readonly string[] };
  readonly newId: () => string;
  /** Tells of the plan and how its steps ended (004.R31). */
  readonly tellSteps: (steps: readonly ShownStep[]) => void;
}

/** What comes of a planner. */
export interface PlannerEnd {
  readonly status: 'success' | 'failure' | 'blocked';
  readonly summary: string;
  /** To the items of a review. Untrusted. */
  readonly answers: readonly unknown[];
  /** What a person has to decide first. */
  readonly question?: Omit<AgentQuestion, 'answer'>;
}

type Planned =
  | { readonly kind: 'plan'; readonly plan: StructuredPlan; readonly said: PlannerAnswer & { readonly kind: 'plan' } }
  | { readonly kind: 'ended'; readonly end: PlannerEnd };

/** Asks the model for a plan, and carries it out: whole, or not at all. The tree that is left is judged as that of any agent. */
export async function runPlanner(deps: PlannerDeps, task: PlannerTask, signal: AbortSignal): Promise<PlannerEnd> {
  const planned = await askForPlan(deps, task, signal);
  if (planned.kind === 'ended') return planned.end;
  const { plan, said } = planned;
  const question = findPlanQuestion(plan.steps);
  if (question !== null) return { status: 'blocked', summary: question.text, answers: [], question };
  const budget = Math.min(plan.budget_usd, task.budgetUsd);
  const { result, undo } = await deps.workspace.execute({ ...plan, budget_usd: budget }, signal);
  deps.tellSteps(toShownSteps(plan.steps, result.results));
  const verdict = judgePlanRun(plan, result);
  if (verdict.kind === 'keep') return { status: 'success', summary: said.summary, answers: said.answers };
  const left = await undo();
  const ignored = left === null ? '' : `. Folders that git ignores were left as they are: ${left}`;
  return failed(`The plan was undone: ${verdict.why}${ignored}`);
}

/** The conversation: a few rounds of reading, and one more try after a plan that cannot run. */
async function askForPlan(deps: PlannerDeps, task: PlannerTask, signal: AbortSignal): Promise<Planned> {
  const delimiter = deps.newId();
  const turns: PlannerTurn[] = [{ from: 'user', text: await toFirstTurn(deps, task, { delimiter, signal }) }];
  let reads = 0;
  let repairs = 0;
  for (;;) {
    const asked = await deps.model.ask(turns, signal);
    if (asked.kind === 'failed') return ended(failed(`The model gave no plan: ${asked.why}`));
    const answer: PlannerAnswer =
      asked.end === 'whole'
        ? readPlannerAnswer(asked.text)
        : { kind: 'invalid', why: `it ends early (${JSON.stringify(asked.end.slice(0, 60))}): write a shorter plan` };
    if (answer.kind === 'gave_up') return ended({ status: 'blocked', summary: answer.summary, answers: [] });
    turns.push({ from: 'model', text: asked.text === '' ? '(nothing)' : asked.text });
    if (answer.kind === 'read' && reads < MAX_READS) {
      reads += 1;
      turns.push({ from: 'user', text: toFilesTurn(await showFiles(deps, answer.paths), delimiter) });
      continue;
    }
    const checked = checkAnswer(deps, answer, task);
    if (checked.kind === 'plan') return checked;
    if (repairs >= MAX_REPAIRS) return ended(failed(`PLAN_INVALID: ${checked.problems.join(' ')}`));
    repairs += 1;
    turns.push({ from: 'user', text: toRepairTurn(checked.problems) });
  }
}

async function toFirstTurn(
  deps: PlannerDeps,
  { prompt, targetFiles, budgetUsd }: PlannerTask,
  { delimiter, signal }: { readonly delimiter: string; readonly signal: AbortSignal },
): Promise<string> {
  const { workspace, schema } = deps;
  const [paths, files] = await Promise.all([workspace.list(signal), showFiles(deps, targetFiles)]);
  return toPlannerPrompt({ task: prompt, schema, budgetUsd, paths, files, delimiter });
}

async function showFiles({ workspace }: PlannerDeps, paths: readonly string[]): Promise<readonly ShownFile[]> {
  const files: ShownFile[] = [];
  for (const path of new Set(paths)) files.push({ path, text: await workspace.readText(path) });
  return files;
}

/** A plan that can run, or what is wrong with the answer. */
function checkAnswer(
  { parsePlan, actionTypes }: PlannerDeps,
  answer: PlannerAnswer,
  { budgetUsd }: PlannerTask,
): (Planned & { readonly kind: 'plan' }) | { readonly kind: 'invalid'; readonly problems: readonly string[] } {
  if (answer.kind === 'read') return invalid('no further file is shown: write the plan');
  if (answer.kind !== 'plan') return invalid(answer.kind === 'invalid' ? answer.why : answer.summary);
  const parsed = parsePlan(answer.plan);
  if (parsed.kind === 'invalid') return parsed;
  const { plan } = parsed;
  const errors = findPlanErrors(plan.steps, { supported: new Set(actionTypes) });
  if (errors.length > 0) return { kind: 'invalid', problems: errors.map(({ message }) => message) };
  if (Object.hasOwn(answer.plan, 'budget_usd') && plan.budget_usd > budgetUsd)
    return invalid(`budget_usd is ${String(plan.budget_usd)}, and at most ${String(budgetUsd)} is allowed`);
  return { kind: 'plan', plan, said: answer };
}

function invalid(why: string): { readonly kind: 'invalid'; readonly problems: readonly string[] } {
  return { kind: 'invalid', problems: [why] };
}

function failed(summary: string): PlannerEnd {
  return { status: 'failure', summary, answers: [] };
}

function ended(end: PlannerEnd): Planned {
  return { kind: 'ended', end };
}

/** What is told of a plan: without the contents of its files, and what commands printed. */
function toShownSteps(steps: readonly StructuredStep[], results: ExecutionResult['results']): readonly ShownStep[] {
  return steps.slice(0, MAX_SHOWN_STEPS).map(({ description, ...step }) => {
    const told = { ...step, params: {}, description: description.slice(0, MAX_TOLD_LENGTH).toWellFormed() };
    const result = results.get(toStepKey(step.step_id));
    if (result === undefined) return { step: told, result: null };
    const { state, cause, durationMs, costUsd } = result;
    return { step: told, result: { state, cause: cause && { ...cause, message: '' }, durationMs, costUsd } };
  });
}
