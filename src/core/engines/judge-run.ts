import type { EngineError, EnginePlan, EngineRun, EngineSpec, ExitCodes, Payload, RawExit } from '../model/engine.ts';
import type { ParsedFinding } from '../model/finding.ts';
import type { EngineSettings } from '../model/policy.ts';
import { isLossy } from '../text/is-lossy.ts';
import { CLASSIFIER_VERSION, classifyExit, type ExitVerdict } from './classify-exit.ts';
import { selectExitCodes } from './exit-codes.ts';
import { type EngineFailure, findFailure } from './find-failure.ts';
import { settleExit } from './settle-exit.ts';
import { toStderrExcerpt } from './stderr-excerpt.ts';

/** What one run left, as stored. Judging it again gives the same result, or the result of newer rules (003.R24). */
export interface JudgeInput {
  readonly spec: EngineSpec;
  readonly plan: Pick<EnginePlan, 'engine' | 'project' | 'mode'> & Partial<Pick<EnginePlan, 'targets'>>;
  readonly settings: Pick<EngineSettings, 'exitCodes' | 'ignoreExit'>;
  readonly version: string | null;
  /** As executed; of the last command if there are several. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly exit: RawExit;
  readonly payload: Payload;
  readonly stderr: string;
  /** Whether the dependencies of the code were installed. */
  readonly dependencies: 'ready' | 'missing';
}

/** The verdict on a run: how it ended, what it wrote, and whether the two agree (resolution C1). */
export interface JudgedRun
  extends Pick<
    EngineRun,
    | 'category'
    | 'returnCode'
    | 'classifierVersion'
    | 'complete'
    | 'incompleteWhy'
    | 'unparsed'
    | 'notes'
    | 'tests'
    | 'coverage'
    | 'exit'
  > {
  readonly findings: readonly ParsedFinding[];
  /** null if the answer can be used. Findings next to an error are shown but prove nothing. */
  readonly error: EngineError | null;
}

const DEPENDENCIES_MISSING = 'dependencies are not there';
const NO_TEST_RAN = 'it ran no test';
const NAMELESS = 'it was given a file whose name is no UTF-8, which nothing can be found under';
const NOTHING_MEASURED = 'it measured no file';

/**
 * Judges one run; pure and total. Findings come only from the payload, never from stderr (000.R34). A run is incomplete if it has
 * an error, checked only a part, or lacks dependencies that its rules need.
 */
export function judgeRun(given: JudgeInput): JudgedRun {
  const codes = selectExitCodes(given.spec, given.version, given.settings);
  const input = { ...given, exit: settleExit(given.exit, codes) };
  const verdict = toVerdict(input, codes);
  const failure = findFailure({ ...input, category: verdict.category });
  const { findings, partial, unparsed, notes, tests, coverage } = toParts(input.payload);
  const lacksDependencies = input.dependencies === 'missing' && input.spec.dependencyRules.length > 0;
  const incompleteWhy = failure?.message ?? findGap(input, lacksDependencies);
  const isConfined = unparsed !== undefined && incompleteWhy === partial && !lacksDependencies;
  return {
    ...toFinalVerdict(verdict, { exit: input.exit, failure }),
    classifierVersion: CLASSIFIER_VERSION,
    complete: incompleteWhy === null,
    incompleteWhy,
    ...(isConfined ? { unparsed } : {}),
    ...(notes === undefined ? {} : { notes }),
    findings: lacksDependencies ? dropRules(findings, input.spec.dependencyRules) : findings,
    tests,
    coverage,
    exit: input.exit,
    error: failure === null ? null : toError(input, failure),
  };
}

/** Why a run without a failure did not see everything; null: it did. */
function findGap({ plan, payload, spec }: JudgeInput, lacksDependencies: boolean): string | null {
  // A tool may pass over a file that it does not find, and say nothing.
  if (plan.targets?.some(isLossy) === true) return NAMELESS;
  const { partial } = toParts(payload);
  return partial ?? (lacksDependencies ? DEPENDENCIES_MISSING : findEmptiness(spec, payload));
}

/** Every test runner has a switch with which no test at all is a success. Such a run shows nothing. */
function findEmptiness({ kind }: EngineSpec, payload: Payload): string | null {
  if (payload.kind !== 'parsed' || payload.findings.length > 0) return null;
  if (kind === 'test') return payload.tests?.length === 0 ? NO_TEST_RAN : null;
  return kind === 'coverage' && payload.coverage?.files.length === 0 ? NOTHING_MEASURED : null;
}

type Parts = Omit<Extract<Payload, { readonly kind: 'parsed' }>, 'kind' | 'toolFailure'>;

function toParts(payload: Payload): Parts {
  return payload.kind === 'parsed' ? payload : { findings: [], partial: null, tests: null, coverage: null };
}

/** Where the tool does not exist, the exit code is that of its launcher and means nothing: a tool that never ran found nothing. */
function toFinalVerdict(
  verdict: ExitVerdict,
  { exit, failure }: { readonly exit: RawExit; readonly failure: EngineFailure | null },
): ExitVerdict {
  return failure?.kind === 'TOOL_NOT_FOUND' ? { category: 'tool_failure', returnCode: exit.exitCode } : verdict;
}

function dropRules(findings: readonly ParsedFinding[], rules: readonly string[]): readonly ParsedFinding[] {
  return findings.filter(({ rule }) => rule === null || !rules.includes(rule));
}

/** An exit code means something only if the tool ended by itself. */
function toVerdict({ spec, settings, exit, payload }: JudgeInput, exitCodes: ExitCodes): ExitVerdict {
  if (exit.kind !== 'exited') return { category: 'tool_failure', returnCode: exit.exitCode };
  return classifyExit({
    tool: spec.convention ?? spec.id,
    exitCode: exit.exitCode,
    // All findings, even those caused by missing dependencies, because the exit code reflects them.
    diagnostics: payload.kind === 'parsed' ? payload.findings.length : 0,
    isFix: spec.isFix,
    ignoreExit: [...spec.ignoreExit, ...settings.ignoreExit],
    exitCodes,
  });
}

function toError({ plan, exit, argv, cwd, stderr }: JudgeInput, failure: EngineFailure): EngineError {
  return {
    engine: plan.engine,
    project: plan.project,
    mode: plan.mode,
    ...failure,
    exitCode: exit.exitCode,
    signal: exit.signal,
    argv,
    cwd,
    stderr: toStderrExcerpt(stderr),
  };
}
