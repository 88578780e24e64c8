import { describe, expect, it, onTestFinished } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { NO_OPERATOR_POLICY, type OperatorPolicy } from '../../src/core/policy/operator-policy.ts';
import { createRedactor } from '../../src/core/redact/create-redactor.ts';
import { takePolicy } from '../../src/pipeline/look/take-policy.ts';
import { checkConfigFile } from '../../src/pipeline/tell/check-config-file.ts';
import type { Store } from '../../src/ports/store.ts';
import { aPullRequest, aWorkspace, fakeSha } from '../support/builders.ts';
import { createFakeGitHub, type FakeGitHub } from '../support/fake-github.ts';
import { memoryStore, recordingLog } from '../support/store.ts';

const LIVE_SECRET = 'webhook-secret-0123456789abcdef';
const workspace = aWorkspace({ enablement: 'never' });

interface Scene {
  readonly github: FakeGitHub;
  readonly store: Store;
  /** Of each check run that was to be created, whether nobody can have tried before. */
  readonly firsts: readonly boolean[];
  readonly check: (facts?: Partial<PullRequestFacts>) => Promise<void>;
}

/** A pull request that changes the policy file, unless it is said that it does not touch it. */
function startScene(options: { readonly touches?: boolean; readonly operator?: OperatorPolicy } = {}): Scene {
  const { touches = true, operator = NO_OPERATOR_POLICY } = options;
  const store = memoryStore();
  onTestFinished(store.close);
  store.ensureWorkspace(workspace);
  const fake = createFakeGitHub(aPullRequest());
  const firsts: boolean[] = [];
  const github: FakeGitHub = {
    ...fake,
    createCheckRun: (repository, content, signal, isFirst = false) => {
      firsts.push(isFirst);
      return fake.createCheckRun(repository, content, signal);
    },
    touchesPolicyFile: async (ref, signal) => {
      await fake.touchesPolicyFile(ref, signal);
      return touches;
    },
  };
  const settings = {
    recheckMs: 1,
    userSessionIdleMs: 1,
    signsOff: false,
    liveSecrets: () => [LIVE_SECRET],
    operatorPolicy: operator,
    spend: { list: () => ({ entries: [], appOwner: null }), limits: {} },
  };
  const redact = createRedactor([LIVE_SECRET]);
  const deps = { github, redact, store, settings, log: recordingLog().log };
  return {
    github,
    store,
    firsts,
    check: async (changes = {}) => {
      const facts = aPullRequest(changes);
      const taken = takePolicy(facts, operator);
      await checkConfigFile(deps, { workspace, facts: { ...facts, taken } }, new AbortController().signal);
    },
  };
}

