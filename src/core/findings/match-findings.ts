import type { Finding } from '../model/finding.ts';
import { sortByKey } from './order-findings.ts';

export interface MatchInput {
  readonly head: readonly Finding[];
  readonly base: readonly Finding[];
  /** Head path to base path of renamed files. */
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

/** One round of matching: two findings are the same if their keys are equal. A null key takes no part. */
interface Round {
  readonly toHeadKey: (finding: Finding) => string | null;
  readonly toBaseKey: (finding: Finding) => string | null;
}

/** Above this many pairs in one group (equal findings of one file), findings are paired in line order, not by nearest line. */
const MAX_WEIGHED_PAIRS = 10_000;

/**
 * Matches each finding of the head with at most one of the base, and vice versa: a finding that occurs twice in the head and once
 * in the base is one new finding. Surest matches first: unmoved; alike in the same file, nearest line first; same fingerprint
 * anywhere (a test is found by its id); alike in the renamed file.
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

/** Makes as many pairs as the smaller side has findings. The lines only decide which findings of the other side are left over. */
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
