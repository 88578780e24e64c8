import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliResult } from '../../src/cli/cli-result.ts';
import { runSession, type SessionInput } from '../../src/cli/session.ts';
import { ADMIN_TOKEN, type AdminServer, startAdminServer } from '../support/admin-server.ts';

const PULL_REQUEST = 'acme/widget#7';

let server: AdminServer;
beforeEach(async () => {
  server = await startAdminServer();
});
afterEach(() => server.close());

function anInput(change: Partial<SessionInput> = {}): SessionInput {
  return {
    variables: { RATCHET_URL: server.url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN, USER: 'ada' },
    fetch,
    stop: new AbortController().signal,
    sleep: () => Promise.reject(new Error('nothing is slept for')),
    write: () => undefined,
    ...change,
  };
}

async function run(args: readonly string[], change: Partial<SessionInput> = {}): Promise<CliResult> {
  return runSession(args, anInput(change));
}

function live(): readonly { readonly id: string; readonly label: string | null }[] {
  return server.pipeline.store.liveSessions(server.pipeline.key);
}

describe('ratchet session', () => {
  it('starts, lists and ends a session of whoever runs it', async () => {
    const started = await run(['start', PULL_REQUEST]);
    const listed = await run(['list', PULL_REQUEST, '--json']);
    const [session] = live();
    const ended = await run(['end', PULL_REQUEST]);
    const empty = await run(['list', PULL_REQUEST]);

    expect(started.exitCode).toBe(0);
    expect(started.stdout).toMatch(/ user {2}working {2}since \S+ {2}until \S+ {2}ada\n$/);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      sessions: [{ id: session?.id, label: 'ada', status: 'working' }],
    });
    expect(ended.stdout).toContain('ended');
    expect(empty).toEqual({ exitCode: 0, stdout: '', stderr: 'ratchet: no session\n' });
  });

  it('ends the one that is named, and no other', async () => {
    await run(['start', PULL_REQUEST, '--label', 'one', '--minutes', '5']);
    await run(['start', PULL_REQUEST, '--label', 'two']);
    const id = live().find(({ label }) => label === 'one')?.id ?? '';

    expect(await run(['end', PULL_REQUEST, id])).toMatchObject({ exitCode: 0 });

    expect(live().map(({ label }) => label)).toEqual(['two']);
    const again = await run(['end', PULL_REQUEST, id]);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain(id);
  });

  it('prints labels of others without their control characters', async () => {
    await run(['start', PULL_REQUEST, '--label', 'x\u001b[2Jy']);

    expect((await run(['list', PULL_REQUEST])).stdout).not.toContain('\u001b');
  });

  it.each([
    ['nothing', [], 'session: say what to do: start, list, end'],
    ['an unknown action', ['strat', PULL_REQUEST], 'did you mean start?; see ratchet session --help'],
    ['no pull request', ['start'], 'OWNER/REPO#N'],
    ['a pull request without a number', ['list', 'acme/widget'], 'OWNER/REPO#N'],
    ['the number nought', ['list', 'acme/widget#0'], 'OWNER/REPO#N'],
    ['a surplus word', ['start', PULL_REQUEST, 'now'], '"now"'],
    ['two ids', ['end', PULL_REQUEST, 'a', 'b'], '"b"'],
    ['an unknown option', ['list', PULL_REQUEST, '--all'], '--all'],
    ['minutes that are none', ['start', PULL_REQUEST, '--minutes', 'ten'], '--minutes'],
    ['half a minute', ['start', PULL_REQUEST, '--minutes', '0.5'], '--minutes'],
    ['an option of start with list', ['list', PULL_REQUEST, '--hold'], 'belong to session start'],
    ['more minutes than the server takes', ['start', PULL_REQUEST, '--minutes', '9999'], 'minutes'],
    ['a repository that the server does not know', ['start', 'acme/other#1'], 'acme/other'],
  ])('refuses %s with one line and exit code 2', async (_what, args, why) => {
    const { exitCode, stdout, stderr } = await run(args);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(live()).toEqual([]);
  });

  it.each<readonly [string, Readonly<Record<string, string>>, 2 | 3, string]>([
    ['without a token', { RATCHET_ADMIN_TOKEN: '' }, 2, 'RATCHET_ADMIN_TOKEN'],
    ['with an address that is none', { RATCHET_URL: 'here' }, 2, 'RATCHET_URL'],
    ['with an address without a scheme', { RATCHET_URL: 'localhost:3000' }, 2, 'http://'],
    ['with an address of another scheme', { RATCHET_URL: 'file:///etc/passwd' }, 2, 'http://'],
    ['with the wrong token', { RATCHET_ADMIN_TOKEN: 'another-token-0123456789' }, 3, 'does not accept'],
    ['where no server listens', { RATCHET_URL: 'http://127.0.0.1:9' }, 3, 'cannot be reached'],
  ])('says what is wrong %s', async (_what, variables, exitCode, why) => {
    const input = anInput();
    const result = await run(['list', PULL_REQUEST], { variables: { ...input.variables, ...variables } });

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(why);
    expect(result.stderr).not.toContain(ADMIN_TOKEN);
  });

  it('asks the server of this machine where no address is set, and below the path of a proxy where one is', async () => {
    const asked: string[] = [];
    const elsewhere: typeof fetch = async (url) => {
      asked.push(new Request(url).url);
      return Response.json({ sessions: [] });
    };
    for (const url of ['', 'https://example.com/ratchet/']) {
      await run(['list', PULL_REQUEST], {
        fetch: elsewhere,
        variables: { RATCHET_URL: url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN },
      });
    }

    expect(asked.map((url) => url.replace(/\?.*/u, ''))).toEqual([
      'http://127.0.0.1:3000/api/admin/sessions',
      'https://example.com/ratchet/api/admin/sessions',
    ]);
  });

  it('ends all sessions though somebody else ends one of them meanwhile', async () => {
    await run(['start', PULL_REQUEST, '--label', 'one']);
    await run(['start', PULL_REQUEST, '--label', 'two']);
    const beside: typeof fetch = async (url, init) => {
      if (init?.method === 'DELETE') await fetch(url, init);
      return fetch(url, init);
    };

    expect(await run(['end', PULL_REQUEST], { fetch: beside })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(live()).toEqual([]);
  });

  it.each([
    [404, 'no admin API'],
    [502, 'status 502'],
  ])('says so when the answer is a bare %i', async (status, why) => {
    const elsewhere: typeof fetch = async () => Response.json({ outcome: 'not_found' }, { status });

    const result = await run(['list', PULL_REQUEST], { fetch: elsewhere });

    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain(why);
  });

  it('says so when what answers is no server of Ratchet', async () => {
    const elsewhere: typeof fetch = async () => new Response('<html>', { status: 200 });

    const result = await run(['list', PULL_REQUEST], { fetch: elsewhere });

    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain('no server of Ratchet');
  });
});