describe('checkConfigFile', () => {
  it.each([
    ['no file on either side', { policyText: null, headPolicyText: null }],
    ['the same file on both sides', { policyText: 'mode: push', headPolicyText: 'mode: push' }],
    ['the same broken file on both sides', { policyText: '[', headPolicyText: '[' }],
  ])('costs nothing with %s', async (_what, facts) => {
    const { check, github } = startScene();

    await check(facts);

    expect(github.calls).toEqual([]);
  });

  it('says nothing to a pull request that merely lags behind, and asks once for a head and a base file', async () => {
    const { check, github } = startScene({ touches: false });

    await check({ policyText: 'maxAttempts: 1' });
    await check({ policyText: 'maxAttempts: 1' });
    expect(github.calls).toEqual(['touchesPolicyFile']);

    await check({ policyText: 'maxAttempts: 2' });
    await check({ policyText: 'maxAttempts: 2', headSha: fakeSha('newer') });
    expect(github.calls).toEqual(['touchesPolicyFile', 'touchesPolicyFile', 'touchesPolicyFile']);
    expect(github.checkRuns()).toEqual([]);
  });

  it('shows what a valid file would change, on the head, without any annotation', async () => {
    const { check, github } = startScene();

    await check({ policyText: null, headPolicyText: 'maxAttempts: 5' });

    expect(github.checkRuns()).toMatchObject([
      {
        content: {
          name: 'Ratchet / config',
          headSha: aPullRequest().headSha,
          externalId: workspace.key,
          status: 'completed',
          conclusion: 'success',
          title: 'The policy file is valid · 1 setting would change',
          actions: [],
          annotations: [],
        },
      },
    ]);
  });

  it('marks each problem at its line', async () => {
    const { check, github } = startScene();

    await check({ policyText: 'mode: push', headPolicyText: 'mode: push\nmaxAttempt: 5\nci:\n  ignore: 5' });

    const [checkRun] = github.checkRuns();
    expect(checkRun?.content).toMatchObject({ conclusion: 'failure', title: '2 problems in the policy file' });
    expect(checkRun?.content.annotations).toEqual([
      {
        path: '.github/ratchet.yml',
        startLine: 2,
        endLine: 2,
        level: 'failure',
        message: 'unknown key "maxAttempt"; did you mean `maxAttempts`?',
      },
      expect.objectContaining({ startLine: 4, endLine: 4 }),
    ]);
  });

  it('fails a file whose mistake switches an engine off (L15, 000.R42)', async () => {
    const { check, github } = startScene();

    await check({ headPolicyText: 'engines: {mypy: {paths: []}, eslnt: true}' });

    const content = github.checkRuns()[0]?.content;
    expect(content).toMatchObject({ conclusion: 'failure', title: '2 problems in the policy file' });
    expect(content?.summary).toContain('### Engines that would be switched off by a mistake');
    expect(content?.summary).toContain('an empty list, which switches the engine off');
  });

  it('marks the file that is read (L15)', async () => {
    const { check, github } = startScene();

    await check({ headPolicyText: 'mod: push', headPolicyPath: '.github/ratchet.yaml' });

    expect(github.checkRuns()[0]?.content.annotations?.map(({ path }) => path)).toEqual(['.github/ratchet.yaml']);
  });

  it("fails a file that contradicts the organisation's, and only for what it brings", async () => {
    const { check, github } = startScene();
    const organizationPolicyText = 'ci: {required: [lint]}';

    await check({ headPolicyText: 'ci: {ignore: [lint]}', organizationPolicyText });

    const content = github.checkRuns()[0]?.content;
    expect(content).toMatchObject({ conclusion: 'failure', title: '1 problem in the policy file', annotations: [] });
    expect(content?.summary).toContain('can never count');
    expect(content?.summary).not.toContain('files that hold now');

    await check({
      headSha: fakeSha('next'),
      policyText: 'ci: {ignore: [lint]}',
      headPolicyText: 'ci: {ignore: [lint], settleSeconds: 5}',
      organizationPolicyText,
    });
    expect(github.checkRuns().at(-1)?.content).toMatchObject({ conclusion: 'success' });
    expect(github.checkRuns().at(-1)?.content.summary).toContain('files that hold now');
  });

  it('counts a file that is deleted as changed: what the layers below say would hold', async () => {
    const { check, github } = startScene();

    await check({ policyText: 'maxAttempts: 5', headPolicyText: null, organizationPolicyText: 'maxAttempts: 2' });

    const content = github.checkRuns()[0]?.content;
    expect(content?.title).toBe('The policy file is removed · 1 setting would change');
    expect(content?.summary).toContain('`maxAttempts`: `5` → `2`');
  });

  it("tells what the operator's ceilings take away, and what is wrong with the files that hold now", async () => {
    const { check, github } = startScene({ operator: { defaults: {}, ceilings: { maxAttempts: 5 } } });

    await check({ headPolicyText: 'maxAttempts: 10', organizationPolicyText: 'maxAttempts: x' });

    const content = github.checkRuns()[0]?.content;
    expect(content?.conclusion).toBe('success');
    expect(content?.summary).toContain('maxAttempts: 10 → 5');
    expect(content?.summary).toContain("organisation's file");
  });

  it('makes no call for an unchanged text', async () => {
    const { check, github } = startScene();

    await check({ headPolicyText: 'mode: observe' });
    await check({ headPolicyText: 'mode: observe' });

    expect(github.calls).toEqual(['touchesPolicyFile', 'createCheckRun']);
  });

  it('brings the check run up to date when the base changes, and repeats no annotation', async () => {
    const { check, github } = startScene();

    await check({ policyText: null, headPolicyText: 'mod: push' });
    await check({ policyText: 'nonsense: 1', headPolicyText: 'mod: push' });

    expect(github.calls).toEqual(['touchesPolicyFile', 'createCheckRun', 'updateCheckRun']);
    expect(github.checkRuns()).toMatchObject([{ updates: 1, content: { annotations: [] } }]);
  });

  it('says it anew on a new head', async () => {
    const { check, github } = startScene();

    await check({ headPolicyText: 'mode: observe' });
    await check({ headPolicyText: 'mode: observe', headSha: fakeSha('newer') });

    expect(github.checkRuns().map(({ content }) => content.headSha)).toEqual([
      aPullRequest().headSha,
      fakeSha('newer'),
    ]);
  });

  it('remembers nothing that GitHub did not take', async () => {
    const { check, github } = startScene();
    github.failNext('createCheckRun', new GitHubError('UNAVAILABLE', 'down', { retry: 'later' }));

    await expect(check({ headPolicyText: 'mode: observe' })).rejects.toThrow('down');
    await check({ headPolicyText: 'mode: observe' });

    expect(github.checkRuns()).toHaveLength(1);
  });

  it('searches for a check run only where an earlier try may have created it', async () => {
    const { check, firsts, github } = startScene();
    github.failNext('createCheckRun', new GitHubError('UNAVAILABLE', 'broke off', { retry: 'later' }));
    const facts = { headPolicyText: 'mode: suggest\n' };
    await expect(check(facts)).rejects.toThrow('broke off');
    await check(facts);
    await check({ ...facts, headSha: fakeSha('e') });

    expect(firsts).toEqual([true, false, true]);
    expect(github.checkRuns()).toHaveLength(2);
  });

  it('leaks no secret of the process (T55), launches nothing, and leaves the check run "Ratchet" alone', async () => {
    const { check, github, store } = startScene();

    await check({ headPolicyText: `${LIVE_SECRET}: 1` });
    await check({ headPolicyText: `labels: {enable: ${LIVE_SECRET}}`, headSha: fakeSha('newer') });

    expect(JSON.stringify(github.checkRuns())).not.toContain(LIVE_SECRET);
    expect(store.openCheckRuns(workspace.key, 'Ratchet')).toEqual([]);
    expect(store.liveSessions(workspace.key)).toEqual([]);
    expect(store.workspace(workspace.key)?.enablement).toBe('never');
  });
});
