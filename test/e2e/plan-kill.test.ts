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
