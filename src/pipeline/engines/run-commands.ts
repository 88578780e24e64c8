import { toParents } from '../../core/engines/canonical-scope.ts';
import { selectExitCodes } from '../../core/engines/exit-codes.ts';
import { mergeChunks, type RawRun } from '../../core/engines/merge-chunks.ts';
import { settleExit } from '../../core/engines/settle-exit.ts';
import { splitPlan } from '../../core/engines/split-plan.ts';
import { toStderrExcerpt } from '../../core/engines/stderr-excerpt.ts';
import { sha256 } from '../../core/hash/sha256.ts';
import type { ArgsInput, EnginePlan, EngineSpec, ParseInput, Payload, RawExit } from '../../core/model/engine.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { EngineSettings } from '../../core/model/policy.ts';
import { ROOT_PROJECT } from '../../core/model/project.ts';
import type { EngineHost, InvocationResult } from '../../ports/engine-host.ts';
import type { Tool } from './find-tool.ts';

export interface PlanToRun {
  readonly host: EngineHost;
  readonly spec: EngineSpec;
  readonly settings: EngineSettings;
  readonly plan: EnginePlan;
  readonly tool: Tool;
  /** Texts of configuration files by path. */
  readonly texts: NonNullable<ArgsInput['texts']>;
  /** Time limit for all commands together. */
  readonly timeoutMs: number;
}

/** A tool that prints more is killed. */
const MAX_OUTPUT_BYTES = 50 * 1024 * 1024;
/** Linux allows 128 KiB in one argument and more in total. The environment of the tool must fit too. */
const MAX_ARGV_BYTES = 100 * 1024;
/** The part of stderr that parsers get. */
const MAX_PARSED_STDERR = 64 * 1024;
const TIMED_OUT: RawExit = { kind: 'timed_out', exitCode: null, signal: null, durationMs: 0 };

/**
 * Runs the commands of a plan one after another. If the targets do not fit on one command line, it repeats the commands for each part.
 * The time limit covers everything. A command that does not exit by itself ends the run. Only the plan decides what is run (000.R9).
 */
export async function runCommands(run: PlanToRun, signal: AbortSignal): Promise<RawRun> {
  const { host, plan, spec, settings, tool } = run;
  try {
    return mergeChunks(await runParts(run, signal), { spec, settings, version: tool.version });
  } finally {
    await host.release(toRunName(plan));
  }
}

async function runParts(run: PlanToRun, signal: AbortSignal): Promise<readonly [RawRun, ...RawRun[]]> {
  const wholes = run.spec.toParts?.(toArgsInput(run, run.plan)) ?? [run.plan];
  const [first = run.plan, ...others] = wholes.flatMap((whole) =>
    splitPlan(whole, (part) => fits(toCommands(run, part))),
  );
  let last = await runPart(run, { part: first, timeoutMs: run.timeoutMs }, signal);
  let left = run.timeoutMs - last.exit.durationMs;
  const raws: [RawRun, ...RawRun[]] = [last];
  for (const part of others) {
    if (!hasExited(run, last.exit)) break;
    last = await runPart(run, { part, timeoutMs: left }, signal);
    left -= last.exit.durationMs;
    raws.push(last);
  }
  return raws;
}

function toRestores({ spec, plan: { cwd } }: PlanToRun): readonly string[] {
  const folders = [cwd, ...toParents(cwd)];
  return (spec.writes ?? []).flatMap((name) => folders.map((folder) => (folder === '.' ? name : `${folder}/${name}`)));
}

/** A listed exit code counts as such, even if it looks like a signal's. */
function hasExited({ spec, settings, tool }: PlanToRun, exit: RawExit): boolean {
  return settleExit(exit, selectExitCodes(spec, tool.version, settings)).kind === 'exited';
}

function toCommands(run: PlanToRun, part: EnginePlan): readonly (readonly string[])[] {
  return run.spec.toCommands(toArgsInput(run, part)).map((args) => [...run.tool.start, ...args]);
}

function toArgsInput({ host, plan, tool, texts }: PlanToRun, part: EnginePlan): ArgsInput {
  const { root, files } = host;
  const { version, companions, python } = tool;
  return { plan: part, artifacts: host.artifacts(toRunName(plan)), root, version, files, texts, companions, python };
}

/** Engine, mode and project: unique on the host. The path of a project may be no name of a folder. */
function toRunName({ engine, mode, project }: EnginePlan): string {
  const name = `${engine}-${mode}`;
  return project === ROOT_PROJECT ? name : `${name}-${sha256(project).slice(0, 16)}`;
}

function fits(commands: readonly (readonly string[])[]): boolean {
  return commands.every((argv) => argv.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0) <= MAX_ARGV_BYTES);
}

async function runPart(
  run: PlanToRun,
  { part, timeoutMs }: { readonly part: EnginePlan; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<RawRun> {
  const { host, plan, spec } = run;
  const commands = toCommands(run, part);
  const files = spec.toFiles?.(toArgsInput(run, part)) ?? {};
  const earlier: (number | null)[] = [];
  let left = timeoutMs;
  for (const [index, argv] of commands.entries()) {
    if (left <= 0) return { argv, exit: TIMED_OUT, payload: { kind: 'missing' }, stderr: '' };
    const isLast = index === commands.length - 1;
    const result = await host.run(
      {
        name: toRunName(plan),
        argv,
        env: plan.env,
        cwd: plan.cwd,
        timeoutMs: left,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        restores: toRestores(run),
        reports: isLast ? (spec.output.reports ?? []) : [],
        keepsArtifacts: index > 0,
        ...(Object.keys(files).length === 0 ? {} : { files }),
      },
      signal,
    );
    if (isLast) return toRaw(run, { argv, result, earlier });
    if (!hasExited(run, result.exit)) {
      return { argv, exit: result.exit, payload: { kind: 'missing' }, stderr: toStderrExcerpt(result.stderr) };
    }
    earlier.push(result.exit.exitCode);
    left -= result.exit.durationMs;
  }
  throw new InvariantError(`engine "${spec.id}" has no command`);
}

function toRaw(
  run: PlanToRun,
  {
    argv,
    result,
    earlier,
  }: {
    readonly argv: readonly string[];
    readonly result: InvocationResult;
    readonly earlier: readonly (number | null)[];
  },
): RawRun {
  const { host, spec, plan, tool } = run;
  const { exit, stderr, reports } = result;
  const { from, reports: names = [] } = spec.output;
  const payload = parse(spec, {
    text: from === 'file' ? (reports[names[0] ?? ''] ?? null) : result[from],
    reports,
    stderr: stderr.slice(-MAX_PARSED_STDERR),
    root: host.root,
    cwd: plan.cwd,
    exitCode: exit.exitCode,
    earlierExitCodes: earlier,
    version: tool.version,
  });
  return { argv, exit, payload, stderr: toStderrExcerpt(stderr) };
}

/** Parsers should never throw. If one does, the output counts as invalid. */
function parse({ parse: parser }: EngineSpec, input: ParseInput): Payload {
  try {
    return parser(input);
  } catch (error) {
    return { kind: 'invalid', why: `the parser failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}
