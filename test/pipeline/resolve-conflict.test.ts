import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/core/model/policy.ts';
import type { SessionOutcome } from '../../src/core/model/session.ts';
import type { ConflictedFile, MergeTree } from '../../src/ports/git.ts';
import { aChange, aPullRequest, fakeSha } from '../support/builders.ts';
import { MERGED_TREE } from '../support/fake-git.ts';
import { type Pipeline, startLaunched } from '../support/pipeline-fixture.ts';

const OURS = fakeSha('ours-blob');
const THEIRS = fakeSha('theirs-blob');
const BASE = fakeSha('base-blob');
const MARKED = '<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n';
const RESOLVED = 'ours\ntheirs\n';
const POINTER = fakeSha('pointer');
/** How git calls a file of the head that finds a folder of the base in its place. */
const MADE_UP = `foo~${aPullRequest().headSha}`;
const MANY = Array.from({ length: 10_000 }, (_, index) => aConflict(`src/${String(index)}.ts`));
const LOCK = 'package-lock.json';
const REGENERATE = 'npm install --package-lock-only';

function aConflict(path = 'src/a.ts', change: Partial<ConflictedFile> = {}): ConflictedFile {
  return { path, baseBlob: BASE, ourBlob: OURS, theirBlob: THEIRS, isText: true, ...change };
}

function conflictIn(...files: readonly ConflictedFile[]): MergeTree {
  const named = files.map(({ path }) => path);
  return { kind: 'conflicted', treeSha: MERGED_TREE, files, named, messages: 'CONFLICT (content)' };
}

/** A launched merge that git leaves in conflict in `files`. */
async function startConflict(
  files: readonly ConflictedFile[],
  policy: Partial<Policy['merge']> = {},
): Promise<Pipeline> {
  const policyText = JSON.stringify({ version: 1, merge: policy });
  const pipeline = await startLaunched({
    merge: 'conflict',
    ...(Object.keys(policy).length > 0 ? { policyText } : {}),
  });
  const { git } = pipeline;
  git.blobs({ [OURS]: 'ours\n', [THEIRS]: 'theirs\n', [BASE]: 'base\n' });
  git.mergesTo(conflictIn(...files), Object.fromEntries(files.map(({ path }) => [path, MARKED])));
  git.texts({ after: Object.fromEntries(files.map(({ path }) => [path, RESOLVED])) });
  git.agentLeaves({ changes: files.map(({ path }) => aChange({ path })) });
  return pipeline;
}

/** Runs the fixup; what it did, in order, without reads. */
async function run(pipeline: Pipeline): Promise<SessionOutcome | null | undefined> {
  const { journal } = pipeline;
  const before = journal.length;
  await pipeline.runFixup();
  steps = journal.slice(before).filter((step) => MEANS.includes(step));
  return pipeline.endedSessions()[0]?.outcome;
}

function toDetail(outcome: SessionOutcome | null | undefined): string {
  return outcome?.kind === 'rejected' ? outcome.detail : '';
}

const MEANS: readonly string[] = [
  ...['git.mergeTree', 'git.recallResolutions', 'open agent', 'run agent', 'git.rememberResolutions'],
  ...[
    `run cd -- '.' || exit 1\n${REGENERATE}`,
    'git.forgetResolutions',
    'run npm test',
    'git.createCommit',
    'git.pushKept',
  ],
];
const PUSH: readonly string[] = ['run npm test', 'git.createCommit', 'git.pushKept'];
let steps: readonly string[] = [];

