import { lstat, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import { parseSha } from '../../../src/core/model/ids.ts';
import { createTreeHost, type TreeGround } from '../../../src/pipeline/engines/create-tree-host.ts';
import { toShellCommand } from '../../../src/pipeline/prepare/with-site.ts';
import type { EngineHost, Invocation, InvocationResult } from '../../../src/ports/engine-host.ts';
import type { Sites } from '../../../src/ports/site.ts';
import { IS_ROOT, toBubblewrapOptions } from '../../contract/sandbox/sandbox-fixture.ts';
import { createTempFolder, createTestSession, type TestSession } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';
import { aPolicy, aProgram, createMemoryLog, runOn } from './fake-host.ts';

/** Real git, real files and bubblewrap: a pull request whose engines are shell scripts. */
let session: TestSession;
/** Beside the data folder, which may lie in memory below /dev: what is mounted at the same path must not. */
let tools: Awaited<ReturnType<typeof createTempFolder>>;
let sites: Sites;
const signal = NEVER;

const TREE = {
  'src/a.py': 'import os\nimport sys\n',
  'src/b.py': 'import re\n',
  'sub/here.txt': '\uFEFFhere\n',
  link: { mode: '120000', text: '/etc/passwd' },
} as const;

beforeAll(async () => {
  session = await createTestSession(TREE);
  tools = await createTempFolder();
  // Fewer slots than engines at a time: nobody who holds a site waits for another.
  const options = { ...(await toBubblewrapOptions(tools.path)), slots: 2 };
  const slotGid = IS_ROOT ? options.gid : null;
  const sandbox = createBubblewrapSandbox(options);
  sites = createTestSites({ sandbox, trees: session.git, dataDir: join(session.root, 'data'), slotGid });
});

afterAll(async () => {
  await session.remove();
  await tools.remove();
});

async function createHost(change: Partial<TreeGround> = {}): Promise<EngineHost> {
  const { git, repository, headSha } = session;
  const ground: TreeGround = { repository, treeSha: headSha, dependencies: null, isSetupFailed: false, ...change };
  const host = await createTreeHost({ git, sites, log: createMemoryLog() }, ground, signal);
  onTestFinished(async () => {
    for (const name of ['tool-target', 'other-target']) await host.release(name);
  });
  return host;
}

function sh(script: string, change: Partial<Invocation> = {}): Invocation {
  return {
    name: 'tool-target',
    argv: ['/bin/sh', '-c', script],
    env: {},
    cwd: '.',
    timeoutMs: 120_000,
    maxOutputBytes: 1_000_000,
    reports: [],
    keepsArtifacts: false,
    ...change,
  };
}

async function run(host: EngineHost, script: string, change?: Partial<Invocation>): Promise<InvocationResult> {
  return host.run(sh(script, change), signal);
}

describe('an engine in the sandbox', () => {
  it('gets no submodule for a file: its folder is empty (E5)', async () => {
    const { git, repository, headSha } = session;
    const env = { GIT_INDEX_FILE: join(session.root, 'with-submodule') };
    const at = async (...args: readonly string[]): Promise<string> =>
      (await execa('git', ['--git-dir', repository.controlDir, ...args], { env })).stdout.trim();
    await at('read-tree', headSha);
    await at('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib/chart.js`);
    const treeSha = parseSha(await at('write-tree'));
    const files = await git.listFiles(repository, signal, headSha);

    const host = await createHost({ treeSha });

    expect(host.files).toEqual(files.toSorted());
    expect(host.submodules).toEqual([{ path: 'lib/chart.js', isHere: false }]);
    expect((await run(host, 'ls -A lib/chart.js | wc -l')).stdout).toBe('0\n');
  });

  it('finds the tree, a clean environment and its own variables, and both streams are read', async () => {
    const host = await createHost();

    const result = await run(host, 'pwd; cat here.txt; echo "$HOME $CI $MODE ${SECRET:-none}"; echo no >&2; exit 3', {
      cwd: 'sub',
      env: { MODE: 'strict' },
    });

    expect(result).toMatchObject({ exit: { kind: 'exited', exitCode: 3, signal: null }, stderr: 'no\n' });
    expect(result.stdout).toBe('/workspace/sub\n\uFEFFhere\n/home/agent true strict none\n');
  });

  it('writes reports where it is told to, which are read as text whatever their bytes are', async () => {
    const host = await createHost();
    const folder = host.artifacts('tool-target');

    const { reports, stdout } = await run(
      host,
      String.raw`printf '\357\273\277a\377\033[31mb' > ${folder}/r.txt; mkdir ${folder}/d; ln -s /etc/passwd ${folder}/l; printf '\033[1mc\377'`,
      { reports: ['r.txt', 'd', 'l', 'none'] },
    );

    expect(reports).toEqual({ 'r.txt': 'a\uFFFDb', d: null, l: null, none: null });
    expect(stdout).toBe('c\uFFFD');
  });

  it('reads no report that is longer than 64 MiB: the code of the pull request may write any', async () => {
    const host = await createHost();
    const folder = host.artifacts('tool-target');
    const write = `truncate -s ${64 * 1024 * 1024 + 1} ${folder}/long.txt; truncate -s 1024 ${folder}/short.txt`;

    const { reports } = await run(host, write, { reports: ['long.txt', 'short.txt'] });

    expect(reports).toEqual({ 'long.txt': null, 'short.txt': '\0'.repeat(1024) });
  });

  it('sees nothing of what another run left, nor of an earlier one of its own name', async () => {
    const host = await createHost();
    const folder = host.artifacts('tool-target');
    await run(host, `echo old > ${folder}/r.txt; echo x > src/left; echo y > ~/left; rm src/a.py`);

    const again = await run(host, 'ls ~ src', { reports: ['r.txt'] });
    await host.release('tool-target');
    const other = await run(host, 'ls ~ src', { name: 'other-target', reports: ['r.txt'] });

    expect(again.stdout).toMatch(/a\.py\nb\.py\n$/u);
    expect(again.reports).toEqual({ 'r.txt': null });
    expect(again.stdout).not.toContain('left');
    expect(other).toEqual({ ...again, exit: { ...again.exit, durationMs: other.exit.durationMs } });
  });

  it('finds what its earlier steps wrote', async () => {
    const host = await createHost();
    const folder = host.artifacts('tool-target');
    await run(host, `echo 1 > ${folder}/data; echo 2 > src/data`);

    const { stdout } = await run(host, `cat ${folder}/data src/data`, { keepsArtifacts: true });

    expect(stdout).toBe('1\n2\n');
  });

  it('leaves nothing on the disk once it is over, whatever it did to its folders', async () => {
    const host = await createHost();
    await run(host, 'mkdir -m 0 src/closed');
    await host.release('tool-target');
    await host.release('tool-target');

    expect(await readdir(join(session.workDir, '..'))).toEqual(['work']);
    expect((await run(host, 'ls src', { name: 'other-target' })).stdout).toBe('a.py\nb.py\n');
  });

  it.each([
    ['a program that is not there', ['no-such-tool'], {}, { kind: 'not_found', exitCode: null }],
    ['a program that may not be run', ['/etc/passwd'], {}, { kind: 'not_launched' }],
    ['a folder that is not there', ['/bin/true'], { cwd: 'nowhere' }, { kind: 'not_launched' }],
    ['a crash', ['/bin/sh', '-c', 'kill -SEGV $$'], {}, { kind: 'signalled', signal: 'SIGSEGV', exitCode: 139 }],
    ['too long', ['/bin/sleep', '60'], { timeoutMs: 300 }, { kind: 'timed_out' }],
    ['a flood', ['/bin/sh', '-c', 'yes'], { maxOutputBytes: 10_000 }, { kind: 'output_limit' }],
  ] as const)('tells how it ended: %s (000.R32)', async (_, argv, change, exit) => {
    const host = await createHost();

    expect((await host.run(sh('', { argv, ...change }), signal)).exit).toMatchObject(exit);
  });
});

describe('what is read of the tree', () => {
  it('comes from git, whatever a run did to its files, and never through a link', async () => {
    const host = await createHost();
    await run(host, 'echo hacked > src/a.py');

    expect(await host.readText('src/a.py', 100)).toBe(TREE['src/a.py']);
    expect(await host.readText('sub/here.txt', 100)).toBe('here\n');
    expect(await host.readText('src/a.py', 5)).toBeNull();
    expect(await host.readText('link', 10_000)).toBeNull();
    expect(await host.readText('src/none.py', 100)).toBeNull();
    expect([await host.has('src/a.py'), await host.has('src'), await host.has('sr')]).toEqual([true, true, false]);
    expect(await host.contentHash()).toBe(session.headSha);
  });

  it('is its prepared dependencies, too, with the links in them but none that leads out', async () => {
    await writeFile(join(session.root, 'data', 'secret'), 'secret');
    const { repository, headSha } = session;
    const sealed = { network: 'none', limits: 'enforced', isolation: 'full', inputs: {}, programs: [] } as const;
    const tree = { repository, treeSha: headSha, masked: [], hasHistory: false };
    const site = await sites.open({ name: 'setup', tree, dependencies: null, ...sealed }, signal);
    const script = [
      ...['mkdir -p node_modules/.store/tool/bin', 'cd node_modules'],
      ...[`echo '{"version":"1.2.3"}' > .store/tool/package.json`],
      `echo 'console.log("tool")' > .store/tool/bin/tool.js`,
      ...['ln -s .store/tool tool', 'ln -s ../../../../secret hostile', 'ln -s .. out'],
    ].join('\n');
    await site.run(toShellCommand(script, { timeoutMs: 120_000, maxOutputBytes: 1000 }), signal);
    const key = { repositoryId: 7, number: 3, hash: 'a1' };
    const prepared = await site.keepDependencies(key, ['src/a.py']);
    await site.close();
    const source = join(session.root, 'data', 'dependencies', '7-3-a1', 'node_modules');
    await writeFile(join(source, '..', 'secret'), 'secret');
    const host = await createHost({ dependencies: prepared });

    expect(await host.has('node_modules/tool/bin/tool.js')).toBe(true);
    expect(await host.has('node_modules')).toBe(true);
    expect(await host.has('node_modules/none')).toBe(false);
    expect(await host.readText('node_modules/tool/package.json', 100)).toBe('{"version":"1.2.3"}\n');
    expect(await host.readText('node_modules/hostile', 100)).toBeNull();
    expect(await host.readText('node_modules/out/secret', 100)).toBeNull();
    expect(await host.has('node_modules/out/secret')).toBe(false);
    const { exit, stdout } = await run(host, 'node node_modules/tool/bin/tool.js; touch node_modules/x');
    expect({ ...exit, stdout }).toMatchObject({ exitCode: 1, stdout: 'tool\n' });
    await expect(lstat(join(source, 'x'))).rejects.toThrow('ENOENT');
  });
});

describe('engines side by side in sandboxes', () => {
  function aScript(id: string, script: string): EngineSpec {
    const launchers = [{ kind: 'program', name: '/bin/sh', versionArgs: ['-c', 'echo 1.0'] }] as const;
    return aProgram(id, { launchers, toCommands: () => [['-c', script]] });
  }

  it('a broken, a missing and a slow one leave the result of the good one intact (000.R32)', async () => {
    const host = await createHost();
    const catalogue = [
      aScript('broken', 'echo trouble >&2; exit 2'),
      aScript('crashed', 'kill -9 $$'),
      aScript('good', 'echo src/a.py:2; exit 1'),
      aProgram('missing', { launchers: [{ kind: 'program', name: 'no-such-tool', versionArgs: [] }] }),
      aScript('slow', 'exec sleep 60'),
    ];
    const engines = { broken: {}, crashed: {}, good: {}, missing: {}, slow: { timeoutSeconds: 1 } };

    const report = await runOn(host, { catalogue, policy: aPolicy(engines), concurrency: 3, signal });

    expect(report.engineErrors.map(({ engine, kind }) => [engine, kind])).toEqual([
      ['broken', 'NO_OUTPUT'],
      ['crashed', 'CRASHED'],
      ['missing', 'TOOL_NOT_FOUND'],
      ['slow', 'TIMEOUT'],
    ]);
    const good = report.runs.find(({ engine }) => engine === 'good');
    expect(good).toMatchObject({ complete: true, findings: [{ path: 'src/a.py', line: 2 }] });
    expect(report.runs.filter(({ complete }) => complete)).toEqual([good]);
  });
});
