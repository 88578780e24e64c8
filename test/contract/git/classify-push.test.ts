import { describe, expect, it } from 'vitest';
import { classifyPush } from '../../../src/adapters/git/classify-push.ts';

describe('classifyPush', () => {
  const ref = 'aaaa:refs/heads/b';
  const denied = (code: number): string =>
    `fatal: unable to access 'https://x/': The requested URL returned error: ${String(code)}\n`;
  const workflows = 'refusing to allow a GitHub App to create or update workflow';

  interface PushCase {
    readonly name: string;
    readonly exitCode: number | null;
    readonly stdout?: string;
    readonly stderr?: string;
    readonly kind: string;
  }

  it.each<PushCase>([
    { name: 'a fast-forward', exitCode: 0, stdout: ` \t${ref}\t1..2\nDone\n`, kind: 'pushed' },
    { name: 'a forced update', exitCode: 0, stdout: `+\t${ref}\t1...2\nDone\n`, kind: 'pushed' },
    { name: 'the same push again', exitCode: 0, stdout: `=\t${ref}\t[up to date]\nDone\n`, kind: 'pushed' },
    { name: 'a lost lease', exitCode: 1, stdout: `!\t${ref}\t[rejected] (stale info)\n`, kind: 'lost_race' },
    {
      name: 'a locked reference',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (cannot lock ref 'refs/heads/b')\n`,
      kind: 'lost_race',
    },
    {
      name: 'a refusing hook',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (pre-receive hook declined)\n`,
      kind: 'refused',
    },
    {
      name: 'a missing workflows permission',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (${workflows})\n`,
      kind: 'refused',
    },
    {
      name: 'a connection lost in the middle',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote failure] (remote failed to report status)\n`,
      kind: 'unknown',
    },
    ...[401, 403, 404, 408, 429, 500, 502, 503].map((status) => {
      return { name: `a ${String(status)}`, exitCode: 128, stderr: denied(status), kind: 'unknown' };
    }),
    ...[
      "remote: Permission to o/r.git denied to app[bot].\nfatal: unable to access 'https://x/': The requested URL returned error: 403",
      "fatal: Authentication failed for 'https://x/'",
      "fatal: could not read Username for 'https://x/': terminal prompts disabled",
      "remote: Repository not found.\nfatal: repository 'https://x/' not found",
      'fatal: protocol error: bad line length character: <htm',
      'fatal: https://x/info/refs not valid: could not determine hash algorithm; is this a git repository?',
      "fatal: unable to access 'https://x/': Could not resolve host: x",
      "fatal: unable to access 'https://x/': Failed to connect to x port 443 after 1 ms: Connection refused",
      'error: RPC failed; HTTP 500 curl 22 The requested URL returned error: 500\nsend-pack: unexpected disconnect while reading sideband packet',
      'fatal: the remote end hung up unexpectedly',
      'error: RPC failed; curl 56 Recv failure: Connection reset by peer',
    ].map((stderr) => ({ name: stderr.slice(0, 60), exitCode: 128, stderr: `${stderr}\n`, kind: 'unknown' })),
    {
      name: 'an archived repository',
      exitCode: 128,
      stderr: `remote: This repository was archived so it is read-only.\n${denied(403)}`,
      kind: 'refused',
    },
    {
      name: 'an address that is not allowed',
      exitCode: 128,
      stderr: `remote: The organization has an IP allow list enabled, and 1.2.3.4 is not permitted.\n${denied(403)}`,
      kind: 'refused',
    },
    ...[
      'Internal Server Error',
      'internal error',
      'fatal error in commit_refs',
      'unpacker error',
      'remote unpack failed',
      'Service Unavailable',
      'timed out',
      'timeout',
      'missing necessary objects',
    ].map((reason) => {
      return {
        name: `a rejection by ${reason}`,
        exitCode: 1,
        stdout: `!\t${ref}\t[remote rejected] (${reason})\n`,
        kind: 'unknown',
      };
    }),
    {
      name: 'a hook that GitHub could not run',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (pre-receive hook declined)\n`,
      stderr: 'remote: Internal Server Error\n',
      kind: 'unknown',
    },
    ...[
      ['pre-receive hook declined', 'remote: error: GH006: Protected branch update failed\nremote: error: timed out'],
      ['push declined due to repository rule violations', 'remote: error: GH013: Repository rule violations found'],
      ['protected branch hook declined', 'remote: internal server error'],
      ['pre-receive hook declined', 'remote: files above 100 MB are not allowed'],
      ['permission denied', ''],
    ].map(([reason = '', stderr = '']) => {
      return {
        name: `a rule: ${reason}, ${stderr}`,
        exitCode: 1,
        stdout: `!\t${ref}\t[remote rejected] (${reason})\n`,
        stderr,
        kind: 'refused',
      };
    }),
    { name: 'no answer in time', exitCode: null, kind: 'unknown' },
    { name: 'a success that git takes back', exitCode: 1, stdout: ` \t${ref}\t1..2\n`, kind: 'unknown' },
  ])('reads $name', ({ exitCode, stdout = '', stderr = '', kind }) => {
    expect(classifyPush({ exitCode, stdout, stderr }).kind).toBe(kind);
  });

  it('keeps the server’s words without control characters, cut to a length', () => {
    const stderr = `remote: \u001b[31mno\u0007 ${'x'.repeat(5000)}\n`;
    const verdict = classifyPush({ exitCode: 1, stdout: `!\t${ref}\t[remote rejected] (hook declined)\n`, stderr });

    expect(verdict).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(verdict)).not.toContain('\\u001b');
    expect(JSON.stringify(verdict).length).toBeLessThan(2200);
  });
});
