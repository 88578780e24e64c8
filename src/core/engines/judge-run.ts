import type { EngineError, EnginePlan, EngineRun, EngineSpec, Payload, RawExit } from '../model/engine.ts';
import type { ParsedFinding } from '../model/finding.ts';
import type { EngineSettings } from '../model/policy.ts';
import { CLASSIFIER_VERSION, classifyExit, type ExitVerdict } from './classify-exit.ts';
import { selectExitCodes } from './exit-codes.ts';
import { type EngineFailure, findFailure } from './find-failure.ts';
import { toStderrExcerpt } from './stderr-excerpt.ts';

/** What one run left, as stored. Judging it again gives the same result, or the result of newer rules (003.R24). */
export interface JudgeInput {
  readonly spec: EngineSpec;
  readonly plan: Pick<EnginePlan, 'engine' | 'mode'>;
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
    'category' | 'returnCode' | 'classifierVersion' | 'complete' | 'incompleteWhy' | 'tests' | 'coverage'
  > {
  readonly findings: readonly ParsedFinding[];
  /** null if the answer can be used. Findings next to an error are shown but prove nothing. */
  readonly error: EngineError | null;
}

const NOTHING_PARSED = { findings: [], partial: null, tests: null, coverage: null } as const;
const DEPENDENCIES_MISSING = 'dependencies are not there';

/**
 * Judges one run; pure and total. Findings come only from the payload, never from stderr (000.R34). A run is incomplete if it has
 * an error, checked only a part, or lacks dependencies that its rules need.
 */
export function judgeRun(input: JudgeInput): JudgedRun {
  const verdict = toVerdict(input);
  const failure = findFailure({ ...input, category: verdict.category });
  const { findings, partial, tests, coverage } = input.payload.kind === 'parsed' ? input.payload : NOTHING_PARSED;
  const lacksDependencies = input.dependencies === 'missing' && input.spec.dependencyRules.length > 0;
  const incompleteWhy = failure?.message ?? partial ?? (lacksDependencies ? DEPENDENCIES_MISSING : null);
  return {
    ...verdict,
    classifierVersion: CLASSIFIER_VERSION,
    complete: incompleteWhy === null,
    incompleteWhy,
    findings: lacksDependencies ? dropRules(findings, input.spec.dependencyRules) : findings,
    tests,
    coverage,
    error: failure === null ? null : toError(input, failure),
  };
}

function dropRules(findings: readonly ParsedFinding[], rules: readonly string[]): readonly ParsedFinding[] {
  return findings.filter(({ rule }) => rule === null || !rules.includes(rule));
}

/** An exit code means something only if the tool ended by itself. */
function toVerdict({ spec, settings, version, exit, payload }: JudgeInput): ExitVerdict {
  if (exit.kind !== 'exited') return { category: 'tool_failure', returnCode: exit.exitCode };
  return classifyExit({
    tool: spec.convention ?? spec.id,
    exitCode: exit.exitCode,
    // All findings, even those caused by missing dependencies, because the exit code reflects them.
    diagnostics: payload.kind === 'parsed' ? payload.findings.length : 0,
    isFix: spec.isFix,
    ignoreExit: [...spec.ignoreExit, ...settings.ignoreExit],
    exitCodes: selectExitCodes(spec, version, settings),
  });
}

function toError({ plan, exit, argv, cwd, stderr }: JudgeInput, failure: EngineFailure): EngineError {
  return {
    engine: plan.engine,
    mode: plan.mode,
    ...failure,
    exitCode: exit.exitCode,
    signal: exit.signal,
    argv,
    cwd,
    stderr: toStderrExcerpt(stderr),
  };
}
