import {
  type EndedRun,
  type OpenedRun,
  openRunGround,
  RunEnvironmentError,
  type RunGroundInput,
  type RunState,
} from '../compose/compose-run.ts';
import { parseLocalEnvironment } from '../config/local-environment.ts';
import { readAgents } from '../config/read-agents.ts';
import { CodedError, ConfigError, InvariantError, toError } from '../core/model/errors.ts';
import type { TaskRunSummary } from '../core/model/task-record.ts';
import { isRunClean, renderTaskRun, toTaskRunJson } from '../core/render/render-task-run.ts';
import { quoteWord } from '../core/tasks/command-line.ts';
import { stripInvisible, toInertName } from '../core/text/escape.ts';
import { type CliResult, fail, toJsonLine } from './cli-result.ts';
import { findAssets } from './find-assets.ts';
import { parseRunArgs, type RunArgs } from './run-args.ts';
import { toProgressLine } from './run-progress.ts';

/** Process input of `run`. */
export interface RunInput extends Pick<RunGroundInput, 'variables' | 'folder' | 'isRoot' | 'nodePath'> {
  /** Writes to stderr while the run works. */
  readonly tell: (text: string) => void;
  readonly stop: AbortSignal;
}

const MAX_PATHS = 10;
const MAX_PATH = 200;
const MAX_RUNS = 3;
const BRANCH_MS = 120_000;

/** Runs `ratchet run`. Exit code 0: nothing is left; 1: something is, or it was stopped; 2: wrong usage; 3: the environment failed. */
export async function runRun(argv: readonly string[], input: RunInput): Promise<CliResult> {
  const args = parseRunArgs(argv);
  if (typeof args === 'string') return fail(2, `ratchet: run: ${args}\n`);
  let ground: Awaited<ReturnType<typeof openRunGround>> | null = null;
  try {
    const environment = parseLocalEnvironment(input.variables);
    const agents = environment.agents === null ? [] : await readAgents({ ...environment, agents: environment.agents });
    ground = await openRunGround({ ...input, assets: findAssets(), environment, agents });
    const run = await ground.open(args, input.stop);
    return run.kind === 'ended' ? tellAgain(run, args) : await carryOut(run, args, input);
  } catch (error) {
    if (input.stop.aborted) return fail(1, 'ratchet: run: stopped\n');
    if (error instanceof ConfigError)
      return fail(2, error.problems.map((problem) => `ratchet: run: ${clean(problem)}\n`).join(''));
    return fail(3, `ratchet: run: ${describe(error)}\n`);
  } finally {
    await ground?.close();
  }
}

/** Only what nobody foresaw has a stack. */
function describe(error: unknown): string {
  const isKnown = error instanceof RunEnvironmentError || error instanceof CodedError;
  const { message, stack = message } = toError(error);
  return clean(isKnown ? message : stack);
}

function clean(text: string): string {
  return stripInvisible(text);
}

async function carryOut(run: OpenedRun, args: RunArgs, { tell, stop }: RunInput): Promise<CliResult> {
  const say = (line: string): void => {
    tell(`${line}\n`);
  };
  const { runId, source } = run;
  say(`run ${runId} on ${clean(source.root)} at ${run.commit}`);
  for (const line of toLeftOut(source.uncommitted)) say(line);
  for (const id of run.unfinished.slice(-MAX_RUNS)) say(`run ${id} did not end: ${toResume(args, id)} goes on with it`);
  const watch: Parameters<OpenedRun['work']>[0]['watch'] = (change) => {
    const line = toProgressLine(change);
    if (line !== null) say(line);
  };
  try {
    return await finish(run, args, await run.work({ watch, isDryRun: args.isDryRun }, stop));
  } catch (error) {
    // Only what was stored before counts; who resumes the run takes it up from there.
    const how = args.isDryRun ? '' : `go on with: ${toResume(args, runId)}\n`;
    if (!stop.aborted) return fail(3, `ratchet: run: ${describe(error)}\nnothing that was done is lost; ${how}`);
    const report = toReport(run, args);
    return { exitCode: 1, stdout: report, stderr: `stopped; nothing was added to the repository\n${how}` };
  }
}

/** What a person types to go on with a run. */
function toResume({ repo }: RunArgs, runId: string): string {
  return `ratchet run --repo ${quoteWord(repo)} --resume ${runId}`;
}

function toReport(run: OpenedRun | EndedRun, { isJson }: RunArgs): string {
  const summary = readSummary(run);
  const { artifacts, source } = run;
  return isJson
    ? toJsonLine(toTaskRunJson(summary))
    : renderTaskRun(summary, { artifacts, uncommitted: source.uncommitted });
}

/** The process that ended the run may have died before it could say so. */
function tellAgain(run: EndedRun, args: RunArgs): CliResult {
  return { exitCode: isRunClean(readSummary(run)) ? 0 : 1, stdout: toReport(run, args), stderr: '' };
}

/** The run is over whether or not somebody stops it now: the branch, the end, the report. */
async function finish(run: OpenedRun, args: RunArgs, state: RunState): Promise<CliResult> {
  const before = readSummary(run);
  const isIdle = state.last?.collected.runs.length === 0 && state.head === run.commit;
  if (isIdle) return endIdle(run, before);
  const branch = args.isDryRun ? null : await run.addBranch(state, AbortSignal.timeout(BRANCH_MS));
  const isClean = isRunClean(before);
  const left = isClean ? 'nothing is left' : 'something is left';
  const reason = args.isDryRun ? 'only planned' : (state.stopped ?? left);
  await run.end({ status: isClean ? 'succeeded' : 'failed', branch, reason });
  return {
    exitCode: isClean ? 0 : 1,
    stdout: toReport(run, args),
    stderr: branch === null ? '' : `look at it with: git diff HEAD ${branch}\n`,
  };
}

/** Nothing was looked at, so nothing is known. */
async function endIdle(run: OpenedRun, before: TaskRunSummary): Promise<CliResult> {
  await run.end({ status: 'failed', branch: null, reason: 'no check could be run' });
  const why = before.collections.at(-1)?.incomplete ?? [];
  const lines = why.map((one) => `\n  ${toInertName(one, MAX_PATH)}`);
  return fail(3, `ratchet: run: no check could be run${lines.join('')}\n`);
}

function readSummary({ store, runId }: Pick<OpenedRun, 'store' | 'runId'>): TaskRunSummary {
  const summary = store.taskRunSummary(runId);
  if (summary === null) throw new InvariantError('a run that is held is gone');
  return summary;
}

function toLeftOut(uncommitted: readonly string[] | null): readonly string[] {
  if (uncommitted === null) return ['it starts from HEAD; changes that are not committed could not be listed'];
  if (uncommitted.length === 0) return [];
  const shown = uncommitted.slice(0, MAX_PATHS).map((path) => toInertName(path, MAX_PATH));
  const rest = uncommitted.length - shown.length;
  return [
    `it starts from HEAD, and leaves out what is not committed: ${shown.join(', ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`,
  ];
}
