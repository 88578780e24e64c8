import type { Sha } from '../../core/model/ids.ts';
import type { TestChangeFact } from '../../core/model/test-change.ts';
import { toOwnFacts } from '../../core/tamper/to-own-facts.ts';
import type { FileTexts } from '../../ports/test-judge.ts';
import type { Deps } from '../deps.ts';
import type { Change, PreparedFixup } from './fixup-session.ts';

/** A larger file is not read. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Of all files of one side, in characters: the rest is not read. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Git reads this many files at once: fewer bytes than it may print. */
const FILES_AT_ONCE = 40;

/** What a change is judged by. */
export interface TestJudgement extends Pick<PreparedFixup, 'policy' | 'repository'> {
  /** What a merge brings together; null: no merge. */
  readonly sides: { readonly ours: Sha; readonly theirs: Sha } | null;
}

/**
 * What a change does to the tests that prove it, from the files before and after it. Of a merge only what the resolution does by itself;
 * what a command made anew is not judged. What cannot be read is held, never clean.
 */
export async function judgeTests(
  deps: Pick<Deps, 'git' | 'testJudge'>,
  judgement: TestJudgement,
  { tree, resolution }: Pick<Change, 'tree' | 'resolution'>,
  signal: AbortSignal,
): Promise<readonly TestChangeFact[]> {
  const { sides, policy } = judgement;
  const regenerated = new Set(resolution?.regenerated);
  const paths = tree.changes.map(({ path }) => path).filter((path) => !regenerated.has(path));
  if (paths.length === 0) return [];
  const read = (treeish: Sha): Promise<FileTexts> => readSide(deps, judgement, { treeish, paths }, signal);
  const from = sides === null ? [tree.against] : [sides.ours, sides.theirs];
  const [after, before] = await Promise.all([read(tree.treeSha), Promise.all(from.map(read))]);
  const { tests: testChanges, protectedPaths } = policy.changes;
  const change = { before, after, policy: { testChanges, protectedPaths } };
  const verdicts = await deps.testJudge.judge(change, signal);
  if (sides !== null) return toOwnFacts(verdicts, resolution ?? { files: [], beside: [] });
  return verdicts.flatMap(({ facts }) => facts);
}

/** The changed files as one side has them. */
async function readSide(
  { git }: Pick<Deps, 'git'>,
  { repository }: TestJudgement,
  { treeish, paths }: { readonly treeish: Sha; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<FileTexts> {
  const there = new Set(await git.listFiles(repository, signal, treeish));
  const wanted = paths.filter((path) => there.has(path));
  const texts: [string, string | null][] = [];
  let left = MAX_CHARACTERS;
  for (let at = 0; at < wanted.length; at += FILES_AT_ONCE) {
    const some = wanted.slice(at, at + FILES_AT_ONCE);
    const want = { treeish, paths: left > 0 ? some : [], maxBytes: MAX_FILE_BYTES };
    const found = new Map(Object.entries(await git.readFiles(repository, want, signal)));
    for (const path of some) {
      const text = found.get(path) ?? null;
      left -= text?.length ?? 0;
      texts.push([path, left < 0 ? null : text]);
    }
  }
  return Object.fromEntries(texts);
}
