import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPullRequest, aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { at, installationToken, rest } from './app-client.ts';

let shared: Scene;
let count = 0;

beforeAll(async () => {
  shared = await aScene();
});

afterAll(async () => {
  const { violations } = shared.world;
  await shared.world.close();
  expect(violations).toEqual([]);
});

async function aRepository(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const { world, installationId } = shared;
  count += 1;
  const all = { 'a.txt': 'one\ntwo\nthree\n', ...files };
  const repo = await world.createRepository({ owner: 'acme', name: `pushes-${count}`, files: all });
  world.installApp(repo);
  return { world, repo, installationId, token: await installationToken(world, installationId) };
}

const CI = { 'check.js': 'process.exit(0);\n', '.github/workflows/ci.yml': CI_WORKFLOW };

describe('a person', () => {
  it('takes a commit of ours back, and keeps what came after it', async () => {
    const { world, repo } = await aRepository();
    await world.commit({
      repo,
      branch: 'feature',
      files: { 'a.txt': 'one\n2\nthree\n', 'b.txt': 'b\n' },
      login: 'ann',
    });
    const number = await world.openPullRequest({ repo, head: 'feature', login: 'ann' });
    const ours = await world.commit({ repo, branch: 'feature', files: { 'a.txt': null, 'bin.dat': '\u0000\u0001' } });
    const later = await world.commit({ repo, branch: 'feature', files: { 'b.txt': 'B\n' }, login: 'ann' });
    const from = world.deliveries.length;

    const sha = await world.revert({ repo, branch: 'feature', sha: ours, login: 'rob' });

    expect(await world.log(repo, number, 1)).toEqual([
      {
        sha,
        author: 'rob',
        parents: [later],
        message: `Revert "Change a.txt, bin.dat"\n\nThis reverts commit ${ours}.`,
      },
    ]);
    expect(await world.fileAt(repo, number, 'a.txt')).toBe('one\n2\nthree\n');
    expect(await world.fileAt(repo, number, 'bin.dat')).toBeNull();
    expect(await world.fileAt(repo, number, 'b.txt')).toBe('B\n');
    const synchronized = world.deliveries.slice(from).find(({ action }) => action === 'synchronize');
    expect(synchronized?.payload).toMatchObject({ before: later, after: sha, sender: { login: 'rob' } });
  });

  it('takes the tip back unless told otherwise, and is told when a commit does not come off', async () => {
    const { world, repo } = await aRepository();
    const first = await world.commit({ repo, branch: 'feature', files: { 'a.txt': 'one\n2\nthree\n' } });
    await world.commit({ repo, branch: 'feature', files: { 'a.txt': 'one\nII\nthree\n' } });

    await expect(world.revert({ repo, branch: 'feature', sha: first })).rejects.toThrow('apply');
    await world.revert({ repo, branch: 'feature' });

    expect(await world.fileAt(repo, 'feature', 'a.txt')).toBe('one\n2\nthree\n');
  });
});

describe('path filters', () => {
  const filtered = (filter: string): Readonly<Record<string, string>> => ({
    ...CI,
    '.github/workflows/ci.yml': CI_WORKFLOW.replace('  pull_request:', `  pull_request:\n    ${filter}`),
  });

  it('leave a head without any run when nothing it changes is named', async () => {
    const { world, repo } = await aRepository(filtered("paths: ['src/**']"));
    await world.commit({ repo, branch: 'feature', files: { 'docs/a.md': 'a\n' } });
    const number = await world.openPullRequest({ repo, head: 'feature' });
    await world.settled();
    const none = await world.checkRuns(repo, number);

    await world.commit({ repo, branch: 'feature', files: { 'src/a.js': 'a\n' } });
    await world.settled();

    expect(none).toEqual([]);
    expect(await world.checkRuns(repo, number)).toMatchObject([{ name: 'test', conclusion: 'success' }]);
  });

  it('of a pull request look at all it changes, not at the last push alone', async () => {
    const { world, repo } = await aRepository(filtered("paths-ignore: ['docs/**']"));
    await world.commit({ repo, branch: 'feature', files: { 'src/a.js': 'a\n' } });
    const number = await world.openPullRequest({ repo, head: 'feature' });

    await world.commit({ repo, branch: 'feature', files: { 'docs/a.md': 'a\n' } });
    await world.settled();

    expect(await world.checkRuns(repo, number)).toHaveLength(1);
  });

  it('of a push look at what it changed', async () => {
    const workflow = CI_WORKFLOW.replace('  pull_request:', "  push:\n    paths: ['src/**']");
    const { world, repo } = await aRepository({ ...CI, '.github/workflows/ci.yml': workflow });
    await world.commit({ repo, branch: 'feature', files: { 'src/a.js': 'a\n' } });
    await world.commit({ repo, branch: 'feature', files: { 'docs/a.md': 'a\n' } });
    const touched = await world.commit({ repo, branch: 'feature', files: { 'src/b.js': 'b\n' } });

    await world.settled();

    const heads = world.workflowRuns(repo).map(({ headSha }) => headSha);
    expect(heads).toHaveLength(2);
    expect(heads.at(-1)).toBe(touched);
  });
});

