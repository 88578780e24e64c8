import type { ProofVerdict, TestCounts } from '../model/proof.ts';
import type { ValidationRun } from '../model/session.ts';
import { toOneLine } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import type { Observation } from './observation.ts';
import { findShown, type NamedFailure, type ProofEvidence } from './proof-evidence.ts';
import type { ProofParts } from './proof-trees.ts';

/** What a person has to look at before the change may be pushed. */
export interface ProofFact {
  readonly code: 'ONLY_TESTS' | 'TESTS_ALONE' | 'OLD_TESTS_FAIL' | 'TESTS_NOT_RUN';
  /** null: the change as a whole. */
  readonly path: string | null;
  readonly line: null;
  readonly message: string;
}

/** The runs of one command. null: not run. */
export interface ProofRuns {
  readonly oldHead: Observation;
  /** The old head once more, the failing tests alone where that is possible. */
  readonly again: Observation | null;
  readonly result: Observation;
  readonly withoutSource: Observation | null;
}

/** A red run at the old head that shows what the evidence names. */
export interface Reproduction {
  readonly observation: Observation;
  /** The failures of the evidence that it shows. */
  readonly shown: readonly NamedFailure[];
}

/** The first red run that fails as the evidence says; if one of the two names nothing, a red run is enough. */
export function findReproduction(evidence: ProofEvidence, runs: readonly Observation[]): Reproduction | null {
  for (const observation of runs) {
    if (observation.state !== 'red') continue;
    const shown = findShown(evidence, observation.failures);
    if (shown.length > 0 || evidence.failures.length === 0 || observation.failures.length === 0) {
      return { observation, shown };
    }
  }
  return null;
}

export function judgeRuns({ oldHead, again, result, withoutSource }: ProofRuns, hasTests: boolean): ProofVerdict {
  if (oldHead.state !== 'red') return 'not_reproduced';
  if (again?.state === 'green') return 'flickers';
  if (result.state !== 'green') return 'unknown';
  if (!hasTests) return 'proven';
  return withoutSource?.state === 'red' ? 'proven' : 'unknown';
}

/** Before and after, by command. A command that one side did not run, or that says nothing, has no count. */
export function toTestCounts(before: readonly Observation[], after: readonly ValidationRun[]): readonly TestCounts[] {
  return after.map(({ command, tests }) => {
    const old = before.find(({ run }) => run.command === command);
    return { command, before: old?.run.tests ?? null, after: tests ?? null };
  });
}

/**
 * Fewer tests than before: some of them may not run any more. So it is where the output said how many ran, and does not with the change:
 * a process that ends before its runner has summed up is green, too. Where it never said so, nothing is compared.
 */
export function findLostTests(counts: readonly TestCounts[]): readonly ProofFact[] {
  return counts.flatMap(({ command, before, after }) => {
    if (before === null || before === 0 || (after !== null && after >= before)) return [];
    const ran = `${quote(command)} ran ${toCountText(before, 'test')} before the change`;
    const message =
      after === null ? `${ran}. With it, the output does not say how many.` : `${ran} and ${after} with it.`;
    return [toFact('TESTS_NOT_RUN', message)];
  });
}

/** A change of tests alone proves nothing: the tests are what proves. */
export function findOnlyTests({ hasSource }: ProofParts): readonly ProofFact[] {
  if (hasSource) return [];
  return [toFact('ONLY_TESTS', 'The change touches nothing but tests, so no test can prove it.')];
}

/** The run without the source is green: the code was changed for nothing. */
export function toTestsAlone({ run }: Observation): ProofFact {
  const message = `${quote(run.command)} is green too with everything but the test files reverted: the changes of the tests alone made it so.`;
  return toFact('TESTS_ALONE', message);
}

/** The tests as they were, over the new code: what is red now was green only by its new tests. */
export function findOldTestsFail(
  runs: readonly Observation[],
  oldTests: readonly string[],
): readonly (ProofFact & { readonly code: 'OLD_TESTS_FAIL' })[] {
  return runs.flatMap(({ run: { command, exitCode }, state, failures }) => {
    if (state !== 'red') return [];
    const tests = [...new Set(failures.flatMap(({ testId }) => testId ?? []))].slice(0, MAX_NAMED);
    const path = oldTests.find((old) => failures.some((failure) => isSamePath(failure.path, old))) ?? null;
    const named = tests.length === 0 ? '' : `: ${tests.map(quote).join(', ')}`;
    const message = `With the tests as they were, ${quote(command)} ends with exit code ${String(exitCode)}${named}. The change passes only its own tests.`;
    return [{ code: 'OLD_TESTS_FAIL', path, line: null, message }];
  });
}

const MAX_NAMED = 3;

function isSamePath(shown: string | null, path: string): boolean {
  return shown !== null && (shown === path || shown.endsWith(`/${path}`));
}

function toFact(code: ProofFact['code'], message: string): ProofFact {
  return { code, path: null, line: null, message };
}

function quote(text: string): string {
  return `\`${toOneLine(text.slice(0, 200))}\``;
}