describe('a conflict with the base', () => {
  it('that git itself merges is pushed without an agent, as a merge of head and base (S7, S15, trap 16)', async () => {
    const pipeline = await startLaunched({ merge: 'conflict' });
    pipeline.agent.setUnavailable('not installed');
    const { headSha, baseSha } = pipeline.github.facts();

    const outcome = await run(pipeline);

    expect(outcome).toMatchObject({ kind: 'pushed', madeBy: 'git', patchId: null, diff: { files: 0 } });
    expect(steps).toEqual(['git.mergeTree', ...PUSH]);
    expect(pipeline.git.parents).toEqual([[headSha, baseSha]]);
    expect(pipeline.git.messages[0]).toContain("Merge branch 'main' into");
  });

  it('that is none, since the head has all of the base, costs nothing (trap 19)', async () => {
    const pipeline = await startLaunched({ merge: 'conflict' });
    pipeline.git.mergesTo({ kind: 'merged' });

    expect(await run(pipeline)).toMatchObject({ kind: 'superseded', why: 'cause_gone' });
    expect(steps).toEqual(['git.mergeTree']);
  });

  it('that was resolved before is resolved in the same way, and judged again', async () => {
    const pipeline = await startConflict([aConflict()]);
    pipeline.git.recalls({ 'src/a.ts': RESOLVED });

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'rerere' });
    expect(steps).toEqual(['git.mergeTree', 'git.recallResolutions', ...PUSH]);
    expect(pipeline.git.remembered).toEqual([]);
  });

  it('that was resolved before with markers left is refused', async () => {
    const pipeline = await startConflict([aConflict()]);
    pipeline.git.recalls({ 'src/a.ts': MARKED });

    expect(await run(pipeline)).toMatchObject({ kind: 'rejected', code: 'MERGE_NOT_RESOLVED' });
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('that nobody has resolved yet goes to an agent, who gets the merge and its sides, and is remembered once pushed (trap 140)', async () => {
    const pipeline = await startConflict([aConflict()]);
    const { headSha, baseSha } = pipeline.github.facts();

    const outcome = await run(pipeline);

    expect(outcome).toMatchObject({ kind: 'pushed', madeBy: 'agent', files: ['src/a.ts'] });
    expect(steps).toEqual([
      ...['git.mergeTree', 'git.recallResolutions', 'open agent', 'run agent'],
      ...[...PUSH, 'git.rememberResolutions'],
    ]);
    const agents = pipeline.sites.opened.filter(({ name }) => name === 'agent');
    expect(agents.map(({ tree }) => tree?.treeSha)).toEqual([MERGED_TREE]);
    expect(pipeline.git.parents).toEqual([[headSha, baseSha]]);
    const resolved = pipeline.git.pushed[0];
    expect(pipeline.git.remembered).toEqual([{ ours: headSha, theirs: baseSha, resolved }]);
    const { evidence } = pipeline.sites;
    expect(evidence.get('conflict-1.base.txt')).toBe('base\n');
    expect(evidence.get('conflict-1.ours.txt')).toBe('ours\n');
    expect(evidence.get('conflict-1.theirs.txt')).toBe('theirs\n');
    expect(evidence.get('git.txt')).toContain('CONFLICT');
    const sessionId = String(pipeline.endedSessions()[0]?.id);
    expect(pipeline.files.written.get(`${sessionId}/agent-request.json`)).toContain('"src/a.ts"');
  });

  it('is still pushed when what was learned from it cannot be kept', async () => {
    const pipeline = await startConflict([aConflict()]);
    pipeline.git.failNext('rememberResolutions', new Error('disk full'));

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed' });
    expect(pipeline.git.removedSessions).toHaveLength(1);
  });

  it('needs the agent to be there only when an agent is needed (fault F36)', async () => {
    const pipeline = await startConflict([aConflict()]);
    pipeline.agent.setUnavailable('not installed');

    expect(await run(pipeline)).toMatchObject({ kind: 'rejected', code: 'AGENT_UNAVAILABLE' });
  });

  it.each([
    ['a change beside the conflict', { changes: [aChange({ path: 'src/a.ts' }), aChange({ path: 'src/b.ts' })] }, {}],
    ['markers that are left', {}, { 'src/a.ts': MARKED }],
  ])('resolved by an agent is refused for %s', async (_what, tree, after) => {
    const pipeline = await startConflict([aConflict()]);
    pipeline.git.agentLeaves({ changes: [aChange({ path: 'src/a.ts' })], ...tree });
    pipeline.git.texts({ after: { 'src/a.ts': RESOLVED, ...after } });

    expect(await run(pipeline)).toMatchObject({ kind: 'rejected', code: 'MERGE_NOT_RESOLVED' });
    expect(steps).not.toContain('run npm test');
    expect(pipeline.git.pushed).toEqual([]);
  });

  it.each<[string, string, Partial<SessionOutcome>]>([
    ['adapts', 'theirs\nadapted\n', { kind: 'pushed', files: ['src/a.ts', 'src/b.ts'] }],
    ['undoes', 'before\n', { kind: 'rejected', code: 'MERGE_NOT_RESOLVED' }],
  ])('resolved by an agent that %s what the base brought to another file', async (_what, result, expected) => {
    const pipeline = await startConflict([aConflict()]);
    const { git } = pipeline;
    const besides = aChange({ path: 'src/b.ts' });
    git.texts({
      head: { 'package.json': '{"scripts":{"test":"node --test"}}', 'src/b.ts': 'before\n' },
      after: { 'src/a.ts': RESOLVED, 'src/b.ts': result },
    });
    git.mergesTo(conflictIn(aConflict()), { 'src/a.ts': MARKED, 'src/b.ts': 'theirs\n' });
    git.mergeBrings({ between: [besides] });
    git.agentLeaves({ changes: [aChange({ path: 'src/a.ts' }), besides] });
    git.knows(pipeline.github.facts().baseSha, { 'src/b.ts': 'theirs\n' });

    expect(await run(pipeline)).toMatchObject(expected);
  });

  it.each<[string, string, MergeTree, RegExp]>([
    ['whose sides have no common commit', 'MERGE_NOT_RESOLVED', { kind: 'unrelated' }, /no common commit/],
    ['between folders', 'MERGE_NOT_RESOLVED', conflictIn(), /folders/],
    ['of a file with a folder in its place', 'MERGE_NOT_RESOLVED', conflictIn(aConflict(MADE_UP)), /in place of/],
    ['in pointers of Git LFS', 'MERGE_NOT_RESOLVED', conflictIn(aConflict('a.psd', { ourBlob: POINTER })), /a\.psd/],
    ['in more files than a change may touch', 'DIFF_TOO_LARGE', conflictIn(...MANY), /10000 files/],
    ['in a file whose name is no UTF-8', 'UNSAFE_ENTRY', conflictIn(aConflict('d\uFFFD/a.ts')), /a\.ts/],
    ['in a workflow file', 'PROTECTED_PATH', conflictIn(aConflict('.github/workflows/ci.yml')), /ci\.yml/],
    ['in a lockfile that no command makes anew', 'PROTECTED_PATH', conflictIn(aConflict(LOCK)), /package-lock/],
    ['in a binary file', 'MERGE_NOT_RESOLVED', conflictIn(aConflict('a.png', { isText: false })), /a\.png/],
    ['in a file too large to read', 'MERGE_NOT_RESOLVED', conflictIn(aConflict('a', { ourBlob: fakeSha('?') })), /"a"/],
    ['in what the validation runs', 'PROTECTED_PATH', conflictIn(aConflict('vitest.config.ts')), /vitest/],
  ])('%s is for a person, and no agent is spent on it', async (_what, code, merge, told) => {
    const pipeline = await startConflict([]);
    pipeline.git.blobs({ [POINTER]: 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n' });
    pipeline.git.mergesTo(merge);

    const outcome = await run(pipeline);

    expect(outcome).toMatchObject({ kind: 'rejected', code });
    expect(toDetail(outcome)).toMatch(told);
    expect(steps).not.toContain('run agent');
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('whose merge makes up a workflow file is told before an agent or setup is spent (S15, trap 49)', async () => {
    const pipeline = await startConflict([aConflict()]);
    const workflow = [aChange({ path: '.github/workflows/ci.yml' })];
    pipeline.git.mergeBrings({ fromHead: workflow, fromBase: workflow });

    const outcome = await run(pipeline);

    expect(outcome).toMatchObject({ kind: 'rejected', code: 'WORKFLOWS_FORBIDDEN' });
    expect(toDetail(outcome)).toContain('".github/workflows/ci.yml"');
    expect(steps).toEqual(['git.mergeTree']);
  });

  it('whose merge brings a workflow file as the base has it goes on: GitHub lets that through', async () => {
    const pipeline = await startConflict([aConflict()]);
    pipeline.git.mergeBrings({ fromHead: [aChange({ path: '.github/workflows/ci.yml' })], fromBase: [] });

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed' });
  });
});

describe('a conflict in a file that a command makes anew', () => {
  const regenerate = [{ path: LOCK, command: REGENERATE }];
  const MADE = '{"made":"anew"}\n';

  async function startLock(files: readonly ConflictedFile[]): Promise<Pipeline> {
    const pipeline = await startConflict(files, { regenerate });
    const { sites } = pipeline;
    sites.during(`cd -- '.' || exit 1\n${REGENERATE}`, () => sites.leave(LOCK, MADE));
    return pipeline;
  }

  it('alone needs no agent, and no rule about lockfiles is in its way', async () => {
    const pipeline = await startLock([aConflict(LOCK)]);

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'regeneration' });
    expect(steps).toEqual(['git.mergeTree', 'git.recallResolutions', MEANS[5], ...PUSH]);
  });

  it('beside another one: each by its own means', async () => {
    const pipeline = await startLock([aConflict(LOCK), aConflict('src/a.ts')]);

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'agent' });
    expect(steps.slice(2, 5)).toEqual([MEANS[5], 'open agent', 'run agent']);
    expect(steps.filter((step) => step === MEANS[5])).toHaveLength(1);
  });

  it('is tried again behind the agent where it needed what the agent resolves', async () => {
    const pipeline = await startConflict([aConflict(LOCK), aConflict('package.json')], { regenerate });
    const { sites, git } = pipeline;
    git.texts({ after: { 'package.json': RESOLVED } });
    sites.during('agent', () => {
      sites.during(`cd -- '.' || exit 1\n${REGENERATE}`, () => sites.leave(LOCK, MADE));
    });

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'agent' });
    expect(steps.filter((step) => step === MEANS[5])).toHaveLength(2);
  });

  it.each([
    ['fails', { exitCode: 1 }, MADE],
    ['leaves processes', { processesLeft: 1 }, MADE],
    ['leaves no file', {}, null],
    ['leaves markers', {}, MARKED],
    ['leaves markers of a custom size (L20)', {}, '<<<<<<<< ours\r\n'],
  ])('ends the attempt when the command %s', async (_what, outcome, text) => {
    const pipeline = await startConflict([aConflict(LOCK)], { regenerate });
    const { sites } = pipeline;
    sites.endWith(`cd -- '.' || exit 1\n${REGENERATE}`, outcome);
    sites.during(`cd -- '.' || exit 1\n${REGENERATE}`, () => {
      if (text !== null) sites.leave(LOCK, text);
    });

    expect(await run(pipeline)).toMatchObject({ kind: 'rejected', code: 'MERGE_NOT_RESOLVED' });
    expect(pipeline.git.pushed).toEqual([]);
  });
});

