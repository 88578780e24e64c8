import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGit } from '../adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS } from '../adapters/git/git-limits.ts';
import { createLayout } from '../adapters/git/layout.ts';
import { writeRepository } from '../adapters/git/write-repository.ts';
import { readMergeCommit } from '../adapters/local/read-merge-commit.ts';
import { examineSides } from '../adapters/source/examine-change.ts';
import { parsePullRequestKey, parseRunId } from '../core/model/ids.ts';
import { judgeMergeCommit, type MergeVerdict } from '../pipeline/fixup/judge-merge-commit.ts';
import type { TestJudge } from '../ports/test-judge.ts';
import { readTreePolicy } from './read-tree-policy.ts';
import { SILENT } from './silent-log.ts';

/** A merge commit of a local repository, and the environment of the person who asks. */
export interface MergeQuestion {
  readonly folder: string;
  readonly commit: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * What Ratchet's gate would say of that merge, by the policy of the branch that was merged in. Writes nothing to the
 * repository: what git computes goes to a temporary one that borrows its objects. Throws `ConfigError` if the commit is no
 * merge of two parents, cannot be found, or the policy is invalid.
 */
export async function examineMerge(question: MergeQuestion, signal: AbortSignal): Promise<MergeVerdict> {
  const { objectsDir, commitSha, headSha, baseSha } = await readMergeCommit(question, signal);
  const dataDir = await mkdtemp(join(tmpdir(), 'ratchet-merge-'));
  try {
    const newId = (): string => randomBytes(15).toString('hex');
    const git = createGit({ dataDir, log: SILENT, clock: { now: Date.now }, newId, limits: DEFAULT_GIT_LIMITS });
    const mirror = createLayout(dataDir).mirror(1);
    await writeRepository(mirror.gitDir, { bare: true, head: headSha, alternates: objectsDir, mode: 0o700 });
    const session = { id: parseRunId(newId()), key: parsePullRequestKey('1#1'), headSha, alsoKeep: [baseSha] };
    const repository = await git.prepareSession(mirror, session, signal);
    const policy = await readTreePolicy(git, repository, { treeish: baseSha, where: 'the base branch' }, signal);
    return await judgeMergeCommit(
      { git, testJudge: AT_ONCE },
      { repository, commitSha, headSha, baseSha, policy },
      signal,
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Nobody else waits in a command. */
const AT_ONCE: TestJudge = { prepare: () => undefined, judge: async (change) => examineSides(change) };
