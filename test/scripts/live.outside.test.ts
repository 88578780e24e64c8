import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIVE_CHECKS, runChecks } from '../../scripts/live/run-checks.ts';
import { openScene, type Scene } from '../../scripts/live/scene.ts';
import { startWorld, type World } from '../../world/start-world.ts';
import { SHARED_BY_WORLDS } from '../support/shared-world.ts';

const REPOSITORY = 'acme/scratch';

describe('the live checks, against the local GitHub', () => {
  let world: World;
  let scene: Scene;

  beforeAll(async () => {
    world = await startWorld(SHARED_BY_WORLDS);
    const repo = await world.createRepository({
      owner: 'acme',
      name: 'scratch',
      files: { 'README.md': '# scratch\n' },
    });
    world.installApp(repo);
    scene = await openScene({
      access: { appId: String(world.app.id), privateKey: world.app.privateKey, restUrl: `${world.url}/api/v3` },
      repository: REPOSITORY,
      patienceMs: 10_000,
      counts: { tokens: 2, checks: 3, pageSize: 2 },
      hands: {
        open: (_path, { head, title }) => world.openPullRequest({ repo, head, title, login: 'ann' }),
        close: (_path, number) => world.closePullRequest({ repo, number }),
      },
    });
  });

  afterAll(async () => {
    await scene.close();
    await world.close();
  });

  it('print what they expect and what they see, and name what the others need', async () => {
    const lines: string[] = [];

    const differing = await runChecks(scene, {}, (line) => lines.push(line));

    const needing = LIVE_CHECKS.filter(({ needs }) => needs !== undefined);
    expect(lines.filter((line) => line.startsWith('DIFF'))).toEqual([]);
    expect(differing).toBe(0);
    expect(lines.filter((line) => line.startsWith('skip'))).toEqual(
      needing.map(({ name, needs }) => `skip ${name}: set ${needs ?? ''}`),
    );
    expect(lines.filter((line) => /^(?:ok {2}|seen) /u.test(line))).toHaveLength(LIVE_CHECKS.length - needing.length);
  });

  it('tell a check that fails from one that sees what is expected', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('no token'));
    const lines: string[] = [];

    const differing = await runChecks({ ...scene, mint: fail, openPull: fail, push: fail }, {}, (line) =>
      lines.push(line),
    );

    expect(differing).toBeGreaterThan(5);
    expect(lines.filter((line) => line.startsWith('ok  '))).toEqual(['ok   each purpose has a token']);
    expect(lines).toContain('     seen:     the check failed: no token');
  });
});