describe('ratchet session start --hold', () => {
  it('keeps the session at work until it is interrupted, and ends it then', async () => {
    const stop = new AbortController();
    const written: string[] = [];
    const beats: (string | undefined)[] = [];
    const sleep = async (): Promise<void> => {
      server.pipeline.clock.advance(60_000);
      beats.push(live()[0]?.id);
      if (beats.length === 3) stop.abort();
    };

    const result = await run(['start', PULL_REQUEST, '--hold', '--json'], {
      ...{ stop: stop.signal, sleep },
      write: (text) => void written.push(text),
    });

    expect(result).toEqual({ exitCode: 0, stdout: '', stderr: 'ratchet: session ended\n' });
    expect(JSON.parse(written.join(''))).toMatchObject({ sessions: [{ status: 'working' }] });
    expect(new Set(beats).size).toBe(1);
    expect(live()).toEqual([]);
  });

  it('ends the session that its last announcement started, where the first was over', async () => {
    const stop = new AbortController();
    let beats = 0;
    const sleep = async (): Promise<void> => {
      server.pipeline.clock.advance(2 * 60_000);
      beats += 1;
      if (beats === 2) stop.abort();
    };

    await run(['start', PULL_REQUEST, '--hold', '--minutes', '1'], { stop: stop.signal, sleep });

    expect(live()).toEqual([]);
    expect(server.pipeline.transitions().filter(({ code }) => code === 'USER_SESSION_STARTED')).toHaveLength(2);
  });

  it.each([
    [9, 0],
    [10, 3],
  ])('outlives a server that is away for %i heartbeats with exit code %i', async (away, exitCode) => {
    const stop = new AbortController();
    let calls = 0;
    const flaky: typeof fetch = async (...args) => {
      calls += 1;
      if (calls > 1 && calls <= 1 + away) throw new TypeError('fetch failed');
      return fetch(...args);
    };
    const sleep = async (): Promise<void> => {
      if (calls > away + 1) stop.abort();
    };

    const result = await run(['start', PULL_REQUEST, '--hold'], { stop: stop.signal, sleep, fetch: flaky });

    expect(result.exitCode).toBe(exitCode);
  });
});
