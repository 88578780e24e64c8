import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAgents } from '../../src/cli/agents.ts';
import type { CliResult } from '../../src/cli/cli-result.ts';
import { parseSessionId } from '../../src/core/model/ids.ts';
import { ADMIN_TOKEN, type AdminServer, startAdminServer } from '../support/admin-server.ts';

let server: AdminServer;
beforeEach(async () => {
  server = await startAdminServer();
});
afterEach(() => server.close());

async function run(...args: readonly string[]): Promise<CliResult> {
  return runAgents(args, {
    variables: { RATCHET_URL: server.url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN, USER: 'ada' },
    fetch,
  });
}

describe('ratchet agents', () => {
  it('turns agents off and on, and says since when and by whom', async () => {
    const since = new Date(server.pipeline.clock.now()).toISOString();
    expect(await run('off', 'acme/widget', '--reason', 'costs\u001b[31m')).toEqual({
      exitCode: 0,
      stdout: `agents are off in acme/widget since ${since}, by ada: costs [31m\n`,
      stderr: '',
    });
    expect((await run('off')).stdout).toContain(`agents are off everywhere since ${since}, by ada\n`);
    expect((await run('on')).stdout).not.toContain('everywhere');
    expect((await run('on', 'acme/widget')).stdout).toBe('agents are on\n');
    expect(server.pipeline.store.agentSwitches()).toEqual([]);
  });

  it('shows models that are not called, and what was spent', async () => {
    const { store, key, clock } = server.pipeline;
    const { repositoryId = 0, installationId = 0 } = store.findRepository('acme', 'widget') ?? {};
    const reserved = { input: 1, cached: 0, written: 0, output: 1 };
    store.reserveCall(
      {
        ...{ sessionId: parseSessionId('s'), key, repositoryId, installationId, agent: 'claude', model: 'm' },
        ...{ startedAt: clock.now(), reservedMicroUsd: 1_234_567, reserved },
      },
      {},
    );
    const work = { sessionId: parseSessionId('s'), key, repositoryId, installationId, agent: 'claude' };
    store.reserveTime({ ...work, startedAt: clock.now(), wantedMs: 180_000 }, {});
    const circuit = {
      fingerprint: 'f',
      agent: 'claude',
      fault: 'auth',
      failures: 1,
      openedAt: 5,
      until: null,
    } as const;
    store.saveCircuit(circuit);

    expect((await run('status', 'acme/widget#7')).stdout.split('\n')).toEqual([
      'agents are on',
      'the model of the agent claude is not called (auth) until its configuration changes',
      'pull request: 1.23 USD of any amount, 1 call of any number, 2 tokens of any number, 3 min of any time',
      'repository, today (UTC): 1.23 USD of 2.00 USD, 1 call of any number, 2 tokens of any number, 3 min of any time',
      'installation, this month (UTC): 1.23 USD of any amount, 1 call of any number, 2 tokens of any number, 3 min of any time',
      '',
    ]);
    const shown: unknown = JSON.parse((await run('status', 'acme/widget', '--json')).stdout);
    expect(shown).toMatchObject({
      switches: [],
      circuits: [{ fault: 'auth' }],
      spent: [{ scope: 'day' }, { usd: 1.234567 }],
    });
  });

  it.each([
    ['no action', [], 'agents: say what to do: off, on, status'],
    ['another action', ['statsu'], 'off, on, status; did you mean status?; see ratchet agents --help'],
    ['an owner alone', ['off', 'acme'], 'agents off: expected OWNER/REPO, not "acme"'],
    ['a pull request to turn off', ['off', 'acme/widget#7'], 'agents off: expected OWNER/REPO, not "acme/widget#7"'],
    ['no number', ['status', 'acme/widget#'], 'agents status: expected OWNER/REPO or OWNER/REPO#N'],
    ['a reason to turn on', ['on', '--reason', 'x'], 'agents on: --reason belongs to agents off'],
    ['two repositories', ['off', 'acme/widget', 'acme/gadget'], 'unexpected argument "acme/gadget"'],
    ['an unknown option', ['off', '--force'], "Unknown option '--force'"],
    ['a repository that nobody knows', ['off', 'acme/other'], 'no webhook has named acme/other yet'],
  ])('refuses %s', async (_what, args, why) => {
    const { exitCode, stderr, stdout } = await run(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
    expect(server.pipeline.store.agentSwitches()).toEqual([]);
  });

  it('says that no server can be reached', async () => {
    const variables = { RATCHET_URL: 'http://127.0.0.1:1', RATCHET_ADMIN_TOKEN: ADMIN_TOKEN };
    expect(await runAgents(['off'], { variables, fetch })).toMatchObject({ exitCode: 3, stdout: '' });
  });
});
