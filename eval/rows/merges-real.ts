import { examineSides } from '../../src/adapters/source/examine-change.ts';
import { MAX_PATCH_BYTES } from '../../src/core/judge/judge-change.ts';
import { judgeMerge } from '../../src/core/judge/judge-merge.ts';
import { explainScripts } from '../../src/core/merge/explain-scripts.ts';
import { findRegenerable } from '../../src/core/merge/find-regenerable.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import type { TestChangeFact } from '../../src/core/model/test-change.ts';
import { findWeakenedValidation, toDefinitionPaths } from '../../src/core/validation/find-weakened-validation.ts';
import { MAX_DEFINITION_BYTES, planValidation, VALIDATION_FILES } from '../../src/core/validation/plan-validation.ts';
import { toResolution } from '../../src/pipeline/fixup/collect-conflicts.ts';
import { judgeTests } from '../../src/pipeline/fixup/judge-tests.ts';
import type { MergeTree, SessionRepository } from '../../src/ports/git.ts';
import type { TestJudge } from '../../src/ports/test-judge.ts';
import { listRealMerges, type MergeGit, openMergeGit, type RealMerge } from '../data/real-merges.ts';
import { type EvalRow, type Miss, toLine, toPercent } from '../row.ts';

type Conflicted = Extract<MergeTree, { readonly kind: 'conflicted' }>;

/** Why the gate refuses a merge. */
type Reason = 'protected path' | 'marker left by a person' | "a side's change undone" | 'another reason';

interface Judged {
  readonly merge: RealMerge;
  /** null: it is not refused. */
  readonly reason: Reason | null;
  readonly text: string;
  /** What the resolution does to tests by itself. */
  readonly tests: readonly TestChangeFact[];
}

const SIGNAL = new AbortController().signal;
const AT_ONCE: TestJudge = { prepare: () => undefined, judge: async (change) => examineSides(change) };
/** For a repository whose commands are not known: a refusal for what they run would not be seen otherwise. */
const ANY_COMMAND = { kind: 'commands', commands: ['make test'], source: 'policy' } as const;
/** Most refusals of merges that a person made. */
const MOST_REFUSED = 2;

/** Merges of a base branch into a branch: the resolution of the person has to pass the gate. */
export const mergesReal: EvalRow = {
  name: 'merges-real',
  about: 'share of real merges whose resolution by a person the gate would refuse',
  measure: async ({ open, select }) => {
    const { merges, missing } = await listRealMerges(open);
    const selected = select(merges);
    const mergeGit = openMergeGit();
    const conflicted: Judged[] = [];
    try {
      for (const merge of selected) {
        const judged = await judge(mergeGit, merge);
        if (judged !== null) conflicted.push(judged);
      }
    } finally {
      mergeGit.close();
    }
    return {
      lines: toLines(conflicted, selected.length),
      misses: conflicted.flatMap(toMiss),
      notes: [
        `${conflicted.length} of ${selected.length} merges had conflicts`,
        ...(missing.length === 0 ? [] : [`no clone of ${missing.join(', ')}`]),
      ],
    };
  },
};

function toLines(conflicted: readonly Judged[], n: number): ReturnType<typeof toLine>[] {
  const row = mergesReal.name;
  const share = (...reasons: readonly Reason[]): number =>
    toPercent(conflicted.filter(({ reason }) => reason !== null && reasons.includes(reason)).length, n);
  const correct = share('protected path', 'another reason');
  return [
    toLine({ row, data: 'refused, of complete merges', ours: correct, n, goal: { atMost: MOST_REFUSED } }),
    toLine({
      row,
      data: 'refused for more than a protected path',
      ours: share('another reason'),
      n,
      goal: { atMost: 0 },
    }),
    toLine({
      row,
      data: "refused: a side's whole change in a file was undone",
      ours: share("a side's change undone"),
      n,
    }),
    toLine({ row, data: 'refused: the person committed markers', ours: share('marker left by a person'), n }),
    toLine({ row, data: 'rejected by the judge of tests', ours: toShare(conflicted, 'rejected', n), n }),
    toLine({ row, data: 'held by the judge of tests', ours: toShare(conflicted, 'held', n), n }),
  ];
}

function toShare(conflicted: readonly Judged[], verdict: 'held' | 'rejected', n: number): number {
  return toPercent(conflicted.filter(({ tests }) => toVerdict(tests) === verdict).length, n);
}

