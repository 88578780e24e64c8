import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBubblewrapSandbox,
  DEFAULT_LIMITS,
  DEFAULT_PROGRAMS,
} from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { PROBE_PROGRAM } from '../../../src/adapters/sandbox/probe-program.ts';
import { findMisses, PROBES, toProbeFacts } from '../../../src/adapters/sandbox/probes.ts';
import { findArchitecture } from '../../../src/adapters/sandbox/seccomp/to-seccomp-filter.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { IS_ROOT, toBubblewrapOptions } from './sandbox-fixture.ts';

let root: string;
let remove: () => Promise<void>;
const servers: Server[] = [];

beforeAll(async () => {
  ({ path: root, remove } = await createTempFolder());
});

afterAll(async () => {
  for (const server of servers) server.close();
  await remove();
});

async function listen(options: { readonly path: string } | { readonly port: number }): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(options, resolve));
  return server;
}

/** Names of the misses, without their reasons. */
function toNames(misses: readonly string[]): readonly string[] {
  return misses.map((miss) => miss.replace(/ \(.*$/s, ''));
}

/** Facts that call every wall broken where there is none: what the bait leads to can be reached here. */
async function toFactsWithoutWalls(): Promise<Readonly<Record<string, string>>> {
  const open = join(root, 'open');
  await mkdir(open, { recursive: true });
  await writeFile(join(open, 'file'), '');
  const socketPath = join(root, 'socket');
  const abstractName = `ratchet-test-${String(process.pid)}`;
  await listen({ path: socketPath });
  await listen({ path: `\0${abstractName}` });
  const address = (await listen({ port: 0 })).address();
  const facts = toProbeFacts({
    bait: {
      canary: '/etc/passwd',
      socketPath,
      abstractName,
      namespaces: {},
      port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    },
    architecture: findArchitecture(process.arch) ?? 'x64',
    dataDir: open,
    toolsDir: '/nonexistent',
    slot: { index: 0, uid: 12_345, gid: 12_345 },
    limits: { ...DEFAULT_LIMITS, maxOpenFiles: 1, maxProcesses: 1, maxFileBytes: 1, maxTmpBytes: 1 },
    variables: [],
  });
  const writable = Object.fromEntries(['usr', 'root', 'etc', 'tools', 'dev'].map((name) => [`writable_${name}`, open]));
  return {
    ...{ ...facts, ...writable, writable_proc_sys: join(open, 'file'), writable_sysrq: join(open, 'file') },
    ...{ root_home: '/usr', host_etc: '/etc/passwd', host_sys: '/sys', run: open, tty: '/dev/null', may_write: '' },
    ...{ route_ipv4: '127,0,0,1', metadata: '127,0,0,1', route_ipv6: '0'.repeat(31) + '1' },
    ...{ max_processes_seen: '0', max_core_bytes: '-1', first_process: 'self' },
  };
}

async function runProbes(
  facts: Readonly<Record<string, string>>,
  start: readonly string[] = [],
): Promise<readonly string[]> {
  const program = [DEFAULT_PROGRAMS.perl, '-e', PROBE_PROGRAM, ...Object.entries(facts).map((pair) => pair.join('='))];
  const [file = '', ...args] = [...start, ...program];
  const { stdout } = await execa(file, args, { reject: false });
  return toNames(findMisses(stdout));
}

describe('the probes of the sandbox', () => {
  it('are at least 40, each with a name of its own, and the program has no others', async () => {
    const printed = [
      ...PROBE_PROGRAM.matchAll(/^(?:absent|only_way|unwritable|sized|refuses|unreachable|limited|report)\('(\w+)'/gm),
    ];

    expect(PROBES.length).toBeGreaterThanOrEqual(40);
    expect(new Set(PROBES).size).toBe(PROBES.length);
    for (const [, name = ''] of printed) expect(PROBES).toContain(name);
  });

  it('pass in the sandbox (T39, T40)', async () => {
    const sandbox = createBubblewrapSandbox(await toBubblewrapOptions(root));

    expect(await sandbox.probe(NEVER)).toMatchObject({ kind: 'ok' });
  });

  it('miss, each of them, where no wall is', async () => {
    const facts = await toFactsWithoutWalls();
    // A key of the session, and capabilities that are handed on.
    const key = `syscall(${facts['keyctl'] ?? ''}, 1, 0); syscall(${facts['add_key'] ?? ''}, my $t = "user\\0", my $d = "canary\\0", my $p = "x", 1, -3); exec @ARGV`;
    const caps = IS_ROOT ? [DEFAULT_PROGRAMS.setpriv, '--inh-caps=+all', '--ambient-caps=+all'] : [];
    const misses = new Set([
      ...(await runProbes(facts, [DEFAULT_PROGRAMS.perl, '-e', key, ...caps])),
      // Kernels without these families answer as the filter does: the answer that is expected is changed instead.
      ...(await runProbes({ ...facts, errnos: '-2,-2,-2' })),
    ]);

    // Without root there are no capabilities to find.
    const expected = IS_ROOT
      ? PROBES
      : PROBES.filter((name) => !/^capabilities_(?:inh|prm|eff|amb)$|^raw_socket$/.test(name));
    expect(expected.filter((name) => !misses.has(name))).toEqual([]);
  });

  it.each([
    ['ok host_file\nmiss terminal it has one\n', 'terminal (it has one)'],
    ['', 'host_file (did not run)'],
    ['ok host_fil\nok host_file and more\n', 'host_file (did not run)'],
    ['ok host_file\nmiss host_file /x\n', 'host_file (/x)'],
  ])('count what is not reported as passed: %j', (printed, miss) => {
    expect(findMisses(printed)).toContain(miss);
  });

  it('are all missed by a program that prints nothing', () => {
    expect(findMisses('done\n')).toHaveLength(PROBES.length);
  });
});

/** A bwrap with one wall less: replaces options, then becomes the real one. */
async function createWeakBwrap(name: string, pattern: string, replacement: string): Promise<string> {
  const path = join(root, `bwrap-${name}`);
  const program = `
my ($options) = map { join "\\0", @$_ } [@ARGV];
$options =~ s/${pattern}/${replacement}/ or die "no such option";
exec { '${DEFAULT_PROGRAMS.bwrap}' } '${DEFAULT_PROGRAMS.bwrap}', split /\\0/, $options, -1;
`;
  await writeFile(path, `#!${DEFAULT_PROGRAMS.perl}\n${program}`);
  await chmod(path, 0o755);
  return path;
}

describe('a sandbox with one wall less', () => {
  it.each<[string, string, string, readonly string[]]>([
    [
      'system-call-filter',
      '--seccomp\\0005\\0',
      '',
      ['system_call_filter', 'call_keyctl', 'call_ptrace', 'call_io_uring_setup', 'family_vsock', 'clone3_is_missing'],
    ],
    [
      'network',
      '--unshare-all\\0',
      '--unshare-all\\0--share-net\\0',
      ['namespace_net', 'host_loopback', 'abstract_socket'],
    ],
    ['read-only-root', '--remount-ro\\0/\\0', '', ['read_only_mounts']],
    ['read-only-usr', '--ro-bind\\0/usr', '--bind\\0/usr', ['read_only_mounts']],
    ['own-session', '--proc\\0/proc', '--ro-bind\\0/proc\\0/proc', ['host_processes']],
    ['limits-of-tmp', '--size\\0\\d+\\0--tmpfs\\0/tmp', '--tmpfs\\0/tmp', ['size_of_tmp']],
    ['files', '--dir\\0/run', '--ro-bind\\0/etc\\0/run', ['host_run']],
  ])('is not used: %s', async (name, pattern, replacement, expected) => {
    const bwrap = await createWeakBwrap(name, pattern.replaceAll('/', '\\/'), replacement.replaceAll('/', '\\/'));
    const options = { ...(await toBubblewrapOptions(root)), programs: { ...DEFAULT_PROGRAMS, bwrap } };

    const probe = await createBubblewrapSandbox(options).probe(NEVER);

    if (probe.kind === 'ok') throw new Error('nothing was missed');
    for (const miss of expected) expect(probe.why).toContain(`${miss} (`);
    expect(probe.why).toContain('the sandbox does not isolate: ');
  });

  it('is not used: limits', async () => {
    const prlimit = join(root, 'prlimit');
    await writeFile(prlimit, '#!/bin/sh\nwhile [ "$1" != --core=0 ]; do shift; done; shift; exec "$@"\n');
    await chmod(prlimit, 0o755);
    const options = { ...(await toBubblewrapOptions(root)), programs: { ...DEFAULT_PROGRAMS, prlimit } };

    const probe = await createBubblewrapSandbox(options).probe(NEVER);

    expect(JSON.stringify(probe)).toContain('limit_file_size (');
  });
});
