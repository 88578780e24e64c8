import { describe, expect, it } from 'vitest';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import type { LogLine } from '../support/ratchet-process.ts';
import { openRedPullRequest, REPAIR, untilConcluded, WRITER } from '../support/red-repository.ts';

const A_VERSION: unknown = expect.stringMatching(/^\d+\.\d+\.\d+$/u);

describe('the log of a pull request that goes from red to green', AT_ONCE, () => {
  it('names owner, repository and number in each line about it, and begins with the version', async ({
    onTestFinished,
  }) => {
    const { world, start } = await openStage(onTestFinished);
    const ratchet = await start({ script: { steps: [REPAIR] } });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await untilConcluded(world, red, 'success');
    const has = (line: LogLine, ...names: readonly string[]): boolean => names.some((name) => line[name] !== undefined);
    const about = ratchet.lines.filter((line) => has(line, 'key', 'sessionId', 'runId'));

    const pullRequest = { owner: 'acme', name: 'calculator', number: red.number };
    expect(about.filter((line) => line['number'] === undefined)).toEqual([]);
    for (const line of about) expect(line).toMatchObject(pullRequest);
    // Lines of parts that know nothing of pull requests are among them.
    const told = about.map(({ msg }) => msg);
    expect(told).toEqual(
      expect.arrayContaining([
        'action determined',
        'fixup launched',
        'agent started',
        'agent ended',
        'validation ran',
        'check run updated',
        'fixup completed',
      ]),
    );
    expect(ratchet.lines.filter(({ msg }) => msg === 'delivery received')).toContainEqual(
      expect.objectContaining({ ...pullRequest, eventName: 'issue_comment' }),
    );
    // At the level `debug`, each decision is explained.
    const explained = about.filter(({ msg }) => msg === 'decision explained');
    expect(explained).toHaveLength(told.filter((msg) => msg === 'action determined').length);
    const failed = explained.find((line) => line['code'] === 'CI_FAILED');
    expect(failed?.['guards']).toMatch(/^WORKING_SESSION: no; .*CI_FAILED: CI_FAILED$/u);
    expect(failed?.['reason']).toBe('CI failed; attempt 1 of 3.');
    expect(JSON.parse(String(failed?.['facts']))).toMatchObject({
      pullRequest: { state: 'open' },
      ci: { status: 'failure' },
    });

    expect(ratchet.lines[0]).toMatchObject({ msg: 'starting', version: A_VERSION });
    expect(ratchet.lines.find(({ msg }) => msg === 'listening')).toMatchObject({
      version: ratchet.lines[0]?.['version'],
    });
  });
});
