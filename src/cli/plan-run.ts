import { openPlanGround, type PlanGround, type PlanGroundInput } from '../compose/compose-plan.ts';
import { CodedError, ConfigError, toError } from '../core/model/errors.ts';
import { DEFAULT_BUDGET_USD, type StructuredPlan } from '../core/model/structured-plan.ts';
import { toMermaid } from '../core/render/render-plan.ts';
import { renderPlanActions } from '../core/render/render-plan-actions.ts';
import { renderPlanRun, toPlanRunJson } from '../core/render/render-plan-run.ts';
import { stripInvisible } from '../core/text/escape.ts';
import type { AskPerson } from '../ports/ask-person.ts';
import { createTerminalAsk, type ReadLine } from './ask-terminal.ts';
import { type CliResult, fail, toJsonLine } from './cli-result.ts';
import { findAssets } from './find-assets.ts';
import { examinePlan, readPlan, toErrorText, toExaminedJson, WITHOUT_SANDBOX } from './plan-file.ts';
import { createPlanProgress } from './plan-progress.ts';
import { type PlanRunArgs, parsePlanRunArgs } from './plan-run-args.ts';

/** Process input of `plan run` and `plan undo`. */
export interface PlanRunInput extends Pick<PlanGroundInput, 'variables' | 'isRoot' | 'nodePath' | 'folder'> {
  readonly stdin: AsyncIterable<unknown>;
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean;
  /** null: there is no terminal to ask a person at. */
  readonly readLine: ReadLine | null;
  /** Writes to stderr while steps run. */
  readonly tell: (text: string) => void;
  readonly stop: AbortSignal;
}

const NOBODY: AskPerson = async () => ({
  kind: 'refused',
  why: 'nobody can be asked: there is no terminal, or --json was given',
});
const MAX_SHOWN_PATHS = 50;

/**
 * Runs `ratchet plan run`. Exit code 0: every step completed, and the folder has the changes; 1: not every step, or a file was changed
 * meanwhile; 2: an invalid plan or wrong usage; 3: the environment failed.
 */
export async function runPlanRun(argv: readonly string[], input: PlanRunInput): Promise<CliResult> {
  const args = parsePlanRunArgs(argv);
  if (typeof args === 'string') return refuse(args);
  let plan: StructuredPlan | null = null;
  if (args.file !== null) {
    const text = await readPlan(args.file, input.stdin);
    if (typeof text !== 'string') return refuse(text.problem);
    const examined = examinePlan(text, args.isSandboxed ? undefined : WITHOUT_SANDBOX);
    if (examined.kind === 'invalid') {
      const stderr = `ratchet: plan: ${toErrorText(examined.errors)}\n`;
      return { exitCode: 2, stdout: args.isJson ? toExaminedJson(examined) : '', stderr };
    }
    plan = examined.plan;
  }
  return withGround(input, { ...args, ask: toAsk(args, input) }, (ground) => begin(ground, { args, input, plan }));
}

function toAsk({ isJson }: PlanRunArgs, { readLine }: PlanRunInput): AskPerson {
  return isJson || readLine === null ? NOBODY : createTerminalAsk(readLine);
}

/** Opens what runs need, and turns what goes wrong into an exit code. */
export async function withGround(
  input: PlanRunInput,
  { isSandboxed, ask }: Pick<PlanGroundInput, 'isSandboxed' | 'ask'>,
  work: (ground: PlanGround) => Promise<CliResult>,
): Promise<CliResult> {
  let ground: PlanGround | null = null;
  try {
    const { migrationsDir, browserProgram } = findAssets();
    ground = await openPlanGround({ ...input, isSandboxed, ask, migrationsDir, browserProgram });
    return await work(ground);
  } catch (error) {
    if (error instanceof ConfigError) return refuse(error.problems.join('\nratchet: plan: '));
    const advice = error instanceof CodedError ? '' : ' (nothing more is known)';
    return fail(3, `ratchet: plan: ${stripInvisible(toError(error).message)}${advice}\n`);
  } finally {
    await ground?.close();
  }
}

interface Begin {
  readonly args: PlanRunArgs;
  readonly input: PlanRunInput;
  readonly plan: StructuredPlan | null;
}

