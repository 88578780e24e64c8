import { describe, expect, it } from 'vitest';
import { aChange, aPerson, fakeSha } from '../support/builders.ts';
import { toPatch } from '../support/fake-git.ts';
import { LIVE_SECRET, type Pipeline, REVIEWER, startLaunched, WRITER } from '../support/pipeline-fixture.ts';

const PUSHED = fakeSha('commit-2');
const READER = aPerson({ id: 52, login: 'reader' });
const TEST = 'test/a.test.ts';
const A_TEST = "it('adds', () => {\n  expect(add(1, 1)).toBe(2);\n});\n";
const PACKAGE = { 'package.json': '{"scripts":{"test":"node --test"}}' };

/** The agent changes what a test expects, and nothing else: a person has to look at it. */
async function startHeld(): Promise<Pipeline> {
  const pipeline = await startLaunched();
  pipeline.git.agentLeaves({
    changes: [aChange({ path: TEST })],
    patch: toPatch(TEST, '  expect(add(1, 1)).toBe(3);'),
  });
  pipeline.git.texts({ head: { ...PACKAGE, [TEST]: A_TEST }, after: { [TEST]: A_TEST.replace('2)', '3)') } });
  await pipeline.settle();
  await pipeline.evaluate();
  return pipeline;
}

async function accept(pipeline: Pipeline, author = REVIEWER): Promise<void> {
  pipeline.comment('/ratchet accept', { author });
  await pipeline.settle();
  await pipeline.evaluate();
}

const lastReply = (pipeline: Pipeline): string => pipeline.replies().at(-1) ?? '';
const checkRun = (pipeline: Pipeline): ReturnType<Pipeline['github']['checkRuns']>[number]['content'] | undefined =>
  pipeline.github.checkRuns().at(-1)?.content;
const validations = ({ journal }: Pipeline): number => journal.filter((step) => step === 'run npm test').length;

describe('a change that waits for a person (S28)', () => {
  it('is kept and not pushed, and nothing is launched for its cause', async () => {
    const pipeline = await startHeld();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.workspace()).toMatchObject({ stop: { code: 'HELD' }, consecutiveAttempts: 0 });
    expect(pipeline.agent.requests).toHaveLength(1);
  });

  it('is shown with what was found and what to do, and with a button', async () => {
    const pipeline = await startHeld();
    const shown = checkRun(pipeline);

    expect(shown).toMatchObject({
      title: 'A change waits for a maintainer',
      conclusion: 'action_required',
    });
    expect(shown?.summary).toContain('`EXPECTATION_CHANGED` in `test/a.test.ts:2`');
    expect(shown?.summary).toContain('/ratchet accept');
    expect(shown?.summary).toContain('expect(add(1, 1)).toBe(3)');
    expect(shown?.actions.map(({ identifier }) => identifier)).toEqual(['accept', 'retry', 'why']);
  });

  it('teaches the next attempt, if a person asks for one', async () => {
    const pipeline = await startHeld();
    pipeline.comment('/ratchet retry');
    await pipeline.evaluate();
    await pipeline.runFixup();

    expect(JSON.stringify(pipeline.agent.requests.at(-1))).toContain('kept back for a person: EXPECTATION_CHANGED');
  });
});

