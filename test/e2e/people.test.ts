import { describe, expect, it } from 'vitest';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import {
  createCalculator,
  openRedPullRequest,
  ownPushes,
  QUICK_POLICY,
  READER,
  REPAIR,
  ratchetChecks,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';

/** Repairs once it is let go on: waits for a file that never comes, till its time is over. */
const SLOW = { steps: [REPAIR, { do: 'hang' }] };

describe.concurrent('people and the loop', AT_ONCE, () => {
  it('refuses who may not write, with one reply that says why, and does nothing else (T7)', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: { steps: [REPAIR] } });
    const red = await openRedPullRequest(world);
    const commentId = world.comment({ ...red, login: READER, body: 'please\n\n/ratchet enable' });

    await world.until(() => world.comments(red.repo, red.number).length === 2, { what: 'the reply' });
    await world.until(() => world.reactions(commentId).length === 2, { what: 'the reaction' });

    expect(world.comments(red.repo, red.number)[1]?.body).toContain('needs write permission');
    expect(world.reactions(commentId)).toContain(`confused by ${world.botUser.login}`);
    expect(await ratchetChecks(world, red)).toEqual([]);
    expect(ratchet.lines.some((line) => line.msg === 'action determined')).toBe(false);
  });

  it('hears no command in quotes, code, edited comments, review bodies or from itself (T8, trap 53)', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: { steps: [REPAIR] } });
    const red = await openRedPullRequest(world);
    for (const body of [
      '> /ratchet enable',
      '```\n/ratchet enable\n```',
      'try `/ratchet enable`',
      '<!--\n/ratchet enable\n-->',
    ]) {
      world.comment({ ...red, login: WRITER, body });
    }
    const edited = world.comment({ ...red, login: WRITER, body: 'nothing' });
    world.editComment({ id: edited, login: WRITER, body: '/ratchet enable' });
    await world.review({ ...red, login: READER, state: 'COMMENTED', body: '/ratchet enable' });
    world.comment({ ...red, login: WRITER, body: '/ratchet help' });

    await world.until(() => world.comments(red.repo, red.number).length === 7, { what: 'the help' });
    await world.settled();

    expect(ratchet.lines.some((line) => line.msg === 'command carried out')).toBe(false);
    expect(world.comments(red.repo, red.number)).toHaveLength(7);
  });

  it('clones nothing of a fork and explains itself once (T11, trap 12)', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: { steps: [REPAIR] } });
    await createCalculator(world, 'calculator');
    const repo = 'acme/calculator';
    world.createUser('stranger');
    const fork = await world.createFork(repo, 'stranger');
    await world.commit({
      repo: fork,
      branch: 'evil',
      from: 'main',
      files: { 'sum.mjs': 'export const sum = 1;\n' },
      login: 'stranger',
    });
    const number = await world.openPullRequest({ repo, headRepo: fork, head: 'evil', base: 'main', login: 'stranger' });
    world.comment({ repo, number, login: WRITER, body: '/ratchet enable' });

    const summary = await untilConcluded(world, { repo, number, branch: 'evil' }, 'action_required');

    expect(summary).toContain('fork');
    expect(await ratchetChecks(world, { repo, number, branch: 'evil' })).toHaveLength(1);
    expect(world.requests.filter(({ path }) => path.includes('git-upload-pack'))).toEqual([]);
    expect(ratchet.lines.some((line) => line.msg === 'fixup launched')).toBe(false);
  });

  it('launches nothing under a bad policy file and shows its line', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: { steps: [REPAIR] } });
    const red = await openRedPullRequest(world, { policy: `${QUICK_POLICY}maxAtempts: 5\n` });
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

    const summary = await untilConcluded(world, red, 'action_required');

    expect(summary).toContain('line 6');
    expect(summary).toContain('maxAttempts');
    expect(ratchet.lines.some((line) => line.msg === 'fixup launched')).toBe(false);
  });

  it('keeps the commit of a person who pushes while the agent works (F25, traps 28 and 38)', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: SLOW });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await ratchet.untilLog((line) => line.msg === 'agent started', 'the agent to run');

    const sum = 'export function sum(left, right) {\n  return right + left;\n}\n';
    const human = await world.commit({ repo: red.repo, branch: red.branch, files: { 'sum.mjs': sum }, login: WRITER });
    await untilConcluded(world, red, 'success');

    expect(await world.headSha(red.repo, red.number)).toBe(human);
    expect(ownPushes(world, red.repo)).toEqual([]);
    const ended = ratchet.lines.find((line) => line.msg === 'fixup completed');
    expect(ended).toMatchObject({ exitReason: 'superseded', pushed: false });
  });

  it('ends the session of a pull request that is closed (S9, trap 24)', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: SLOW });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await ratchet.untilLog((line) => line.msg === 'agent started', 'the agent to run');

    await world.closePullRequest({ ...red, login: WRITER });
    await ratchet.untilLog((line) => line.msg === 'fixup completed', 'the session to end');
    await untilConcluded(world, red, 'neutral');

    expect(ownPushes(world, red.repo)).toEqual([]);
  });
});

describe.concurrent('the buttons of the check run', AT_ONCE, () => {
  it('are offered where a person is needed, and do what their commands do', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    await stage.start({ script: { steps: [{ do: 'result', status: 'failure', summary: 'no idea' }] } });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await untilConcluded(world, red, 'action_required');
    const [check] = await ratchetChecks(world, red);
    expect(check?.actions.map(({ identifier }) => identifier)).toEqual(['retry', 'why', 'disable']);

    await world.clickButton(check?.id ?? 0, 'disable', WRITER);
    await untilConcluded(world, red, 'neutral');

    expect(ownPushes(world, red.repo)).toEqual([]);
  });
});
