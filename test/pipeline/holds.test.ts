import { describe, expect, it } from 'vitest';
import type { DecisionCode } from '../../src/core/model/decision.ts';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import type { SupersededBy } from '../../src/core/model/session.ts';
import type { Workspace } from '../../src/core/model/workspace.ts';
import { type Pipeline, startEnabled, startLaunched, startPipeline, WRITER } from '../support/pipeline-fixture.ts';

/** What comes up: on GitHub, or said to Ratchet. */
interface Turn {
  readonly facts?: Partial<PullRequestFacts>;
  readonly patch?: Partial<Pick<Workspace, 'enablement' | 'pause'>>;
}

const LOCKED = {
  pushRefusals: ['It is locked.'],
  mustBeUpToDate: false,
  requiredChecks: [],
  commitPatterns: [],
  dismissesStaleApprovals: false,
  mustResolveThreads: false,
};

/** Every hold that can come up while a session works: the code of the decision, and how the session ends. */
const HOLDS: readonly (readonly [string, DecisionCode, SupersededBy | 'suggested', Turn])[] = [
  ['disabled', 'DISABLED', 'disabled', { patch: { enablement: 'disabled' } }],
  ['a fork', 'FORK_NOT_SUPPORTED', 'stopped', { facts: { fork: true } }],
  ['under a broken policy', 'POLICY_INVALID', 'suggested', { facts: { policyText: 'mod: push' } }],
  ['paused', 'PAUSED', 'paused', { patch: { pause: { by: WRITER, at: 0 } } }],
  ['labelled', 'PAUSED', 'paused', { facts: { labels: ['ratchet:hold'] } }],
  ['a held draft (L18)', 'DRAFT_HELD', 'paused', { facts: { draft: true, policyText: 'drafts: hold' } }],
  ['in a merge queue', 'IN_MERGE_QUEUE', 'stopped', { facts: { inMergeQueue: true } }],
  ['under auto-merge', 'AUTO_MERGE_ON', 'stopped', { facts: { autoMerge: true } }],
  ['locked', 'PUSH_FORBIDDEN', 'stopped', { facts: { rules: LOCKED } }],
  ['only observed', 'OBSERVE_ONLY', 'suggested', { facts: { policyText: 'mode: observe' } }],
];

function turn({ github, store, key }: Pipeline, { facts = {}, patch = {} }: Turn): void {
  github.change(facts);
  store.updateWorkspace(key, patch);
}

/** The push was planned, and the run ended before it was made. */
async function startPlanned(): Promise<Pipeline> {
  const pipeline = await startLaunched();
  const down = new GitHubError('UNAVAILABLE', 'GitHub is down', { retry: 'later' });
  pipeline.sites.during('npm test', () => pipeline.github.failNext('mintGitToken', down));
  await expect(pipeline.runFixup()).rejects.toThrow('GitHub is down');
  return pipeline;
}

function toEnd(pipeline: Pipeline): string | undefined {
  const outcome = pipeline.endedSessions()[0]?.outcome;
  return outcome?.kind === 'superseded' ? outcome.why : outcome?.kind;
}

describe.each(HOLDS)('a pull request that is %s', (_what, code, end, change) => {
  it('is told as such, and nothing is launched', async () => {
    const pipeline = await startEnabled({ checks: [] });
    turn(pipeline, change);
    pipeline.reportCi('failure');

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe(code);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('while the agent works is not pushed to', async () => {
    const pipeline = await startLaunched();
    pipeline.sites.during('agent', () => turn(pipeline, change));

    await pipeline.runFixup();

    expect(toEnd(pipeline)).toBe(end);
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('while a planned push waits is not pushed to', async () => {
    const pipeline = await startPlanned();
    turn(pipeline, change);

    await pipeline.runFixup();

    expect(toEnd(pipeline)).toBe(end === 'suggested' ? 'stopped' : end);
    expect(pipeline.git.pushed).toEqual([]);
  });
});

describe('a policy that leaves conflicts to people', () => {
  it('while the agent works has the change offered as a patch', async () => {
    const pipeline = await startLaunched({ merge: 'conflict' });
    const policyText = 'merge: { resolveConflicts: false }';
    pipeline.sites.during('npm test', () => pipeline.github.change({ policyText }));

    await pipeline.runFixup();

    expect(toEnd(pipeline)).toBe('suggested');
    expect(pipeline.git.pushed).toEqual([]);
  });
});

describe('a draft that is ready again', () => {
  it('is worked on: its hold left no stop (L18)', async () => {
    const pipeline = await startLaunched({ policyText: 'drafts: hold' });
    pipeline.sites.during('agent', () => pipeline.github.change({ draft: true }));
    await pipeline.runFixup();
    await pipeline.evaluate();
    expect(pipeline.lastCode()).toBe('DRAFT_HELD');

    pipeline.github.change({ draft: false });
    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('CI_FAILED');
  });
});

describe('auto-merge that the policy has turned off', () => {
  /** Of one whose reads go on telling that it is on. */
  const LAGGING = { policyText: 'autoMerge: disarm', autoMerge: true };

  it('ends in a push where the reads after it lag (L18)', async () => {
    const pipeline = await startLaunched(LAGGING);

    await pipeline.runFixup();

    expect(toEnd(pipeline)).toBe('pushed');
    expect(pipeline.workspace().stop).toBeNull();
  });

  it('is turned off again where a person turned it on meanwhile (S16)', async () => {
    const pipeline = await startLaunched({ policyText: LAGGING.policyText });
    pipeline.sites.during('agent', () => pipeline.github.change({ autoMerge: true }));

    await pipeline.runFixup();

    expect(pipeline.github.asked.filter((ask) => ask.startsWith('disableAutoMerge'))).toHaveLength(1);
    expect(toEnd(pipeline)).toBe('pushed');
  });

  it('pushes nothing where GitHub refuses to turn it off (S16)', async () => {
    const pipeline = startPipeline(LAGGING);
    pipeline.github.refuse('disableAutoMerge', 'no permission');
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();

    await pipeline.runFixup();

    expect(toEnd(pipeline)).toBe('stopped');
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.workspace().stop?.reason).toContain('no permission');
  });
});
