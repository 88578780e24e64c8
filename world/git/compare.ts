import type { ChangedFile, Comparison, FileStatus } from './commit.ts';
import { type GitRepository, isChildOf, listCommits, readCommit } from './repository.ts';
import { git, tryGit } from './run-git.ts';

/** Compares `head` with `base` as a pull request does; null if they share no history. */
export async function compareCommits(
  repository: GitRepository,
  base: string,
  head: string,
): Promise<Comparison | null> {
  const key = `${base} ${head}`;
  const known = repository.comparisons.get(key);
  if (known !== undefined) return known;
  const comparison = await computeComparison(repository, base, head);
  repository.comparisons.set(key, comparison);
  return comparison;
}

async function computeComparison(repository: GitRepository, base: string, head: string): Promise<Comparison | null> {
  if (base === head) return { mergeBase: base, aheadBy: 0, behindBy: 0, commits: [], files: [] };
  const commit = await readCommit(repository, head);
  if (isChildOf(commit, base)) {
    const files = await changedFiles(repository, base, head);
    return { mergeBase: base, aheadBy: 1, behindBy: 0, commits: [commit], files };
  }
  const found = await tryGit(repository.dir, ['merge-base', base, head]);
  if (found.exitCode !== 0) return null;
  const mergeBase = found.stdout.trim();
  const [commits, behind, files] = await Promise.all([
    listCommits(repository, [`${base}..${head}`]),
    git(repository.dir, ['rev-list', '--count', `${head}..${base}`]),
    changedFiles(repository, mergeBase, head),
  ]);
  return { mergeBase, aheadBy: commits.length, behindBy: Number(behind), commits: commits.toReversed(), files };
}

/** The files that differ between two commits, with their patches. */
export async function changedFiles(
  repository: GitRepository,
  from: string,
  to: string,
): Promise<readonly ChangedFile[]> {
  const key = `${from} ${to}`;
  const known = repository.diffs.get(key);
  if (known !== undefined) return known;
  const args = ['-c', 'core.quotepath=off', 'diff', '--no-color', '--full-index', '--find-renames', from, to];
  const output = await git(repository.dir, args);
  const files = output
    .split(/^(?=diff --git )/mu)
    .filter((section) => section.startsWith('diff --git '))
    .map(toChangedFile);
  repository.diffs.set(key, files);
  return files;
}

function toStatus(header: string): FileStatus {
  if (/^new file mode/mu.test(header)) return 'added';
  if (/^deleted file mode/mu.test(header)) return 'removed';
  return /^rename from /mu.test(header) ? 'renamed' : 'modified';
}

function toChangedFile(section: string): ChangedFile {
  const start = section.search(/^@@ /mu);
  const header = start === -1 ? section : section.slice(0, start);
  const patch = start === -1 ? null : section.slice(start).replace(/\n$/u, '');
  const names = /^diff --git a\/(?<before>.*) b\/(?<after>.*)$/mu.exec(header)?.groups ?? {};
  const status = toStatus(header);
  const lines = (patch ?? '').split('\n');
  return {
    filename: names['after'] ?? '',
    previousFilename: status === 'renamed' ? (names['before'] ?? null) : null,
    status,
    sha: /^index [0-9a-f]{40}\.\.(?<sha>[0-9a-f]{40})/mu.exec(header)?.groups?.['sha'] ?? null,
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    patch,
  };
}

/** Whether `line` of `path` at `from` is changed or deleted at `to`. GitHub then calls a thread outdated. */
export async function isLineChanged(
  repository: GitRepository,
  range: { readonly from: string; readonly to: string },
  place: { readonly path: string; readonly line: number },
): Promise<boolean> {
  if (range.from === range.to) return false;
  const args = ['diff', '--no-color', '--unified=0', range.from, range.to, '--', place.path];
  const result = await tryGit(repository.dir, args);
  if (result.exitCode !== 0) return true;
  for (const hunk of result.stdout.matchAll(/^@@ -(?<start>\d+)(?:,(?<count>\d+))? /gmu)) {
    const start = Number(hunk.groups?.['start']);
    const count = Number(hunk.groups?.['count'] ?? '1');
    if (place.line >= start && place.line < start + count) return true;
  }
  return false;
}
