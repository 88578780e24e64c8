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
import { MAX_POLICY_BYTES } from '../config/policy-file.ts';
import type { Violation } from '../core/judge/judge-change.ts';
import { ConfigError } from '../core/model/errors.ts';
import { parsePullRequestKey, parseRunId, type Sha } from '../core/model/ids.ts';
import type { Policy } from '../core/model/policy.ts';
import { NO_OPERATOR_POLICY } from '../core/policy/operator-policy.ts';
import { choosePolicy, MISPLACED_PATHS, POLICY_PATHS } from '../core/policy/policy-place.ts';
import { judgeMergeCommit } from '../pipeline/fixup/judge-merge-commit.ts';
import { takePolicy } from '../pipeline/look/take-policy.ts';
import type { Git, SessionRepository } from '../ports/git.ts';
import type { TestJudge } from '../ports/test-judge.ts';
import { SILENT } from './silent-log.ts';

/** A merge commit of a local repository, and the environment of the person who asks. */
export interface MergeQuestion {
  readonly folder: string;
  readonly commit: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * All reasons for which Ratchet's gate would refuse that merge, by the policy of the branch that was merged in. Writes nothing to the
 * repository: what git computes goes to a temporary one that borrows its objects. Throws `ConfigError` if the commit is no
 * merge of two parents, cannot be found, or the policy is invalid.
 */
export async function examineMerge(question: MergeQuestion, signal: AbortSignal): Promise<readonly Violation[]> {
  const { objectsDir, commitSha, headSha, baseSha } = await readMergeCommit(question, signal);
  const dataDir = await mkdtemp(join(tmpdir(), 'ratchet-merge-'));
  try {
    const newId = (): string => randomBytes(15).toString('hex');
    const git = createGit({ dataDir, log: SILENT, clock: { now: Date.now }, newId, limits: DEFAULT_GIT_LIMITS });
    const mirror = createLayout(dataDir).mirror(1);
    await writeRepository(mirror.gitDir, { bare: true, head: headSha, alternates: objectsDir, mode: 0o700 });
    const session = { id: parseRunId(newId()), key: parsePullRequestKey('1#1'), headSha, alsoKeep: [baseSha] };
    const repository = await git.prepareSession(mirror, session, signal);
    const policy = await readPolicy(git, repository, baseSha, signal);
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
const AT_ONCE: TestJudge = { judge: async (change) => examineSides(change) };

/** The policy in the base branch, which is the one that holds for a pull request. */
async function readPolicy(git: Git, repository: SessionRepository, baseSha: Sha, signal: AbortSignal): Promise<Policy> {
  const paths = await git.listFiles(repository, signal, baseSha);
  const want = {
    treeish: baseSha,
    paths: POLICY_PATHS.filter((path) => paths.includes(path)),
    maxBytes: MAX_POLICY_BYTES,
  };
  const texts = await git.readFiles(repository, want, signal);
  const { path, text } = choosePolicy({
    yml: texts[POLICY_PATHS[0]] ?? null,
    yaml: texts[POLICY_PATHS[1]] ?? null,
    folder: paths.flatMap((name) => /^\.github\/([^/]+)$/u.exec(name)?.[1] ?? []),
    misplaced: MISPLACED_PATHS.filter((name) => paths.includes(name)),
  });
  const { policy, problems } = takePolicy({ policyText: text, organizationPolicyText: null }, NO_OPERATOR_POLICY);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${path} of the base branch, ${problem}`));
  return policy;
}
