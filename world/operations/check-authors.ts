import { accountOfEmail, rowOf } from '../find.ts';
import type { Commit } from '../git/commit.ts';
import { listCommits } from '../git/repository.ts';
import type { AuthorChecks, Pull } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { addCheckRun } from './change-checks.ts';
import { ensureSuite } from './check-suites.ts';
import { readPullTips } from './read-pull-code.ts';

/** Adds the results of the DCO and CLA checks that are switched on in the repository at the head of the pull request. */
export async function checkAuthors(world: WorldContext, pull: Pull): Promise<void> {
  const checks = world.state.authorChecks.get(pull.repositoryId);
  if (checks === undefined) return;
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const { baseSha, headSha } = await readPullTips(world, pull);
  const commits = await listCommits(repository.git, ['--no-merges', headSha, `^${baseSha}`]);
  const suite = ensureSuite(world, repository, checks.appId, { sha: headSha, branch: pull.headBranch });
  for (const name of checks.kinds) {
    const passes = commits.every((commit) => isAccepted(world, name, commit));
    const at = world.now();
    const run = {
      id: world.nextId(),
      repositoryId: repository.id,
      suiteId: suite.id,
      appId: checks.appId,
      headSha,
      name,
      status: 'completed',
      conclusion: passes ? 'success' : 'action_required',
      startedAt: at,
      completedAt: at,
      detailsUrl: null,
      externalId: '',
      output: { title: null, summary: null, text: null },
      annotations: [],
      actions: [],
    } as const;
    await addCheckRun(world, run, `${rowOf(world.state.apps, checks.appId).slug}[bot]`);
  }
}

/** DCO: each commit is signed off by its author. CLA: each author is an account that GitHub knows. */
function isAccepted(world: WorldContext, name: AuthorChecks['kinds'][number], { author, message }: Commit): boolean {
  if (name === 'license/cla') return accountOfEmail(world.state, author.email) !== undefined;
  return message.split('\n').includes(`Signed-off-by: ${author.name} <${author.email}>`);
}