describe('the acceptance of a change (S28)', () => {
  it('validates it again and pushes exactly it, without an agent', async () => {
    const pipeline = await startHeld();
    const before = validations(pipeline);
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([PUSHED]);
    expect(validations(pipeline)).toBe(before + 1);
    expect(pipeline.agent.requests).toHaveLength(1);
    expect(pipeline.workspace()).toMatchObject({ stop: null, consecutiveAttempts: 1, lastPushSha: PUSHED });
    expect(pipeline.store.launchesSince(pipeline.key, 0)).toBe(1);
  });

  it('records who accepted it, in the commit, the log and on the check run', async () => {
    const pipeline = await startHeld();
    await accept(pipeline);
    const [held, pushed] = pipeline.git.messages;

    expect(held).not.toContain('Accepted');
    expect(pushed).toBe(`${held}Ratchet-Accepted-By: ${REVIEWER.login}\n`);
    expect(pipeline.transitions().map(({ code, reason }) => `${code} ${reason}`)).toContainEqual(
      expect.stringContaining(`ACCEPTED The change that was held is accepted by @${REVIEWER.login}`),
    );
    expect(checkRun(pipeline)?.summary).toContain(`accepted by \`${REVIEWER.login}\``);
    expect(pipeline.replies()).toEqual([]);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });

  it('is given by the button as well', async () => {
    const pipeline = await startHeld();
    pipeline.pressButton('accept');
    await pipeline.evaluate();
    expect(checkRun(pipeline)?.title).toBe('Validating the accepted change again');
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([PUSHED]);
  });

  it('is refused to whoever may not write', async () => {
    const pipeline = await startHeld();
    pipeline.github.permit(READER.login, READER.id, 'read');
    await accept(pipeline, READER);

    expect(pipeline.git.pushed).toEqual([]);
    expect(lastReply(pipeline)).toContain('write permission');
    expect(pipeline.workspace().stop).toMatchObject({ code: 'HELD' });
  });

  it('is void if the permission is withdrawn before the push', async () => {
    const pipeline = await startHeld();
    pipeline.sites.during('npm test', () => pipeline.github.permit(REVIEWER.login, REVIEWER.id, 'read'));
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([]);
    expect(lastReply(pipeline)).toContain('Whoever accepted the change has no write permission any more');
    expect(pipeline.workspace().stop).toMatchObject({ code: 'HELD' });
  });

  it('does nothing at another head, and says so', async () => {
    const pipeline = await startHeld();
    pipeline.pushFromOutside(fakeSha('outside'));
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([]);
    expect(lastReply(pipeline)).toMatch(/the change was made for .*, and the head is .* now\. Nothing was pushed/u);
  });

  it('does nothing twice', async () => {
    const pipeline = await startHeld();
    await accept(pipeline);
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([PUSHED]);
    expect(lastReply(pipeline)).toContain('no change waits for a person here');
  });

  it('says where nothing waits, and while a session is at work', async () => {
    const pipeline = await startLaunched();
    await pipeline.evaluate();
    pipeline.comment('/ratchet accept');
    await pipeline.evaluate();
    expect(lastReply(pipeline)).toContain('A session is at work');

    pipeline.git.agentLeaves({ changes: [], patch: '' });
    await pipeline.settle();
    await accept(pipeline);
    expect(lastReply(pipeline)).toContain('no change waits for a person here');
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('pushes nothing that fails its validation now, and leaves the change waiting', async () => {
    const pipeline = await startHeld();
    pipeline.sites.endWith('npm test', { exitCode: 1 });
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([]);
    expect(lastReply(pipeline)).toContain('failed with exit code 1');
    expect(pipeline.workspace()).toMatchObject({ stop: { code: 'HELD' }, activeSessionId: null });
  });

  it('pushes nothing under a policy that refuses the change now, or pushes nothing any more', async () => {
    const pipeline = await startHeld();
    pipeline.github.change({ policyText: 'changes: { protectedPaths: [test/**] }' });
    await accept(pipeline);
    expect(lastReply(pipeline)).toContain('protected paths');
    pipeline.github.change({ policyText: 'mode: suggest' });
    await accept(pipeline);
    expect(lastReply(pipeline)).toContain('suggest');

    expect(pipeline.git.pushed).toEqual([]);
  });

  it('pushes no secret that became known since', async () => {
    const pipeline = await startHeld();
    pipeline.git.agentLeaves({ patch: toPatch(TEST, LIVE_SECRET) });
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([]);
  });

  it('can be stopped, and then waits for nobody', async () => {
    const pipeline = await startHeld();
    pipeline.sites.during('npm test', async () => {
      pipeline.comment('/ratchet stop', { author: WRITER });
      await pipeline.evaluate();
    });
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.workspace().stop).toMatchObject({ code: 'NEEDS_HUMAN' });
    expect(pipeline.agent.requests).toHaveLength(1);
  });

  it('says that a change is gone that is not kept any more', async () => {
    const pipeline = await startHeld();
    pipeline.git.dropMirror();
    await accept(pipeline);

    expect(pipeline.git.pushed).toEqual([]);
    expect(lastReply(pipeline)).toContain('is not kept any more');
  });
});
