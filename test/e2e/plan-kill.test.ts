import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FolderState } from '../../src/core/model/folder-state.ts';
import { createPlanStage, EVERY_KIND, type PlanStage, toRun } from '../support/plan-stage.ts';

let stage: PlanStage;
beforeEach(async () => {
  stage = await aStage();
});
afterEach(async () => stage.remove());

/** `slow` makes the command of the plan wait in its middle. */
async function aStage(): Promise<PlanStage> {
  const made = await createPlanStage();
  await made.write({ a: 'a\n', 'sub/b': 'b\n', slow: '' });
  return made;
}

interface Ended {
  readonly states: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly completed: number | undefined;
  readonly folder: FolderState;
}

async function toEnded(on: PlanStage, stdout: string): Promise<Ended> {
  const { results, stats } = toRun(stdout);
  const pick = (key: 'state' | 'output'): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(results).map(([id, result]) => [id, result[key]]));
  return { states: pick('state'), outputs: pick('output'), completed: stats['completed'], folder: await on.state() };
}

describe('a run whose process is killed', () => {
  let undisturbed: Promise<Ended> | null = null;
  const getUndisturbed = (): Promise<Ended> => (undisturbed ??= runUndisturbed());

  async function runUndisturbed(): Promise<Ended> {
    const other = await aStage();
    const ended = await other.ratchet('run', await other.plan(EVERY_KIND), '--dir', other.dir, '--json');
    const result = await toEnded(other, ended.stdout);
    await other.remove();
    return result;
  }

  const POINTS = EVERY_KIND.flatMap((_step, index) =>
    ['started', 'completed'].map((what) => [index + 1, what] as const),
  );

  it.each(POINTS)(
    'as step %i has %s goes on there, and ends as one that was not disturbed (004.R30)',
    async (id, what) => {
      const file = await stage.plan(EVERY_KIND);
      const before = await stage.state();

      const killed = await stage.killAt(
        ['run', file, '--dir', stage.dir, '--yes'],
        new RegExp(`^${String(id)} +${what}`, 'mu'),
      );
      // The last step may be over before the signal arrives. Everything else is written at the end.
      if (id < EVERY_KIND.length) expect([killed.exitCode, await stage.state()]).toEqual([undefined, before]);

      const resumed = await stage.ratchet('run', '--resume', killed.runId, '--json');
      expect(resumed.exitCode).toBe(0);
      expect(await toEnded(stage, resumed.stdout)).toEqual(await getUndisturbed());
    },
  );
});

const DAY_MS = 24 * 60 * 60_000;

describe('a run whose process is killed, and then the clock of the machine is set', () => {
  it.each([
    ['back by a day', -DAY_MS],
    ['forward by a day', DAY_MS],
  ])('%s, goes on at once', async (_what, shiftMs) => {
    const file = await stage.plan(EVERY_KIND);
    const killed = await stage.killAt(['run', file, '--dir', stage.dir, '--yes'], /^3 +started/mu);
    expect(killed.exitCode).toBeUndefined();

    const resumed = await stage.ratchetAt(shiftMs, 'run', '--resume', killed.runId, '--json');
    expect(resumed.stderr).not.toContain('there is no run');
    expect(resumed.exitCode).toBe(0);
    const { results, stats } = toRun(resumed.stdout);
    expect(stats['completed']).toBe(EVERY_KIND.length);
    expect(Object.values(results).every(({ durationMs }) => durationMs >= 0 && durationMs < DAY_MS)).toBe(true);
    // And it is undone under the right clock.
    expect((await stage.ratchet('undo', killed.runId)).exitCode).toBe(0);
  });
});

it.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])('a run ends as any other while the clock of the machine jumps %s', async (_what, jumpMs) => {
  const file = await stage.plan(EVERY_KIND);
  const ended = await stage.ratchetWhile(jumpMs, 'run', file, '--dir', stage.dir, '--yes', '--json');

  const { results, stats } = toRun(ended.stdout);
  expect([ended.exitCode, stats['completed']]).toEqual([0, EVERY_KIND.length]);
  // The slow step sleeps for two seconds. How long it took is not what the clock says.
  expect(results['3']?.durationMs).toBeGreaterThanOrEqual(2000);
  for (const { durationMs } of Object.values(results)) expect(durationMs).toBeLessThan(120_000);
});
