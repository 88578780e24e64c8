import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aPullRequest, aScene, type Scene } from './a-world.ts';
import { at, graphql } from './app-client.ts';
import { basic, type GitRun, runGit } from './git-client.ts';

let scene: Scene;
let dir: string;

beforeAll(async () => {
  scene = await aScene();
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'branch-rules-test-'));
});

afterEach(async () => {
  for (const pattern of ['main', 'feature/*', 'ruled']) scene.world.unprotectBranch(scene.repo, pattern);
  await rm(dir, { recursive: true });
});

const RULES = `query ($ref: String!) { repository(owner: "acme", name: "widget") { viewerPermission ref(qualifiedName: $ref) {
  name
  refUpdateRule { requiresSignatures requiresLinearHistory requiredStatusCheckContexts allowsForcePushes
    viewerCanPush requiredApprovingReviewCount requiresConversationResolution }
  rules(first: 20) { nodes { type parameters {
    ... on PullRequestParameters {
      dismissStaleReviewsOnPush requiredApprovingReviewCount requiredReviewThreadResolution
    }
    ... on RequiredStatusChecksParameters { strictRequiredStatusChecksPolicy requiredStatusChecks { context } }
  } } }
} } }`;

async function readRules(branch: string): Promise<unknown> {
  const answer = await graphql(scene.world, scene.token, RULES, { ref: `refs/heads/${branch}` });
  expect(answer['errors']).toBeUndefined();
  return at(answer, 'data', 'repository', 'ref');
}

const ALL = {
  requiresSignatures: true,
  restrictsPushes: true,
  requiresUpToDate: true,
  requiredChecks: ['test', 'lint'],
  dismissStaleReviews: true,
  requiredApprovals: 2,
  requiresResolvedThreads: true,
} as const;

describe('the rules of a branch', () => {
  it('are none at first', async () => {
    expect(await readRules('main')).toEqual({ name: 'main', refUpdateRule: null, rules: { nodes: [] } });
  });

  it('as a classic protection are its update rule and no ruleset', async () => {
    scene.world.protectBranch(scene.repo, 'main', ALL);

    expect(await readRules('main')).toEqual({
      name: 'main',
      refUpdateRule: {
        requiresSignatures: true,
        requiresLinearHistory: false,
        requiredStatusCheckContexts: ['test', 'lint'],
        allowsForcePushes: false,
        viewerCanPush: false,
        requiredApprovingReviewCount: 2,
        requiresConversationResolution: true,
      },
      rules: { nodes: [] },
    });
  });

  it('as a ruleset are one rule each and no update rule', async () => {
    scene.world.protectBranch(scene.repo, 'main', { ...ALL, as: 'ruleset' });

    expect(await readRules('main')).toEqual({
      name: 'main',
      refUpdateRule: null,
      rules: {
        nodes: [
          { type: 'REQUIRED_SIGNATURES', parameters: null },
          { type: 'UPDATE', parameters: {} },
          {
            type: 'PULL_REQUEST',
            parameters: {
              dismissStaleReviewsOnPush: true,
              requiredApprovingReviewCount: 2,
              requiredReviewThreadResolution: true,
            },
          },
          {
            type: 'REQUIRED_STATUS_CHECKS',
            parameters: {
              strictRequiredStatusChecksPolicy: true,
              requiredStatusChecks: [{ context: 'test' }, { context: 'lint' }],
            },
          },
        ],
      },
    });
  });

  it('hold for the branches that fit the pattern, and nobody else’s', async () => {
    const { world, repo } = scene;
    await world.commit({ repo, branch: 'feature/one', files: { 'one.txt': '1\n' } });
    await world.commit({ repo, branch: 'feature/two/deep', files: { 'two.txt': '2\n' } });
    world.protectBranch(repo, 'feature/*', { requiresSignatures: true });

    expect(await readRules('feature/one')).toMatchObject({ refUpdateRule: { viewerCanPush: true } });
    expect(await readRules('feature/two/deep')).toMatchObject({ refUpdateRule: null });
    expect(await readRules('main')).toMatchObject({ refUpdateRule: null });
  });

  it('replace those of the same shape and can be taken away', async () => {
    scene.world.protectBranch(scene.repo, 'main', { requiredApprovals: 2 });
    scene.world.protectBranch(scene.repo, 'main', { requiresSignatures: true });

    expect(await readRules('main')).toMatchObject({
      refUpdateRule: { requiresSignatures: true, requiredApprovingReviewCount: null },
    });

    scene.world.unprotectBranch(scene.repo, 'main');
    expect(await readRules('main')).toMatchObject({ refUpdateRule: null });
  });

  it('say which checks a pull request requires', async () => {
    const { world, repo, token } = scene;
    const number = await aPullRequest(scene, 'required-checks');
    await world.setStatus({ repo, at: number, context: 'test', state: 'success' });
    await world.setCheck({ repo, at: number, name: 'optional', conclusion: 'success' });
    world.protectBranch(repo, 'main', { requiredChecks: ['test'] });

    const answer = await graphql(
      world,
      token,
      `query ($n: Int!) { repository(owner: "acme", name: "widget") { pullRequest(number: $n) {
        commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 10) { nodes {
          ... on CheckRun { name isRequired(pullRequestNumber: $n) }
          ... on StatusContext { context isRequired(pullRequestNumber: $n) }
      } } } } } } } } }`,
      { n: number },
    );

    const commit = at(answer, 'data', 'repository', 'pullRequest', 'commits', 'nodes', 0, 'commit');
    expect(at(commit, 'statusCheckRollup', 'contexts', 'nodes')).toEqual([
      { name: 'optional', isRequired: false },
      { context: 'test', isRequired: true },
    ]);
  });
});