describe('a conflict', () => {
  it('keeps the workflows of a new head from starting until it is resolved', async () => {
    const scene = await aRepository(CI);
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    const main = await world.commit({ repo, branch: 'main', files: { 'a.txt': 'one\nTWO\nthree\n' } });

    await world.commit({ repo, branch: 'feature', files: { 'b.txt': 'b\n' } });
    await world.settled();
    const conflicted = await world.checkRuns(repo, number);
    await world.forcePush({ repo, branch: 'feature', from: main, files: { 'b.txt': 'b\n' } });
    await world.settled();

    expect(conflicted).toEqual([]);
    expect(await world.checkRuns(repo, number)).toHaveLength(1);
  });
});

describe('comparing', () => {
  it('tells the merge base and how far apart two commits are, in pages of commits', async () => {
    const { world, repo, token } = await aRepository();
    const base = await world.headSha(repo, 'main');
    for (const name of ['1', '2', '3'])
      await world.commit({ repo, branch: 'feature', files: { [`${name}.txt`]: name } });
    await world.commit({ repo, branch: 'main', files: { 'm.txt': 'm\n' } });

    const whole = await rest(world, token, `GET /repos/${repo}/compare/main...feature`);
    const first = await rest(world, token, `GET /repos/${repo}/compare/main...feature?per_page=2`);
    const second = await rest(world, token, `GET /repos/${repo}/compare/main...feature?per_page=2&page=2`);
    const same = await rest(world, token, `GET /repos/${repo}/compare/${base}...${base}`);

    const facts = { status: 'diverged', ahead_by: 3, behind_by: 1, total_commits: 3, merge_base_commit: { sha: base } };
    expect(whole.body).toMatchObject(facts);
    expect([whole, first, second].map(({ body }) => at(body, 'commits', 'length'))).toEqual([3, 2, 1]);
    expect([whole, first, second].map(({ body }) => at(body, 'files', 'length'))).toEqual([3, 3, 0]);
    expect(second.body).toMatchObject(facts);
    expect(first.headers.get('link')).toContain('rel="next"');
    expect(second.headers.get('link')).not.toContain('rel="next"');
    expect(same.body).toMatchObject({ status: 'identical', ahead_by: 0, behind_by: 0, commits: [], files: [] });
  });
});

describe('the rules of a branch', () => {
  it('are those of rulesets; classic protection is told by the branch', async () => {
    const { world, repo, token } = await aRepository();
    world.protectBranch(repo, 'main', { requiredChecks: ['old'] });
    world.protectBranch(repo, 'ma*', {
      as: 'ruleset',
      requiredChecks: ['test'],
      requiresUpToDate: true,
      requiresSignatures: true,
      restrictsPushes: true,
      requiredApprovals: 2,
    });

    const rules = await rest(world, token, `GET /repos/${repo}/rules/branches/main`);
    const other = await rest(world, token, `GET /repos/${repo}/rules/branches/feature`);
    const branch = await rest(world, token, `GET /repos/${repo}/branches/main`);

    expect(rules.body).toMatchObject([
      { type: 'required_signatures', ruleset_source: repo },
      { type: 'update' },
      {
        type: 'required_status_checks',
        parameters: { strict_required_status_checks_policy: true, required_status_checks: [{ context: 'test' }] },
      },
      { type: 'pull_request', parameters: { required_approving_review_count: 2 } },
    ]);
    expect(other.body).toEqual([]);
    expect(branch.body).toMatchObject({
      protected: true,
      protection: { enabled: true, required_status_checks: { contexts: ['old'] } },
    });
  });
});

describe('many open pull requests', () => {
  it('stay open and readable while their base moves, fifty of them', async () => {
    const { world, repo, token } = await aRepository();
    const main = await world.headSha(repo, 'main');
    const files = (index: number): Readonly<Record<string, string>> => ({ [`f${index}.txt`]: `${index}\n` });
    const numbers = await world.openPullRequests({ repo, count: 50, name: 'change', files });
    await world.merge({ repo, number: numbers[7] ?? 0 });

    await world.commit({ repo, branch: 'main', files: { 'm.txt': 'm\n' } });
    const listed = await rest(world, token, `GET /repos/${repo}/pulls?per_page=30&page=2`);
    const last = await rest(world, token, `GET /repos/${repo}/pulls/${numbers.at(-1) ?? 0}`);

    expect(new Set(numbers).size).toBe(50);
    expect(listed.body).toHaveLength(19);
    expect(last.body).toMatchObject({ state: 'open', mergeable: true, commits: 1, changed_files: 1 });
    expect(await world.headSha(repo, 'main')).not.toBe(main);
  });
});
