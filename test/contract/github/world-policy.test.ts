import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSha } from '../../../src/core/model/ids.ts';
import { aPullRequest, aScene, type Scene } from '../../world/a-world.ts';
import { connect, refOf } from './world-fixture.ts';

const signal = (): AbortSignal => new AbortController().signal;
const POLICY = '.github/ratchet.yml';

let scene: Scene;

beforeEach(async () => {
  scene = await aScene({ [POLICY]: 'mode: suggest\n' });
});

afterEach(async () => {
  expect(scene.world.violations).toEqual([]);
  await scene.world.close();
});

async function readFacts(number: number) {
  const facts = await connect(scene).readPullRequest(await refOf(scene, number), signal());
  if (facts === null) throw new Error('there is no such pull request');
  return facts;
}

describe('against the local GitHub, readPullRequest', () => {
  it('finds no rules, both policy files and the parents of the head', async () => {
    const facts = await readFacts(await aPullRequest(scene));

    expect(facts).toMatchObject({
      policyText: 'mode: suggest\n',
      headPolicyText: 'mode: suggest\n',
      organizationPolicyText: null,
      rules: { pushRefusals: [], mustBeUpToDate: false, dismissesStaleApprovals: false, mustResolveThreads: false },
    });
    expect(facts.headParents).toEqual([facts.baseSha]);
  });

  it.each([
    ['signed commits', { requiresSignatures: true }, 'signed commits only'],
    ['restricted pushes', { restrictsPushes: true }, ''],
    ['reviews', { requiredApprovals: 1 }, 'by pull request only'],
    ['checks', { requiredChecks: ['test'] }, 'required checks'],
  ])('tells of both kinds of rules that they refuse a push: %s', async (_what, rule, why) => {
    const number = await aPullRequest(scene);
    for (const as of ['protection', 'ruleset'] as const) {
      scene.world.protectBranch(scene.repo, 'feature', { ...rule, as });

      const { rules } = await readFacts(number);

      expect(rules.pushRefusals, as).toHaveLength(1);
      expect(rules.pushRefusals[0]).toContain(why);
      scene.world.unprotectBranch(scene.repo, 'feature');
    }
  });

  it('is not misled by protection that lets us push: the token that reads may not', async () => {
    const number = await aPullRequest(scene);
    scene.world.protectBranch(scene.repo, '*', { requiresUpToDate: true });

    expect((await readFacts(number)).rules.pushRefusals).toEqual([]);
  });

  it('reads what the base demands', async () => {
    const number = await aPullRequest(scene);
    const reviews = { dismissStaleReviews: true, requiredApprovals: 1, requiresResolvedThreads: true };
    const rule = { requiresUpToDate: true, requiredChecks: ['test'], ...reviews };
    scene.world.protectBranch(scene.repo, 'main', { ...rule, as: 'ruleset' });
    const pattern = { of: 'message', operator: 'starts_with', pattern: 'fix', negate: false } as const;
    scene.world.protectBranch(scene.repo, '*', { commitPatterns: [pattern], as: 'ruleset' });

    expect((await readFacts(number)).rules).toEqual({
      pushRefusals: [],
      mustBeUpToDate: true,
      requiredChecks: ['test'],
      commitPatterns: [pattern],
      dismissesStaleApprovals: true,
      mustResolveThreads: true,
    });
  });

  it.each([
    ['public', false, false, 'mode: observe\n'],
    ['private, with the App on it', true, true, 'mode: observe\n'],
    ['private, without the App', true, false, null],
  ])("reads the organisation's file where its repository is %s", async (_what, isPrivate, isInstalled, expected) => {
    const { world } = scene;
    const files = { [POLICY]: 'mode: observe\n' };
    const defaults = await world.createRepository({ owner: 'acme', name: '.github', files, private: isPrivate });
    if (isInstalled) world.installApp(defaults);
    const number = await aPullRequest(scene);

    expect((await readFacts(number)).organizationPolicyText).toBe(expected);
  });
});

describe('against the local GitHub, the policy file of a pull request', () => {
  it.each([
    ['changes it', { [POLICY]: 'mode: push\n' }, 'mode: push\n', true],
    ['deletes it', { [POLICY]: null }, null, true],
    ['leaves it', { 'b.txt': 'b\n' }, 'mode: suggest\n', false],
  ])('is told apart where the pull request %s', async (_what, files, headPolicyText, touches) => {
    const { world, repo } = scene;
    await world.commit({ repo, branch: 'feature', files, login: 'ann' });
    const number = await world.openPullRequest({ repo, head: 'feature', login: 'ann', title: 'Change' });
    const ref = await refOf(scene, number);

    const github = connect(scene);
    const read = await github.readConfigFiles(ref, signal());

    expect(read).toMatchObject({ headPolicyText, policyText: 'mode: suggest\n', organizationPolicyText: null });
    expect(parseSha(read?.headSha ?? '')).toBe((await readFacts(number)).headSha);
    expect(await github.touchesPolicyFile(ref, signal())).toBe(touches);
  });

  it('is not touched by a pull request that merely lags behind', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    await world.commit({ repo, branch: 'main', files: { [POLICY]: 'mode: observe\n' }, login: 'ann' });
    const ref = await refOf(scene, number);

    const read = await connect(scene).readConfigFiles(ref, signal());

    expect(read).toMatchObject({ headPolicyText: 'mode: suggest\n', policyText: 'mode: observe\n' });
    expect(await connect(scene).touchesPolicyFile(ref, signal())).toBe(false);
  });
});

describe('against the local GitHub, the policy file', () => {
  it.each<[string, Readonly<Record<string, string>>, string | null, string | undefined]>([
    ['is read as ratchet.yaml too', { '.github/ratchet.yaml': 'mode: observe\n' }, 'observe', '.github/ratchet.yaml'],
    ['may not be there twice', { [POLICY]: '', '.github/ratchet.yaml': '' }, 'two policy files', undefined],
    ['has no other name', { '.github/Ratchet.yml': '' }, '.github/Ratchet.yml is not read', '.github/Ratchet.yml'],
    ['is not read at the root', { '.ratchet.yaml': '' }, '.ratchet.yaml is not read', '.ratchet.yaml'],
    ['is missing', { '.github/workflows/ci.yml': 'on: []\n' }, null, undefined],
  ])('%s (L15)', async (_what, files, text, path) => {
    await scene.world.close();
    scene = await aScene(files);

    const facts = await readFacts(await aPullRequest(scene));

    expect(facts.headPolicyText).toBe(facts.policyText);
    expect(facts.headPolicyPath).toBe(path);
    if (text === null) expect(facts.policyText).toBeNull();
    else expect(facts.policyText).toContain(text);
  });
});