async function begin(ground: PlanGround, { args, input, plan }: Begin): Promise<CliResult> {
  if (args.resume !== null) return resume(ground, args.resume, { args, input, plan });
  if (plan === null || args.dir === null) return refuse('name the plan and the folder');
  const limited = limitBudget(plan, args.budgetUsd);
  const folder = await ground.findFolder(args.dir);
  if (!args.isJson) input.tell(`${renderPlanActions(limited, limited.budget_usd)}in ${folder}${toWarning(args)}\n`);
  if (limited.budget_usd < plan.budget_usd) {
    input.tell(
      `ratchet: plan: its budget of ${plan.budget_usd} USD is cut to ${limited.budget_usd} USD; --budget allows more\n`,
    );
  }
  const consent = await askConsent(args, input);
  if (consent !== null) return consent;
  const unavailable = await ground.findTrouble(input.stop);
  if (unavailable !== null) return fail(3, `ratchet: plan: ${unavailable}\n`);
  return carryOut(ground, await ground.begin(limited, folder), { args, input });
}

/** A file never allows itself more than the person does. */
function limitBudget(plan: StructuredPlan, budgetUsd: number | null): StructuredPlan {
  return { ...plan, budget_usd: Math.min(plan.budget_usd, budgetUsd ?? DEFAULT_BUDGET_USD) };
}

function toWarning({ isSandboxed }: PlanRunArgs): string {
  return isSandboxed ? '' : '\nNOT in a sandbox: its commands run as you, and can read and change all that you can';
}

/** null: the plan may run. */
async function askConsent({ isYes }: PlanRunArgs, { readLine, stop }: PlanRunInput): Promise<CliResult | null> {
  if (isYes) return null;
  if (readLine === null) return refuse('nobody can be asked whether to run this plan: there is no terminal; say --yes');
  const answer = await readLine('Run this plan? Type yes: ', stop).catch(() => null);
  return answer?.trim().toLowerCase() === 'yes' ? null : fail(1, 'ratchet: plan: nothing was run\n');
}

async function resume(ground: PlanGround, runId: string, { args, input, plan }: Begin): Promise<CliResult> {
  const trouble = await ground.findTrouble(input.stop);
  if (trouble !== null) return fail(3, `ratchet: plan: ${trouble}\n`);
  const found = await ground.resume(runId, { plan, dir: args.dir });
  return typeof found === 'string' ? refuse(found) : carryOut(ground, found, { args, input });
}

async function carryOut(
  ground: PlanGround,
  run: Awaited<ReturnType<PlanGround['begin']>>,
  { args, input }: Pick<Begin, 'args' | 'input'>,
): Promise<CliResult> {
  const { runId, plan } = run;
  const progress = createPlanProgress({ ...input, steps: plan.steps.length });
  progress.say(`run ${runId}`);
  const end = await ground.run(run, progress.onChange, input.stop);
  progress.clear();
  const { result } = end;
  const stderr: string[] = [];
  let isWhole = result.stats.completed === plan.steps.length;
  if (end.kind === 'stopped') {
    isWhole = false;
    stderr.push(
      `stopped; nothing was written to ${run.folder}. Go on with: ratchet plan run --resume ${runId}${run.isSandboxed ? '' : ' --unsandboxed'}`,
    );
  } else {
    const { written, conflicts } = end.back;
    stderr.push(...end.notes.remarks, ...toPathLines('changed', written));
    if (conflicts.length > 0) {
      isWhole = false;
      stderr.push(
        ...toPathLines('changed by somebody else meanwhile, so nothing was written over it', conflicts),
        `the result of the run is in ${run.copy}; make room and write it with: ratchet plan run --resume ${runId}`,
      );
    } else if (written.length > 0) stderr.push(`undo it with: ratchet plan undo ${runId}`);
  }
  const stdout = args.isJson
    ? toJsonLine(toPlanRunJson(runId, result))
    : `${renderPlanRun(plan.steps, result)}\n${toMermaid(plan.steps, result.results)}`;
  return { exitCode: isWhole ? 0 : 1, stdout, stderr: stderr.map((line) => `${line}\n`).join('') };
}

/** Names of files may come from a stranger. */
export function toPathLines(what: string, paths: readonly string[]): readonly string[] {
  const shown = paths
    .slice(0, MAX_SHOWN_PATHS)
    .map((path) => `${what}: ${stripInvisible(path).replaceAll(/\s/gu, ' ')}`);
  const rest = paths.length - shown.length;
  return rest > 0 ? [...shown, `and ${rest} more paths`] : shown;
}

function refuse(problem: string): CliResult {
  return fail(2, `ratchet: plan: ${problem}\n`);
}
