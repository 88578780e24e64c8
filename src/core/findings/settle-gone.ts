import type { EngineRun } from '../model/engine.ts';
import { type Finding, type FindingKind, TEST_OUTCOMES, type TestResult } from '../model/finding.ts';
import { isComparable } from './is-conclusive.ts';
import { isWithin } from './is-within.ts';
import { leadsOut } from './leads-out.ts';
import { sortByPlace } from './order-findings.ts';
import { replacePath } from './replace-path.ts';

export interface GoneInput {
  /** Findings of a complete base run that the head's run does not have. */
  readonly gone: readonly Finding[];
  readonly head: EngineRun;
  /** Head path to base path of renamed files. */
  readonly renames: ReadonlyMap<string, string>;
  /** Whether the engine checks a path. */
  readonly isInScope: (path: string) => boolean;
}

export interface Settled {
  readonly fixed: readonly Finding[];
  /** Ids of tests, or paths of files that could not be collected; sorted, each once. */
  readonly removedTests: readonly string[];
  readonly skippedTests: readonly string[];
}

/** `none`: unknown, or the finding continues under another fingerprint (a test that fails in another way). */
type Fate = 'fixed' | 'removed' | 'skipped' | 'none';

interface HeadView {
  readonly run: EngineRun;
  readonly isConclusive: boolean;
  readonly toHeadPath: (basePath: string) => string;
  readonly isInScope: (path: string) => boolean;
  /** Files and groups of tests of the head that could not be read, collected or run whole, which hides their other findings. */
  readonly broken: ReadonlySet<string | null>;
  /** By id, and by id and file, because tests of several files may share an id. */
  readonly outcomes: ReadonlyMap<string, TestResult['outcome']>;
  /** By file; the null key holds the tests that name no file. */
  readonly outcomesByPath: ReadonlyMap<string | null, ReadonlySet<TestResult['outcome']>>;
}

type ToFate = (finding: Finding, headPath: string | null, view: HeadView) => Fate;

/** Gone, unless a rename moved the file out of what the engine checks: then the finding may still exist. */
const isGone: ToFate = ({ path }, _headPath, { toHeadPath, isInScope }) => {
  return path !== null && leadsOut(path, toHeadPath(path), isInScope) ? 'none' : 'fixed';
};

/** What the head's run shows about a finding that it does not have. */
const TO_FATE: Readonly<Record<FindingKind, ToFate>> = {
  lint: isGone,
  type: isGone,
  format: isGone,
  parse_error: isGone,
  suppression: isGone,
  test_failure: toTestFate,
  collection_error: toCollectionFate,
  coverage_gap: (_finding, path, { run }) => (isMeasured(path, run) ? 'fixed' : 'none'),
  coverage_threshold: isGone,
};

/**
 * Settles findings that the head no longer has. `fixed` needs proof from a conclusive run: the test passed; for coverage, the
 * file was measured; otherwise, the engine still checks the file and could read it. Tests that are skipped or removed are
 * reported apart and are not fixed.
 */
export function settleGone({ gone, head, renames, isInScope }: GoneInput): Settled {
  const toHead = new Map([...renames].map(([headPath, basePath]) => [basePath, headPath]));
  const tests = head.tests ?? [];
  const view: HeadView = {
    run: head,
    isConclusive: isComparable(head),
    toHeadPath: (basePath) => toHead.get(basePath) ?? basePath,
    isInScope,
    broken: new Set([...head.findings.filter(isBroken).map(({ path }) => path), ...(head.unparsed ?? [])]),
    outcomes: new Map(
      tests.toSorted(byOutcome).flatMap(({ id, path, outcome }) => [
        [id, outcome],
        [toPlacedId(id, path), outcome],
      ]),
    ),
    outcomesByPath: toOutcomesByPath(tests),
  };
  const fates = gone.map((finding) => ({ finding, fate: toFate(finding, view) }));
  const of = (wanted: Fate): readonly Finding[] =>
    fates.filter(({ fate }) => fate === wanted).map(({ finding }) => finding);
  return {
    fixed: sortByPlace(of('fixed')),
    removedTests: toTestNames(of('removed')),
    skippedTests: toTestNames(of('skipped')),
  };
}

/** Sorts the worst of several results of one test last, because a Map keeps the last one. */
function byOutcome(left: TestResult, right: TestResult): number {
  return TEST_OUTCOMES.indexOf(left.outcome) - TEST_OUTCOMES.indexOf(right.outcome);
}

function toOutcomesByPath(tests: readonly TestResult[]): HeadView['outcomesByPath'] {
  const groups = Map.groupBy(tests, ({ path }) => path);
  return new Map([...groups].map(([path, group]) => [path, new Set(group.map(({ outcome }) => outcome))]));
}

function isBroken({ kind }: Finding): boolean {
  return kind === 'parse_error' || kind === 'collection_error';
}

function toFate(finding: Finding, view: HeadView): Fate {
  const fate = toShownFate(finding, view);
  return view.isConclusive || fate === 'skipped' ? fate : 'none';
}

/** What the run shows, regardless of whether it can be trusted. */
function toShownFate(finding: Finding, view: HeadView): Fate {
  const path = finding.path === null ? null : view.toHeadPath(finding.path);
  if (isWithin(view.broken, finding, path)) return 'none';
  return TO_FATE[finding.kind](finding, path, view);
}

function toTestFate(finding: Finding, path: string | null, { run, outcomes, toHeadPath }: HeadView): Fate {
  if (run.tests === null) return 'none';
  const id = toHeadTestId(finding, toHeadPath) ?? '';
  const outcome = outcomes.get(toPlacedId(id, path)) ?? outcomes.get(id);
  switch (outcome) {
    case 'passed':
      return 'fixed';
    case 'skipped':
      return 'skipped';
    case 'failed':
    case 'error':
      return 'none';
    case undefined:
      return 'removed';
  }
}

function toPlacedId(id: string, path: string | null): string {
  return JSON.stringify([id, path]);
}

/** A file that could not be collected is fixed if one of its tests ran, passed or failed. */
function toCollectionFate(finding: Finding, path: string | null, view: HeadView): Fate {
  const outcomes = path === null ? undefined : view.outcomesByPath.get(path);
  if (outcomes === undefined) return toTestFate(finding, path, view);
  return outcomes.has('passed') || outcomes.has('failed') ? 'fixed' : toUncollectedFate(outcomes);
}

function toUncollectedFate(outcomes: ReadonlySet<TestResult['outcome']>): Fate {
  return outcomes.has('skipped') && !outcomes.has('error') ? 'skipped' : 'none';
}

/** If the id of a test contains its file, a renamed file renames the test. */
function toHeadTestId({ testId, path }: Finding, toHeadPath: HeadView['toHeadPath']): string | null {
  return testId === null || path === null ? testId : replacePath(testId, path, toHeadPath(path));
}

function isMeasured(path: string | null, { coverage }: EngineRun): boolean {
  return (coverage?.files ?? []).some((file) => file.path === path);
}

function toTestNames(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.map(({ testId, path, message }) => testId ?? path ?? message))].sort();
}
