import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliResult } from '../../src/cli/cli-result.ts';
import { runUndo } from '../../src/cli/undo.ts';
import { GitHubError } from '../../src/core/model/errors.ts';
import { UndoResponse } from '../../src/schemas/admin-api.ts';
import { ADMIN_TOKEN, type AdminServer, startAdminServer } from '../support/admin-server.ts';
import { fakeSha } from '../support/builders.ts';

const FIXUP = fakeSha('commit-1');
const REVERT = fakeSha('commit-2');

let server: AdminServer;
beforeEach(async () => {
  server = await startAdminServer();
  server.pipeline.comment('/ratchet enable');
  await server.pipeline.evaluate();
});
afterEach(() => server.close());

/** Each wait lets the server's queues come to rest. */
async function run(...args: readonly string[]): Promise<CliResult> {
  return runUndo(args, {
    variables: { RATCHET_URL: server.url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN },
    fetch,
    stop: new AbortController().signal,
    sleep: () => server.pipeline.settle(),
  });
}

describe('ratchet undo', () => {
  it('lets the server revert the last fixup, and waits for its end (S26)', async () => {
    await server.pipeline.settle();
    const { exitCode, stdout } = await run('acme/widget#7', '--json');

    expect(exitCode).toBe(0);
    expect(UndoResponse.parse(JSON.parse(stdout))).toMatchObject({ state: 'done', byHand: [] });
    expect(stdout).toContain(REVERT);
    expect(server.pipeline.git.pushed).toEqual([FIXUP, REVERT]);
    expect(server.pipeline.workspace().takenBack).toMatchObject({ commitSha: FIXUP, by: null });
  });

  it('says why it was not undone, and how a person can do it', async () => {
    await server.pipeline.settle();
    const named = ['src/\u001b[31ma.ts'];
    server.pipeline.git.revertsTo({ kind: 'conflicted', treeSha: fakeSha('marked'), files: [], named, messages: '' });
    const { exitCode, stdout } = await run('acme/widget#7');

    expect(exitCode).toBe(1);
    expect(stdout).toContain('not undone: Later commits changed');
    expect(stdout).toContain(`\n  git revert ${FIXUP}\n`);
    expect(stdout).not.toContain('\u001b');
  });

  it('says at once what is known without a session', async () => {
    expect(await run('acme/widget#7')).toEqual({
      ...{ exitCode: 1, stderr: '' },
      stdout: 'not undone: Ratchet has pushed no fixup to this branch that it remembers.\n',
    });
  });

  it.each([
    [[], 'undo: name the pull request, as OWNER/REPO#N'],
    [['acme/widget'], 'expected OWNER/REPO#N'],
    [['acme/widget#7', 'more'], 'unexpected argument "more"'],
    [['acme/widget#7', '--jsn'], '--jsn'],
    [['acme/widget#8'], 'knows no pull request #8'],
    [['acme/gadget#7'], 'no webhook has named acme/gadget'],
  ])('refuses %j with exit code 2', async (args, said) => {
    const { exitCode, stdout, stderr } = await run(...args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(said);
  });

  it('ends with exit code 3 where GitHub cannot be asked', async () => {
    await server.pipeline.settle();
    server.pipeline.github.failNext('readPullRequest', new GitHubError('UNAVAILABLE', 'down', { retry: 'later' }));

    const { exitCode, stderr } = await run('acme/widget#7');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('GitHub could not be asked');
  });

  it('leaves the undo to the server when it is stopped', async () => {
    await server.pipeline.settle();
    const stop = AbortSignal.abort();
    const variables = { RATCHET_URL: server.url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN };
    const { exitCode, stderr } = await runUndo(['acme/widget#7'], { variables, fetch, stop, sleep: async () => {} });

    expect(exitCode).toBe(3);
    expect(stderr).toContain('goes on in the server');
    expect(server.pipeline.liveSession()?.fixup?.undo).toMatchObject({ commitSha: FIXUP });
  });

  it('shows only undos by their session', async () => {
    await server.pipeline.settle();
    const [fixup] = server.pipeline.endedSessions();

    expect(await server.call('GET', `/api/admin/undo/${fixup?.id ?? ''}`)).toMatchObject({ status: 404 });
    expect(await server.call('POST', '/api/admin/undo/x')).toMatchObject({ status: 405 });
  });
});
