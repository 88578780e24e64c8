import { describe, expect, it } from 'vitest';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import {
  openRedPullRequest,
  ownPushes,
  QUICK_POLICY,
  RED_IN_CI_ONLY,
  REPAIR,
  ratchetChecks,
  TEST_COMMAND,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';

/** Pushes a change that passes its validation and leaves CI red, a different one each time. */
const POINTLESS = {
  cases: [
    { when: { file: 'note.txt', contains: 'two' }, steps: [{ do: 'write', file: 'note.txt', text: 'three\n' }] },
    { when: { file: 'note.txt', contains: 'one' }, steps: [{ do: 'write', file: 'note.txt', text: 'two\n' }] },
    { when: { file: 'repairable.txt', contains: 'yes' }, steps: [REPAIR] },
  ],
  steps: [{ do: 'write', file: 'note.txt', text: 'one\n' }],
};
const LAX_POLICY = QUICK_POLICY.replace(TEST_COMMAND, 'exit 0');

describe.concurrent('the budget of attempts', AT_ONCE, () => {
  it('stops at once when nothing was pushed, and launches nothing for the same cause (002.R5, R15, R34, S8)', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({
      script: { steps: [{ do: 'result', status: 'failure', summary: 'beyond me' }] },
    });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

    const summary = await untilConcluded(world, red, 'action_required');
    const checked = ratchet.lines.filter((line) => line['code'] === 'STOPPED_SAME_CAUSE').length;
    await world.review({ ...red, login: 'maintainer', state: 'COMMENTED', body: 'any news?' });
    await world.until(() => ratchet.lines.filter((line) => line['code'] === 'STOPPED_SAME_CAUSE').length > checked, {
      what: 'another look at the same cause',
    });

    expect(summary).toContain('beyond me');
    expect(ownPushes(world, red.repo)).toEqual([]);
    expect(ratchet.lines.filter((line) => line.msg === 'agent started')).toHaveLength(1);
    expect(world.comments(red.repo, red.number).map(({ authorLogin }) => authorLogin)).toEqual([
      WRITER,
      world.botUser.login,
    ]);
    expect(world.violations).toEqual([]);
  });

  it('ends in TERMINAL_FAILED after three pushes that stay red; a push by a person starts it anew (002.R16 to R19, R34, trap 138)', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: POINTLESS });
    const red = await openRedPullRequest(world, { policy: LAX_POLICY, files: RED_IN_CI_ONLY });
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

    await ratchet.untilLog((line) => line['code'] === 'ATTEMPTS_EXHAUSTED', 'the budget to be used up');
    await untilConcluded(world, red, 'action_required');
    expect(ownPushes(world, red.repo)).toHaveLength(3);
    expect((await ratchetChecks(world, red))[0]?.output.title).toBe('3 of 3 attempts used');

    await world.commit({
      repo: red.repo,
      branch: red.branch,
      files: { 'repairable.txt': 'yes\n' },
      login: WRITER,
    });
    await untilConcluded(world, red, 'success');

    expect(ownPushes(world, red.repo)).toHaveLength(4);
    expect(ratchet.lines.filter((line) => line.msg === 'fixup launched').map((line) => line['attempt'])).toEqual([
      1, 2, 3, 1,
    ]);
    expect(world.violations).toEqual([]);
  });
});