function toVerdict(tests: readonly TestChangeFact[]): 'held' | 'rejected' | 'clean' {
  if (tests.some(({ is }) => is === 'rejected')) return 'rejected';
  return tests.length > 0 ? 'held' : 'clean';
}

function toMiss({ merge, reason, text, tests }: Judged): readonly Miss[] {
  const item = `${merge.name} ${merge.sha.slice(0, 10)}`;
  const why = tests.map(({ code, path, message }) => `${code} ${path} ${message}`).join(' ');
  return [
    ...(reason === null ? [] : [{ kind: reason, item, text }]),
    ...(tests.length === 0 ? [] : [{ kind: `tests: ${toVerdict(tests)}`, item, text: why.slice(0, 300) }]),
  ];
}

/** null: git merges it by itself. */
async function judge(mergeGit: MergeGit, real: RealMerge): Promise<Judged | null> {
  const repository = await mergeGit.open(real);
  const merge = await mergeGit.git.mergeTree(repository, { ours: real.ours, theirs: real.theirs }, SIGNAL);
  if (merge.kind !== 'conflicted') return null;
  const { texts, tests } = await judgeConflict(mergeGit, { real, repository, merge });
  return { merge: real, reason: toReason(texts), text: texts[0] ?? '', tests };
}

async function judgeConflict(
  { git }: MergeGit,
  {
    real,
    repository,
    merge,
  }: { readonly real: RealMerge; readonly repository: SessionRepository; readonly merge: Conflicted },
): Promise<{ readonly texts: readonly string[]; readonly tests: readonly TestChangeFact[] }> {
  const { treeSha: against } = merge;
  const want = { from: against, to: real.sha, maxPatchBytes: MAX_PATCH_BYTES };
  const diff = await git.diffTrees(repository, want, SIGNAL);
  const tracked = await git.listFiles(repository, SIGNAL, against);
  const paths = merge.files.map(({ path }) => path);
  const regenerated = findRegenerable(paths, { entries: [], tracked }).map(({ path }) => path);
  const resolution = await toResolution(
    { git },
    { policy: DEFAULT_POLICY, repository, session: { fixup: { headSha: real.ours, baseSha: real.theirs } } },
    { merge, regenerated, treeSha: real.sha, changes: diff.changes },
    SIGNAL,
  );
  const policy = DEFAULT_POLICY.changes;
  const violations = judgeMerge({ ...diff, policy, headPaths: tracked, resolution });
  const read = async (
    treeish: RealMerge['sha'],
    wanted: readonly string[],
  ): Promise<Readonly<Record<string, string>>> =>
    git.readFiles(repository, { treeish, paths: wanted, maxBytes: MAX_DEFINITION_BYTES }, SIGNAL);
  const planned = planValidation(DEFAULT_POLICY, tracked, await read(real.ours, VALIDATION_FILES));
  const changed = diff.changes.map(({ path }) => path).filter((path) => !regenerated.includes(path));
  const definitions = toDefinitionPaths(changed);
  const before = explainScripts(await read(against, definitions), resolution);
  const after = await read(real.sha, definitions);
  const weakened = findWeakenedValidation(planned.kind === 'none' ? ANY_COMMAND : planned, {
    ...{ before, after, changed },
    allowedPaths: null,
  });
  const protectedText = weakened === null ? [] : [`PROTECTED_PATH ${weakened.path}: ${weakened.what}`];
  const tree = { treeSha: real.sha, against, ...diff };
  const sides = { ours: real.ours, theirs: real.theirs };
  const judgement = { policy: DEFAULT_POLICY, repository, sides };
  const tests = await judgeTests({ git, testJudge: AT_ONCE }, judgement, { tree, resolution }, SIGNAL);
  return { texts: [...violations.map(({ code, message }) => `${code} ${message}`), ...protectedText], tests };
}

/** A protected path is enough: such a conflict never gets to an agent. */
function toReason(texts: readonly string[]): Reason | null {
  if (texts.length === 0) return null;
  if (texts.some((text) => text.startsWith('PROTECTED_PATH'))) return 'protected path';
  if (texts.some((text) => text.includes('Conflict markers are left'))) return 'marker left by a person';
  return texts.every((text) => text.includes('were undone')) ? "a side's change undone" : 'another reason';
}
