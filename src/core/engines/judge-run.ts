import type {
  EngineError,
  EnginePlan,
  EngineRun,
  EngineSettings,
  EngineSpec,
  Payload,
  RawExit,
} from '../model/engine.ts';
import type { ParsedFinding } from '../model/finding.ts';
import { CLASSIFIER_VERSION, classifyExit, type ExitVerdict } from './classify-exit.ts';
import { selectExitCodes } from './exit-codes.ts';
import { findFailure } from './find-failure.ts';
import { toStderrExcerpt } from './stderr-excerpt.ts';

/** What one run left, as stored: judging it again gives the same, or what newer rules say (003.R24). */
export interface JudgeInput {
  readonly spec: EngineSpec;
  readonly plan: Pick<EnginePlan, 'engine' | 'mode'>;
  readonly settings: Pick<EngineSettings, 'exitCodes'>;
  readonly version: string | null;
  /** As executed; of several steps the last. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly exit: RawExit;
  readonly payload: Payload;
  readonly stderr: string;
  /** Whether the dependencies of the code were there. */
  readonly dependencies: 'ready' | 'missing';
}

/** What is to be thought of a run: both how it ended and what it wrote, and whether they agree (resolution C1). */
export interface JudgedRun
  extends Pick<
    EngineRun,
    'category' | 'returnCode' | 'classifierVersion' | 'complete' | 'incompleteWhy' | 'tests' | 'coverage'
  > {
  readonly findings: readonly ParsedFinding[];
  /** null: its answer can be taken. Findings beside an error are shown, and prove nothing. */
  readonly error: EngineError | null;
}

const NOTHING_PARSED = { findings: [], partial: null, tests: null, coverage: null } as const;
const DEPENDENCIES_MISSING = 'dependencies are not there';

/**
 * Judges one run. Pure and total. Findings come from the payload alone, never from stderr (000.R34); a run with an error, one
 * that looked at a part only, and one whose dependencies are not there are not complete.
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

/** An exit code means something only where the tool came to its own end. */
function toVerdict({ spec, settings, version, exit, payload }: JudgeInput): ExitVerdict {
  if (exit.kind !== 'exited') return { category: 'tool_failure', returnCode: exit.exitCode };
  return classifyExit({
    tool: spec.convention ?? spec.id,
    exitCode: exit.exitCode,
    // All of them, those of missing dependencies too: the tool's exit code speaks of them.
    diagnostics: payload.kind === 'parsed' ? payload.findings.length : 0,
    isFix: spec.isFix,
    ignoreExit: spec.ignoreExit,
    exitCodes: selectExitCodes(spec, version, settings),
  });
}

function toError(
  { plan, exit, argv, cwd, stderr }: JudgeInput,
  failure: Pick<EngineError, 'kind' | 'message'>,
): EngineError {
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
