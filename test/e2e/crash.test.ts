import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { World } from '../../world/start-world.ts';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import {
  openRedPullRequest,
  ownPushes,
  REPAIR,
  type RedPullRequest,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';

/** Hangs as long as its own script says so: what a test changes between two starts. */
const HANGING = { steps: [REPAIR, { do: 'hang', ignoreSigterm: true }] };
const REPAIRING = { steps: [REPAIR] };

describe.concurrent(
  'a SIGKILL at the worst moment, then a restart, ends like the undisturbed run: one push, no stray process (F1)',
  AT_ONCE,
  () => {
    async function expectConverged(world: World, red: RedPullRequest, restarted: Ratchet): Promise<void> {
      await untilConcluded(world, red, 'success');
      expect(ownPushes(world, red.repo)).toHaveLength(1);
      expect(await world.fileAt(red.repo, red.number, 'sum.mjs')).toContain('left + right');
      expect((await world.log(red.repo, red.number, 3)).map(({ message }) => message.split('\n')[0])).toEqual([
        'fix: make the failing checks pass',
        'Rework sum',
        expect.any(String),
      ]);
      expect(await findProcessesOf(restarted.dataDir)).toEqual([]);
      expect(world.violations).toEqual([]);
    }

    it('while the agent runs: what it left is cleared away before the next fixup is launched (002.R9, R34, F5)', async ({
      onTestFinished,
    }) => {
      const stage = await openStage(onTestFinished);
      const { world } = stage;
      const first = await stage.start({ script: HANGING });
      const red = await openRedPullRequest(world);
      world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
      await first.untilLog((line) => line.msg === 'agent started', 'the agent to run');
      await world.until(async () => (await findProcessesOf(first.dataDir)).length > 0, { what: "the agent's process" });

      await first.crash();
      await world.until(async () => (await findProcessesOf(first.dataDir)).length === 0, {
        what: 'the agent to die with the App',
      });
      const second = await stage.start({ script: REPAIRING });

      await expectConverged(world, red, second);
      const [launched] = second.lines.filter((line) => line.msg === 'fixup launched');
      expect(launched?.['attempt']).toBe(1);
      const told = second.lines.filter(({ msg }) => msg === 'fixup completed' || msg === 'fixup launched');
      expect(told.map((line) => line['exitReason'] ?? line.msg)).toEqual(['died', 'fixup launched', 'pushed']);
      expect(await readdir(join(second.dataDir, 'sessions'))).toEqual([]);
    });

    it('between the intent and the push (F3, F4)', async ({ onTestFinished }) => {
      const stage = await openStage(onTestFinished);
      const { world } = stage;
      const first = await stage.start({ script: REPAIRING });
      const red = await openRedPullRequest(world);
      world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
      world.faults.hangRequests({ times: 1, matches: ({ path }) => path.includes('git-receive-pack') });
      await first.untilLog((line) => line.msg === 'push planned', 'the push to be planned');
      await world.until(() => world.requests.some(({ path }) => path.includes('git-receive-pack')), {
        what: 'the push to begin',
      });

      await first.crash();
      expect(ownPushes(world, red.repo)).toEqual([]);
      const second = await stage.start({ script: { steps: [{ do: 'crash', exitCode: 9 }] } });

      await expectConverged(world, red, second);
      expect(second.lines.some((line) => line.msg === 'agent started')).toBe(false);
    });

    it('between the push and its settling (F2, F4, trap 31)', async ({ onTestFinished }) => {
      const stage = await openStage(onTestFinished);
      const { world } = stage;
      const first = await stage.start({ script: REPAIRING });
      const red = await openRedPullRequest(world);
      world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
      await first.untilLog((line) => line.msg === 'push planned', 'the push to be planned');
      // The push token is given back before the session is settled: GitHub keeps the App waiting there.
      world.faults.hangRequests({ times: 1, matches: ({ method }) => method === 'DELETE' });
      await world.until(() => ownPushes(world, red.repo).length > 0, { what: 'the push' });
      await first.crash();
      expect(first.lines.some((line) => line.msg === 'fixup completed')).toBe(false);
      const second = await stage.start({ script: { steps: [{ do: 'crash', exitCode: 9 }] } });

      await second.untilLog((line) => line.msg === 'push adopted', 'the push to be recognised');
      await expectConverged(world, red, second);
      expect(second.lines.some((line) => line.msg === 'agent started')).toBe(false);
    });
  },
);

/** Processes other than the App itself whose command line or environment names the data folder. */
async function findProcessesOf(dataDir: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.includes(dataDir)) found.push(commandLine.replaceAll('\0', ' ').slice(0, 200));
  }
  return found;
}
