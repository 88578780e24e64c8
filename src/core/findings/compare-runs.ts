import type { EngineRun } from '../model/engine.ts';
import type { EngineComparison } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import { toProjectKey } from '../model/project.ts';
import { hasCoverageWorsened } from './has-coverage-worsened.ts';
import { isComparable, isConclusive, isCoverageConclusive } from './is-conclusive.ts';
import { isWithin } from './is-within.ts';
import { type Matches, matchFindings, type Pair } from './match-findings.ts';
import { sortByPlace } from './order-findings.ts';
import { settleGone } from './settle-gone.ts';
import { subtract } from './subtract.ts';

export interface CompareInput {
  /** TARGET run of the pull request's head. */
  readonly head: EngineRun;
  /** TARGET run of the merge base; null if there is none. */
  readonly base: EngineRun | null;
  /** Head path to base path of renamed files. */
  readonly renames: ReadonlyMap<string, string>;
  /** Whether the engine checks a path: a rename may move a file out of its scope. */
  readonly isInScope: (path: string) => boolean;
}

/**
 * How the head's findings differ from the base's. Only TARGET runs are compared (000.R16). Each finding of the head is exactly
 * one of `added`, `existing` and `uncompared`. A coverage gap is `added` if the base has none in the file, or if the covered
 * share fell and more of the file is uncovered: deleting covered lines makes nothing worse. `fixed` needs a conclusive run, and
 * for a test that it passed; it excludes findings that are new in another file. In a file that the base's run could not parse,
 * nobody can say which findings of the head are new.
 */
export function compareRuns({ head, base, renames, isInScope }: CompareInput): EngineComparison {
  const obstacle = findObstacle(head);
  if (obstacle !== null || base === null) return toNotComparable(head, obstacle ?? 'there is no run of the base', []);
  const difference = findDifference(head, base);
  if (difference !== null) return toNotComparable(head, difference, []);
  const isCoverageSound = isCoverageConclusive(head) && isCoverageConclusive(base);
  const isCompared = (finding: Finding): boolean => isCoverageSound || !isCoverage(finding);
  const found = matchFindings({
    head: head.findings.filter(isCompared),
    base: base.findings.filter(isCompared),
    renames,
  });
  const matches = partOtherTests(found, base);
  if (!isComparable(base)) {
    const why = `the base's run is not complete: ${base.incompleteWhy ?? base.exit.kind}`;
    return toNotComparable(
      head,
      why,
      matches.pairs.map((pair) => pair.head),
    );
  }
  const { fixed, ...gone } = settleGone({ gone: matches.onlyBase, head, renames, isInScope });
  const isHidden = createIsHidden(base, renames);
  const shown = { ...matches, onlyHead: matches.onlyHead.filter((finding) => !isHidden(finding)) };
  const uncompared = head.findings.filter((finding) => !isCompared(finding));
  return {
    kind: 'compared',
    engine: head.engine,
    project: head.project,
    ...toAddedAndExisting(shown, { head, base }),
    uncompared: sortByPlace([...uncompared, ...matches.onlyHead.filter(isHidden)]),
    fixed: dropMoved(fixed, matches.onlyHead),
    ...gone,
  };
}

/**
 * A finding that moved to another file (the file was split, the code moved) is new there and not fixed here. A test that passed
 * is still fixed, and so is a finding about a whole file.
 */
function dropMoved(fixed: readonly Finding[], added: readonly Finding[]): readonly Finding[] {
  const keys = added.map(({ likeness }) => likeness);
  return subtract(fixed, keys, ({ likeness, line, testId }) => (line === null || testId !== null ? null : likeness));
}

/** A failing test is found by its id in any file, but not one that passed in its own file at the base: it only shares the id. */
function partOtherTests({ pairs, onlyHead, onlyBase }: Matches, { tests }: EngineRun): Matches {
  const passed = new Set(
    (tests ?? []).flatMap(({ id, path, outcome }) => (outcome === 'passed' ? [JSON.stringify([id, path])] : [])),
  );
  const isOther = ({ head, base }: Pair): boolean =>
    head.testId !== null && head.path !== base.path && passed.has(JSON.stringify([head.testId, head.path]));
  const others = pairs.filter(isOther);
  return {
    pairs: pairs.filter((pair) => !isOther(pair)),
    onlyHead: [...onlyHead, ...others.map(({ head }) => head)],
    onlyBase: [...onlyBase, ...others.map(({ base }) => base)],
  };
}

/** Whether the base may have a finding that its run could not see. */
function createIsHidden(
  { unparsed = [] }: EngineRun,
  renames: ReadonlyMap<string, string>,
): (finding: Finding) => boolean {
  const hidden = new Set(unparsed);
  return (finding) =>
    isWithin(hidden, finding, finding.path === null ? null : (renames.get(finding.path) ?? finding.path));
}

/** Why the head's run cannot be compared with any run; null if it can. */
function findObstacle(head: EngineRun): string | null {
  if (head.mode !== 'target') return 'only TARGET runs are compared';
  if (!isConclusive(head) && head.findings.length === 0) {
    return `the engine gave no answer: ${head.incompleteWhy ?? head.exit.kind}`;
  }
  return null;
}

/** Why the two runs cannot be compared; null if they can. */
export function findDifference(head: EngineRun, base: EngineRun): string | null {
  if (base.mode !== 'target') return "the base's run is no TARGET run";
  if (toProjectKey(base) !== toProjectKey(head) || base.kind !== head.kind)
    return "the base's run is one of another engine or project";
  if (base.signature !== head.signature) return 'the base was run by another version, plan or configuration';
  return null;
}

function toNotComparable(head: EngineRun, why: string, existing: readonly Finding[]): EngineComparison {
  const { engine, project, findings } = head;
  return {
    kind: 'not_comparable',
    engine,
    project,
    why,
    findings: sortByPlace(findings),
    existing: sortByPlace(existing),
  };
}

function isCoverage({ kind }: Finding): boolean {
  return kind === 'coverage_gap' || kind === 'coverage_threshold';
}

function toAddedAndExisting(
  { pairs, onlyHead }: Matches,
  runs: { readonly head: EngineRun; readonly base: EngineRun },
): { readonly added: readonly Finding[]; readonly existing: readonly Finding[] } {
  const worsened = new Set(pairs.filter((pair) => hasCoverageWorsened(pair, runs)).map(({ head }) => head));
  const known = pairs.map(({ head }) => head);
  return {
    added: sortByPlace([...onlyHead, ...worsened]),
    existing: sortByPlace(known.filter((finding) => !worsened.has(finding))),
  };
}