describe('a merge that a person took back', () => {
  /** The head is again what it was before our merge, and still in conflict. */
  async function takeBack(pipeline: Pipeline, headSha = aPullRequest().headSha): Promise<void> {
    pipeline.pushFromOutside(headSha);
    pipeline.github.change({ merge: 'conflict' });
    await pipeline.evaluate();
  }

  it('is not made again where git alone made it', async () => {
    const pipeline = await startLaunched({ merge: 'conflict' });
    await run(pipeline);
    await takeBack(pipeline);

    expect(await run(pipeline)).toMatchObject({ kind: 'rejected', code: 'REVERTED_BEFORE' });
    expect(steps).toEqual(['git.mergeTree']);
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it('is made where the base has moved since: it is another one', async () => {
    const pipeline = await startLaunched({ merge: 'conflict' });
    await run(pipeline);
    pipeline.github.change({ baseSha: fakeSha('moved') });
    await takeBack(pipeline);

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed' });
  });

  it.each([
    ['at the head of then', aPullRequest().headSha],
    ['at another head without it', fakeSha('rewritten')],
  ])('is not remembered any more %s: an agent is asked anew', async (_where, headSha) => {
    const pipeline = await startConflict([aConflict()]);
    await run(pipeline);
    pipeline.git.recalls({ 'src/a.ts': RESOLVED });
    pipeline.github.setMergeBase(fakeSha('before'));
    await takeBack(pipeline, headSha);

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'agent' });
    expect(steps.indexOf('git.forgetResolutions')).toBeLessThan(steps.indexOf('git.recallResolutions'));
    expect(steps).toContain('git.forgetResolutions');
  });

  it('is refused where the agent resolves it in the very same way', async () => {
    const pipeline = await startConflict([aConflict()]);
    pipeline.git.givePatchId('same');
    await run(pipeline);
    await takeBack(pipeline);

    expect(await run(pipeline)).toMatchObject({ kind: 'rejected', code: 'REVERTED_BEFORE' });
    expect(steps).toContain('run agent');
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it('is not one that is part of the head still: its resolution serves again', async () => {
    const pipeline = await startConflict([aConflict()]);
    await run(pipeline);
    pipeline.git.recalls({ 'src/a.ts': RESOLVED });
    await takeBack(pipeline, fakeSha('on-top'));

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'rerere' });
    expect(steps).not.toContain('git.forgetResolutions');
  });
});