async function git(token: string | null, args: readonly string[], input = ''): Promise<GitRun> {
  return await runGit({ dir, url: scene.world.url, authorization: token === null ? null : basic(token) }, args, input);
}

/** Clones the branch `ruled`, which is made anew, and commits to it. */
async function aCommitOnRuled(): Promise<string> {
  const { world, repo, token } = scene;
  await world.forcePush({ repo, branch: 'ruled', from: 'main', files: { 'ruled.txt': `${dir}\n` } });
  await git(token, ['clone', '--quiet', '--branch=ruled', `${world.url}/${repo}.git`, '.']);
  await writeFile(path.join(dir, 'pushed.txt'), `${dir}\n`);
  await git(null, ['add', '.']);
  await git(null, ['commit', '--quiet', '--message', 'push me']);
  return (await git(null, ['rev-parse', 'HEAD'])).stdout;
}

async function push(token: string, ...options: readonly string[]): Promise<readonly string[]> {
  const result = await git(token, ['push', ...options, 'origin', 'HEAD:refs/heads/ruled']);
  return result.stderr.split('\n').map((line) => line.trimEnd());
}

const DOCS =
  'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches';

describe('a push by the App', () => {
  it.each([
    ['unsigned commits', { requiresSignatures: true }, '- Commits must have verified signatures.'],
    [
      'a restricted branch',
      { restrictsPushes: true },
      `- You're not authorized to push to this branch. Visit ${DOCS} for more information.`,
    ],
    ['reviews', { requiredApprovals: 1 }, '- Changes must be made through a pull request.'],
    ['a check', { requiredChecks: ['test'] }, '- Required status check "test" is expected.'],
    ['checks', { requiredChecks: ['test', 'lint'] }, '- 2 of 2 required status checks are expected.'],
  ])('is refused by a classic protection because of %s', async (_name, options, message) => {
    await aCommitOnRuled();
    const before = await scene.world.headSha(scene.repo, 'ruled');
    scene.world.protectBranch(scene.repo, 'ruled', options);

    const lines = await push(scene.token);

    expect(lines.slice(0, 3)).toEqual([
      'remote: error: GH006: Protected branch update failed for refs/heads/ruled.',
      'remote:',
      `remote: ${message}`,
    ]);
    expect(lines).toContain(' ! [remote rejected] HEAD -> ruled (protected branch hook declined)');
    expect(lines.join('\n')).not.toContain('refused:');
    expect(await scene.world.headSha(scene.repo, 'ruled')).toBe(before);
  });

  it('is refused by a ruleset, which names the commits without a signature', async () => {
    const sha = await aCommitOnRuled();
    scene.world.protectBranch(scene.repo, 'ruled', { requiresSignatures: true, restrictsPushes: true, as: 'ruleset' });

    const lines = await push(scene.token);

    expect(lines.filter((line) => line.startsWith('remote:'))).toEqual([
      'remote: error: GH013: Repository rule violations found for refs/heads/ruled.',
      `remote: Review all repository rules at ${scene.world.url}/acme/widget/rules?ref=refs%2Fheads%2Fruled`,
      'remote:',
      'remote: - Cannot update this protected ref.',
      'remote:',
      'remote: - Commits must have verified signatures.',
      'remote:   Found 1 violation:',
      'remote:',
      `remote:   ${sha}`,
      'remote:',
    ]);
    expect(lines).toContain(' ! [remote rejected] HEAD -> ruled (push declined due to repository rule violations)');
  });

  it('with signed commits passes a rule that wants signatures', async () => {
    await aCommitOnRuled();
    const commit = (await git(null, ['cat-file', 'commit', 'HEAD'])).stdout;
    const signed = commit.replace('\n\n', '\ngpgsig -----BEGIN SSH SIGNATURE-----\n -----END SSH SIGNATURE-----\n\n');
    const { stdout } = await git(null, ['hash-object', '-t', 'commit', '-w', '--stdin'], `${signed}\n`);
    await git(null, ['reset', '--quiet', '--hard', stdout]);
    scene.world.protectBranch(scene.repo, 'ruled', { requiresSignatures: true });

    await push(scene.token);

    expect(await scene.world.headSha(scene.repo, 'ruled')).toBe(stdout);
  });

  it('may not force or delete a branch with a classic protection', async () => {
    await aCommitOnRuled();
    await git(null, ['reset', '--quiet', '--hard', 'HEAD~2']);
    scene.world.protectBranch(scene.repo, 'ruled', {});

    const forced = await push(scene.token, '--force');
    const deleted = await git(scene.token, ['push', 'origin', ':refs/heads/ruled']);

    expect(forced).toContain('remote: - Cannot force-push to this branch');
    expect(deleted.stderr).toContain('remote: - Cannot delete this branch');
    expect(deleted.exitCode).toBe(1);
  });

  it('to another branch is as free as before', async () => {
    await aCommitOnRuled();
    scene.world.protectBranch(scene.repo, 'main', ALL);

    const lines = await push(scene.token);

    expect(lines.join('\n')).not.toContain('remote:');
  });
});

it('A push by an administrator passes the rules', async () => {
  const sha = await aCommitOnRuled();
  scene.world.protectBranch(scene.repo, 'ruled', ALL);

  await push(scene.world.userToken('acme'));

  expect(await scene.world.headSha(scene.repo, 'ruled')).toBe(sha);
});
