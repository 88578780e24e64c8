import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CliResult } from '../../src/cli/cli-result.ts';
import { runLog } from '../../src/cli/log.ts';
import type { NewTransition } from '../../src/ports/store.ts';
import { TransitionsResponse } from '../../src/schemas/admin-api.ts';
import { ADMIN_TOKEN, type AdminServer, startAdminServer } from '../support/admin-server.ts';
import { aTransition } from '../support/store.ts';

const VerifiedLog = z.object({
  transitions: z.array(z.looseObject({ code: z.string(), verified: z.looseObject({ state: z.string() }) })),
  verified: z.looseObject({ decisions: z.number() }),
});

let server: AdminServer;
beforeEach(async () => {
  server = await startAdminServer();
});
afterEach(() => server.close());

async function run(...args: readonly string[]): Promise<CliResult> {
  return runLog(args, { variables: { RATCHET_URL: server.url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN }, fetch });
}

async function decideOnce(): Promise<void> {
  server.pipeline.comment('/ratchet enable');
  await server.pipeline.evaluate();
}

/** Appends the newest decision again, changed. */
function append(change: Partial<NewTransition>): void {
  const { store, key } = server.pipeline;
  const [newest] = store.transitions(key, 1);
  if (newest === undefined) throw new Error('nothing was decided');
  const { action, code, reason, snapshot, createdAt } = newest;
  store.appendTransition({ key, action, code, reason, snapshot, createdAt, ...change });
}

describe('ratchet log', () => {
  it('prints what was decided and done, newest line first (002.R22)', async () => {
    await decideOnce();
    const { exitCode, stdout, stderr } = await run('acme/widget#7');

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[0]).toMatch(/^2026-01-01T00:00:00\.000Z {2}FIX_CI {2}CI_FAILED {2}/u);
    expect(stdout).toContain('  COMMAND  ');
  });

  it('has the snapshot of each decision as JSON, as many lines as are asked for', async () => {
    await decideOnce();
    const { exitCode, stdout } = await run('acme/widget#7', '--json', '--limit', '1');

    expect(exitCode).toBe(0);
    expect(TransitionsResponse.parse(JSON.parse(stdout)).transitions).toMatchObject([
      { code: 'CI_FAILED', snapshot: { ci: { status: 'failure' } } },
    ]);
  });

  it('says that there is no line', async () => {
    expect(await run('acme/widget#8')).toEqual({
      ...{ exitCode: 0, stdout: '' },
      stderr: 'ratchet: the log has no line about this pull request\n',
    });
  });

  it('keeps control characters from the terminal', async () => {
    const { store, key } = server.pipeline;
    store.appendTransition(aTransition({ key, action: 'EFFECT', reason: 'a\u001b[31m\nb' }));

    expect((await run('acme/widget#7')).stdout).toMatch(/ {2}a {1}\[31m b\n$/u);
  });

  it.each([
    [[], 'log: name the pull request, as OWNER/REPO#N; see ratchet log --help'],
    [['acme/widget'], 'log: expected OWNER/REPO#N'],
    [['acme/widget#7', 'more'], 'unexpected argument "more"'],
    [['acme/widget#7', '--limit', '0'], '--limit is a whole number from 1 to 20000, not "0"'],
    [['acme/widget#7', '--limit', '1e3'], 'not "1e3"'],
    [['acme/widget#7', '--limit=20001'], 'not "20001"'],
    [['acme/widget#7', '--verfy'], 'did you mean --verify?'],
    [['acme/gadget#7'], 'no webhook has named acme/gadget'],
  ])('refuses %j with exit code 2', async (args, said) => {
    const { exitCode, stdout, stderr } = await run(...args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(said);
  });
});

describe('ratchet log --verify', () => {
  it('decides every decision again, and finds the same (002.R22)', async () => {
    await decideOnce();
    await server.pipeline.settle();
    const { exitCode, stdout, stderr } = await run('acme/widget#7', '--verify');

    expect(stderr).toMatch(/^ratchet: (\d+) decisions decided again: \1 same, 0 different, 0 not verified\n$/u);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^= .* FIX_CI {2}CI_FAILED/mu);
    expect(stdout).toMatch(/^ {2}\S+ {2}COMMAND/mu);
  });

  it.each([
    [{ code: 'ALL_GREEN', action: 'DONE' as const }, 'DONE  ALL_GREEN'],
    [{ reason: 'because' }, 'because'],
  ])('reports a decision that differs: %j', async (change, shown) => {
    await decideOnce();
    append(change);
    const { exitCode, stdout, stderr } = await run('acme/widget#7', '--verify');

    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^! .*\n {4}decided again: FIX_CI {2}CI_FAILED {2}CI failed/mu);
    expect(stdout).toContain(shown);
    expect(stderr).toContain('2 decisions decided again: 1 same, 1 different, 0 not verified');
  });

  it('never counts a decision without its snapshot as the same', async () => {
    await decideOnce();
    append({ snapshot: null });
    const { exitCode, stdout } = await run('acme/widget#7', '--verify', '--json');
    const shown = VerifiedLog.parse(JSON.parse(stdout));

    expect(exitCode).toBe(1);
    expect(shown.verified).toEqual({ decisions: 2, same: 1, differs: 0, unverified: 1, isWhole: true });
    expect(shown.transitions[0]?.verified).toEqual({ state: 'unverified', why: 'its snapshot was not stored' });
  });

  it('is not done well where there is nothing to verify', async () => {
    expect(await run('acme/widget#7', '--verify')).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr: 'ratchet: there is no decision to verify\n',
    });
  });

  it('reads every page, also of lines of one instant', async () => {
    await decideOnce();
    for (let count = 0; count < 450; count += 1) append({});
    const { exitCode, stderr } = await run('acme/widget#7', '--verify');

    expect(exitCode).toBe(0);
    expect(stderr).toContain('451 decisions decided again: 451 same');
    expect((await run('acme/widget#7', '--verify', '--limit', '201')).stderr).toContain('201 decisions decided again');
  });

  it.each([
    ['an action of a newer version', { action: 'FIX_EVERYTHING', snapshot: null }, '?'],
    ['a decision that was made to look like an effect', { action: 'EFFECT' }, '!'],
  ] as const)('never passes over %s', async (_what, change, mark) => {
    await decideOnce();
    const [line] = TransitionsResponse.parse(
      JSON.parse((await run('acme/widget#7', '--json', '--limit', '1')).stdout),
    ).transitions;
    const { exitCode, stdout } = await runLog(['acme/widget#7', '--verify'], {
      variables: { RATCHET_ADMIN_TOKEN: ADMIN_TOKEN },
      fetch: async () => Response.json({ transitions: [line, { ...line, ...change }] }),
    });

    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^= /u);
    expect(stdout).toContain(`\n${mark} `);
  });

  it('takes a snapshot of a newer version that it cannot read for not verified', async () => {
    const line = { id: 1, action: 'WAIT', code: 'X', reason: 'x', snapshot: { later: 1 }, createdAt: 'now' };
    const { exitCode, stdout } = await runLog(['acme/widget#7', '--verify'], {
      variables: { RATCHET_ADMIN_TOKEN: ADMIN_TOKEN },
      fetch: async () => Response.json({ transitions: [line] }),
    });

    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^\? now {2}WAIT.*\n {4}not decided again: its snapshot cannot be read: /u);
  });
});
