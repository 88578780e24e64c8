import type { EngineRun } from '../model/engine.ts';
import type { Finding, FindingKind, TestResult } from '../model/finding.ts';
import { isConclusive } from './is-conclusive.ts';
import { leadsOut } from './leads-out.ts';
import { sortByPlace } from './order-findings.ts';
import { replacePath } from './replace-path.ts';

export interface GoneInput {
  /** Findings of a complete base that head's run does not have. */
  readonly gone: readonly Finding[];
  readonly head: EngineRun;
  /** Path in head to path in base. */
  readonly renames: ReadonlyMap<string, string>;
  /** Whether the engine looks at a file of this path. */
  readonly isInScope: (path: string) => boolean;
}

export interface Settled {
  readonly fixed: readonly Finding[];
  /** Ids of tests, or paths of what could not be collected; sorted, each once. */
  readonly removedTests: readonly string[];
  readonly skippedTests: readonly string[];
}

/** `none`: nothing can be said, or it goes on under another fingerprint (a test that fails in another way). */
type Fate = 'fixed' | 'removed' | 'skipped' | 'none';

interface HeadView {
  readonly run: EngineRun;
  readonly isConclusive: boolean;
  readonly toHeadPath: (basePath: string) => string;
  readonly isInScope: (path: string) => boolean;
  /** Files of head that could not be read or collected: what else is wrong in them is hidden. */
  readonly broken: ReadonlySet<string | null>;
  readonly outcomes: ReadonlyMap<string, TestResult['outcome']>;
  /** Of the tests of each file; null: of those that tell none. */
  readonly outcomesByPath: ReadonlyMap<string | null, ReadonlySet<TestResult['outcome']>>;
}

type ToFate = (finding: Finding, headPath: string | null, view: HeadView) => Fate;

/** What nobody finds any more; in a file that the engine was led away from by a rename it may still be there. */
const isGone: ToFate = ({ path }, _headPath, { toHeadPath, isInScope }) => {
  const isLost = path !== null && leadsOut({ basePath: path, headPath: toHeadPath(path) }, isInScope);
  return isLost ? 'none' : 'fixed';
};

/** What a run shows of a finding that it does not have. */
const TO_FATE: Readonly<Record<FindingKind, ToFate>> = {
  lint: isGone,
  type: isGone,
  format: isGone,
  parse_error: isGone,
  suppression: isGone,
  test_failure: (finding, _path, view) => toTestFate(finding, view),
  collection_error: toCollectionFate,
  coverage_gap: (_finding, path, { run }) => (isMeasured(path, run) ? 'fixed' : 'none'),
  coverage_threshold: isGone,
};

/**
 * What became of findings that head does not have any more. Fixed is only what a conclusive run shows: for a test that it passed, for
 * coverage that the file was measured, for the rest that the engine still looks at the file and could read it. A test that is skipped
 * or no more is told apart and fixed by neither.
 */
export function settleGone({ gone, head, renames, isInScope }: GoneInput): Settled {
  const toHead = new Map([...renames].map(([headPath, basePath]) => [basePath, headPath]));
  const tests = head.tests ?? [];
  const view: HeadView = {
    run: head,
    isConclusive: isConclusive(head),
    toHeadPath: (basePath) => toHead.get(basePath) ?? basePath,
    isInScope,
    broken: new Set(head.findings.filter(isBroken).map(({ path }) => path)),
    outcomes: new Map(tests.toSorted(byOutcome).map(({ id, outcome }) => [id, outcome])),
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

const FROM_GOOD_TO_BAD: readonly TestResult['outcome'][] = ['passed', 'skipped', 'failed', 'error'];

/** Of several results of one test the worst comes last, and so is what a map of them keeps. */
function byOutcome(left: TestResult, right: TestResult): number {
  return FROM_GOOD_TO_BAD.indexOf(left.outcome) - FROM_GOOD_TO_BAD.indexOf(right.outcome);
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

/** What the run shows, whether or not it may be believed. */
function toShownFate(finding: Finding, view: HeadView): Fate {
  const path = finding.path === null ? null : view.toHeadPath(finding.path);
  if (path !== null && view.broken.has(path)) return 'none';
  return TO_FATE[finding.kind](finding, path, view);
}

function toTestFate(finding: Finding, { run, outcomes, toHeadPath }: HeadView): Fate {
  if (run.tests === null) return 'none';
  const outcome = outcomes.get(toHeadTestId(finding, toHeadPath) ?? '');
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

/** What could not be collected is well again where one of its tests ran, whatever came of that test. */
function toCollectionFate(finding: Finding, path: string | null, view: HeadView): Fate {
  const outcomes = path === null ? undefined : view.outcomesByPath.get(path);
  if (outcomes === undefined) return toTestFate(finding, view);
  return outcomes.has('passed') || outcomes.has('failed') ? 'fixed' : toUncollectedFate(outcomes);
}

function toUncollectedFate(outcomes: ReadonlySet<TestResult['outcome']>): Fate {
  return outcomes.has('skipped') && !outcomes.has('error') ? 'skipped' : 'none';
}

/** Where a test's id holds its file, a renamed file renames the test. */
function toHeadTestId({ testId, path }: Finding, toHeadPath: HeadView['toHeadPath']): string | null {
  return testId === null || path === null ? testId : replacePath(testId, path, toHeadPath(path));
}

function isMeasured(path: string | null, { coverage }: EngineRun): boolean {
  return (coverage?.files ?? []).some((file) => file.path === path);
}

function toTestNames(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.map(({ testId, path, message }) => testId ?? path ?? message))].sort();
}
