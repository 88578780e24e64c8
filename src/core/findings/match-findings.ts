import type { Finding } from '../model/finding.ts';
import { sortByKey } from './order-findings.ts';

export interface MatchInput {
  readonly head: readonly Finding[];
  readonly base: readonly Finding[];
  /** Path in head to path in base, of files that were renamed. */
  readonly renames: ReadonlyMap<string, string>;
}

export interface Pair {
  readonly head: Finding;
  readonly base: Finding;
}

export interface Matches {
  readonly pairs: readonly Pair[];
  readonly onlyHead: readonly Finding[];
  readonly onlyBase: readonly Finding[];
}

/** Two findings are the same in one round of matching where both have the same key; null: they take no part in it. */
interface Round {
  readonly toHeadKey: (finding: Finding) => string | null;
  readonly toBaseKey: (finding: Finding) => string | null;
}

/** Above this many pairs in one group (equal findings of one file) the order of lines has to do for the nearest line. */
const MAX_WEIGHED_PAIRS = 10_000;

/**
 * Pairs each finding of head with at most one of the base, and the other way round: a finding that stands twice in head and once in
 * the base is one new finding. The surest matches first: what did not move at all; what is alike in the same file, the nearest line
 * first; what has the same fingerprint anywhere (a test is found by its id); what is alike in the file that was renamed.
 */
export function matchFindings({ head, base, renames }: MatchInput): Matches {
  const toPlace = (finding: Finding): string =>
    JSON.stringify([finding.likeness, finding.path, finding.line, finding.column]);
  const toFile = (finding: Finding): string => JSON.stringify([finding.likeness, finding.path]);
  const toOldFile = ({ likeness, path }: Finding): string | null => {
    const oldPath = path === null ? undefined : renames.get(path);
    return oldPath === undefined ? null : JSON.stringify([likeness, oldPath]);
  };
  const rounds: readonly Round[] = [
    { toHeadKey: toPlace, toBaseKey: toPlace },
    { toHeadKey: toFile, toBaseKey: toFile },
    { toHeadKey: ({ fingerprint }) => fingerprint, toBaseKey: ({ fingerprint }) => fingerprint },
    { toHeadKey: toOldFile, toBaseKey: toFile },
  ];
  let rest: Matches = { pairs: [], onlyHead: head, onlyBase: base };
  for (const round of rounds) rest = matchRound(rest, round);
  return rest;
}

function matchRound({ pairs, onlyHead, onlyBase }: Matches, { toHeadKey, toBaseKey }: Round): Matches {
  const bases = Map.groupBy(onlyBase, toBaseKey);
  const found = [...Map.groupBy(onlyHead, toHeadKey)].flatMap(([key, heads]) =>
    key === null ? [] : pairByLine(heads, bases.get(key) ?? []),
  );
  const matchedHeads = new Set(found.map(({ head }) => head));
  const matchedBases = new Set(found.map(({ base }) => base));
  return {
    pairs: [...pairs, ...found],
    onlyHead: onlyHead.filter((finding) => !matchedHeads.has(finding)),
    onlyBase: onlyBase.filter((finding) => !matchedBases.has(finding)),
  };
}

/** As many pairs as the smaller side has findings: which of the others are left over is all that the lines decide. */
function pairByLine(heads: readonly Finding[], bases: readonly Finding[]): readonly Pair[] {
  const sortedHeads = sortByLine(heads);
  const sortedBases = sortByLine(bases);
  if (heads.length * bases.length > MAX_WEIGHED_PAIRS) return zip(sortedHeads, sortedBases);
  const usedHeads = new Set<Finding>();
  const usedBases = new Set<Finding>();
  const candidates = sortedHeads.flatMap((head) => sortedBases.map((base) => ({ head, base })));
  return candidates
    .toSorted((left, right) => toDistance(left) - toDistance(right))
    .filter(({ head, base }) => {
      if (usedHeads.has(head) || usedBases.has(base)) return false;
      usedHeads.add(head);
      usedBases.add(base);
      return true;
    });
}

function zip(heads: readonly Finding[], bases: readonly Finding[]): readonly Pair[] {
  return heads.flatMap((head, index) => {
    const base = bases[index];
    return base === undefined ? [] : [{ head, base }];
  });
}

function sortByLine(findings: readonly Finding[]): readonly Finding[] {
  return sortByKey(findings, ({ line, path, fingerprint }) => [line, path, fingerprint]);
}

function toDistance({ head, base }: Pair): number {
  return Math.abs((head.line ?? 0) - (base.line ?? 0));
}
