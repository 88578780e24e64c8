import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createUnsafeSandbox } from '../../../src/adapters/sandbox/create-unsafe-sandbox.ts';
import { OF_ISOLATION } from '../../../src/adapters/sites/create-sandbox-sites.ts';
import { parseRunId } from '../../../src/core/model/ids.ts';
import type { Site, SiteOutcome, SitePromise, SiteRequest } from '../../../src/ports/site.ts';
import { fakeSha } from '../../support/builders.ts';
import { createTestLog } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';
import { createTestIds, IS_ROOT } from '../sandbox/sandbox-fixture.ts';
import { createSiteFixture, FILES, type SiteFixture, type SiteKind, SLOTS } from './site-fixture.ts';

/** What each adapter promises: the contract of the rest. */
const PROMISES: Readonly<Record<SiteKind, readonly SitePromise[]>> = {
  bubblewrap: ['fresh_tree', 'take_tree', 'no_network', 'relays', 'limits', 'isolation', 'inputs', 'dependencies'],
  checkout: ['existing_files'],
  'another process': [
    'fresh_tree',
    'take_tree',
    'no_network',
    'relays',
    'limits',
    'isolation',
    'inputs',
    'dependencies',
  ],
};

const KEY = { repositoryId: 7, number: 3, hash: 'a1' };
/** Of no repository: it is never looked at. */
const A_TREE: NonNullable<SiteRequest['tree']> = {
  repository: {
    runId: parseRunId('nobody'),
    mirror: { repositoryId: 1, gitDir: '/m', objectsDir: '/m/objects' },
    controlDir: '/c',
    headSha: fakeSha('head'),
  },
  treeSha: fakeSha('head'),
  masked: [],
  hasHistory: false,
};
const TAKE = { exclude: [], maxPatchBytes: 100_000 };

async function toText(outcome: SiteOutcome, stream: 'stdout' | 'stderr'): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of outcome.read(stream)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

describe.each<SiteKind>(['bubblewrap', 'checkout', 'another process'])('a site: %s', (kind) => {
  let fixture: SiteFixture;
  const keeps = (promise: SitePromise): boolean => PROMISES[kind].includes(promise);

  beforeAll(async () => {
    fixture = await createSiteFixture(kind);
  });

  afterAll(async () => {
    await fixture.remove();
  });

  async function open(change?: Partial<SiteRequest>): Promise<Site> {
    const site = await fixture.open(change);
    onTestFinished(() => site.close());
    return site;
  }

  /** The tree that the fixture opens, changed. */
  function aTree(change: Partial<NonNullable<SiteRequest['tree']>>): SiteRequest['tree'] {
    const { tree } = fixture.request;
    return tree === null ? null : { ...tree, ...change };
  }

  it('promises what is listed, and its probe passes', async () => {
    expect(fixture.sites.promises.toSorted()).toEqual(PROMISES[kind].toSorted());
    expect(await fixture.sites.probe(NEVER)).toMatchObject({ kind: 'ok' });
  });

  it.each<[SitePromise, () => Partial<SiteRequest>]>([
    ['fresh_tree', () => ({ tree: A_TREE })],
    ['existing_files', () => ({ tree: null })],
    ['no_network', () => ({ network: 'none' })],
    ['limits', () => ({ limits: 'enforced' })],
    ['isolation', () => ({ isolation: 'full' })],
    ['inputs', () => ({ inputs: { 'a.txt': 'x' } })],
    ['dependencies', () => ({ dependencies: { key: KEY, paths: [] } })],
  ])('is opened with what needs %s exactly where that is promised', async (promise, toChange) => {
    const opening = fixture.open(promise === 'fresh_tree' && keeps(promise) ? {} : toChange());

    if (keeps(promise)) await (await opening).close();
    else await expect(opening).rejects.toMatchObject({ name: 'SiteError', code: 'CANNOT_KEEP' });
    expect(await fixture.listLeft()).toEqual([]);
  });

  it('is not opened with programs that nobody put there', async () => {
    const opening = fixture.open({ programs: ['no-such-agent'] });

    await expect(opening).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
  });

  describe('a command', () => {
    it('runs at the root with its input, and is read by content (001.R11, 001.R12)', async () => {
      const site = await open();

      const outcome = await fixture.sh(site, 'cat; pwd; cat src/a.txt; echo to-stderr >&2; echo made > file; exit 3', {
        stdin: 'from stdin\n',
      });

      const { root } = fixture.sites.layout;
      const { kind: ended, exitCode, signal, processesLeft, stdoutTail, stderrTail } = outcome;
      expect({ ended, exitCode, signal, processesLeft }).toEqual({
        ...{ ended: 'exited', exitCode: 3, signal: null, processesLeft: 0 },
      });
      expect([stdoutTail, stderrTail]).toEqual([`from stdin\n${root}\none\n`, 'to-stderr\n']);
      expect(await toText(outcome, 'stdout')).toBe(stdoutTail);
      expect(await toText(outcome, 'stderr')).toBe(stderrTail);
      expect(textOf(await site.readFile('file', 100))).toBe('made\n');
    });

    it('runs in a folder of the tree', async () => {
      const outcome = await fixture.sh(await open(), 'pwd; ls', { cwd: 'src' });

      expect(outcome.stdoutTail).toBe(`${fixture.sites.layout.root}/src\na.txt\nb.txt\n`);
    });

    it('gets the environment of the site and its own, and nothing of the service (001.R11)', async () => {
      process.env['RATCHET_CANARY'] = 'canary';
      onTestFinished(() => {
        delete process.env['RATCHET_CANARY'];
      });

      const { stdoutTail } = await fixture.sh(await open(), 'env', { env: { MINE: 'this' } });

      const names = stdoutTail.split('\n').map((line) => line.slice(0, line.indexOf('=')));
      expect(stdoutTail).toContain('MINE=this\n');
      expect(names).toEqual(expect.arrayContaining(['CI', 'HOME', 'NO_COLOR', 'PATH']));
      expect(names).not.toContain('RATCHET_CANARY');
      expect(names.filter((name) => /^npm_|^NODE|VITEST|TOKEN/u.test(name))).toEqual([]);
    });

    it.each<[string, readonly string[], object, object]>([
      ['dies of a signal', ['/bin/sh', '-c', 'kill -TERM $$'], {}, { kind: 'exited' }],
      ['takes too long', ['/bin/sleep', '60'], { timeoutMs: 300 }, { kind: 'timed_out' }],
      ['prints too much', ['/bin/sh', '-c', 'yes'], { maxOutputBytes: 10_000 }, { kind: 'output_flood' }],
      ['is not there', ['no-such-program'], {}, { kind: 'not_started' }],
      ['has no folder to run in', ['/bin/true'], { cwd: 'nowhere' }, { kind: 'not_started' }],
    ])('that %s ends, and the site can be used on', async (_what, argv, change, expected) => {
      const site = await open();

      expect(await fixture.exec(site, argv, change)).toMatchObject({ ...expected, processesLeft: 0 });
      expect((await fixture.sh(site, 'echo on')).stdoutTail).toBe('on\n');
    });

    it('is asked to end before it is killed', async () => {
      const script = "trap 'echo asked; exit 9' TERM; echo up; sleep 60 & wait";

      const outcome = await fixture.exec(await open(), ['bash', '-c', script], { timeoutMs: 5_000 });

      expect(outcome).toMatchObject({ kind: 'timed_out', stdoutTail: 'up\nasked\n' });
    });

    it('is cut at its cap, which is read whole beside the tail', async () => {
      const site = await open();

      const outcome = await fixture.sh(site, 'yes flood', { maxOutputBytes: 300_000 });

      expect(outcome.stdoutTail.length).toBe(64 * 1024);
      expect((await toText(outcome, 'stdout')).length).toBe(300_000);
    });

    it('takes along all that it started, also what left its process group', async () => {
      const site = await open();
      const script = `setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.05; echo x >> beat; done' & sleep 0.5; exit 0`;

      const outcome = await fixture.sh(site, script);
      const before = await site.readFile('beat', 100_000);
      await fixture.sh(site, 'sleep 0.3');

      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, processesLeft: 0 });
      expect(before?.length).toBeGreaterThan(0);
      expect((await site.readFile('beat', 100_000))?.length).toBe(before?.length);
    });

    it('is ended by its signal, and none is started behind it', async () => {
      const site = await open();
      const controller = new AbortController();
      const running = fixture.sh(site, 'echo up; sleep 1000', {}, controller.signal);
      setTimeout(() => controller.abort(), 300);

      expect(await running).toMatchObject({ kind: 'aborted', processesLeft: 0 });
      const later = await fixture.sh(site, 'echo ran > ran', {}, controller.signal);
      expect(later.kind).toBe('aborted');
      expect(await site.has('ran')).toBe(false);
    });

    it('shows its stdout as it is printed, and no more than its cap', async () => {
      const site = await open();
      const { promise: up, resolve } = Promise.withResolvers<unknown>();
      const seen: Uint8Array[] = [];
      const onStdout = (chunk: Uint8Array): void => {
        seen.push(chunk);
        resolve(null);
      };
      const controller = new AbortController();

      const running = fixture.sh(site, 'echo up; echo not-this >&2; sleep 1000', { onStdout }, controller.signal);
      await up;
      controller.abort();
      const { kind: ended } = await running;
      const first = Buffer.concat(seen.splice(0)).toString('utf8');
      await fixture.sh(site, 'yes flood', { maxOutputBytes: 200_000, onStdout });

      expect([ended, first]).toEqual(['aborted', 'up\n']);
      expect(Buffer.concat(seen).length).toBe(200_000);
    });

    it('is alone in its site', async () => {
      const site = await open();
      const running = fixture.sh(site, 'sleep 0.5');

      await expect(fixture.sh(site, 'true')).rejects.toMatchObject({ code: 'BUSY' });
      expect((await running).kind).toBe('exited');
    });

    it('has the network of its site and no other', async () => {
      const other = fixture.request.network === 'none' ? 'host' : 'none';

      await expect(fixture.sh(await open(), 'true', { network: other })).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
    });

    it('finds what an earlier one left in the tree, and artifacts but for those that it removes', async () => {
      const site = await open();
      const folder = fixture.sites.layout.artifacts('contract');
      await fixture.sh(site, `echo 1 > left; echo 2 > ${folder}/kept; echo 3 > ${folder}/stale`);

      const { stdoutTail } = await fixture.sh(site, `cat left ${folder}/kept; ls ${folder}`, {
        removes: ['stale', 'no'],
      });

      expect(stdoutTail).toBe('1\n2\nkept\n');
    });
  });

  describe('what is read', () => {
    it('is a regular file up to a size, and whether there is something', async () => {
      const site = await open();
      const folder = fixture.sites.layout.artifacts('contract');
      await fixture.sh(site, `printf 'a\\377' > bytes; mkfifo pipe; mkdir ${folder}/d; echo r > ${folder}/d/report`);

      expect(await site.readFile('bytes', 2)).toEqual(expect.objectContaining({ length: 2 }));
      expect(await site.readFile('bytes', 1)).toBeNull();
      expect(textOf(await site.readFile('src/a.txt', 100))).toBe(FILES['src/a.txt']);
      expect(textOf(await site.readFile(`${folder}/d/report`, 100))).toBe('r\n');
      for (const path of ['src', 'pipe', 'none', 'none/x']) expect(await site.readFile(path, 100)).toBeNull();
      const paths = ['src/a.txt', 'src', '.', 'pipe', `${folder}/d`, 'none', `${folder}/none`];
      expect(await Promise.all(paths.map((path) => site.has(path)))).toEqual([
        ...[true, true, true, true, true, false, false],
      ]);
    });

    it.runIf(keeps('isolation'))('follows no link and no path out of the site (T24)', async () => {
      const site = await open();
      const folder = fixture.sites.layout.artifacts('contract');
      await fixture.sh(site, `ln -s /etc/passwd link; ln -s /etc dir; ln -s /etc/passwd ${folder}/link; ln -s src sub`);

      const outside = ['link', 'dir/passwd', 'sub/a.txt', '../../../etc/passwd', '/etc/passwd'];
      for (const path of [...outside, `${folder}/link`, `${folder}/../x`]) {
        expect([path, await site.readFile(path, 100_000)]).toEqual([path, null]);
      }
      expect([await site.has('link'), await site.has('dir/passwd'), await site.has('/etc/passwd')]).toEqual([
        ...[true, false, false],
      ]);
    });
  });

  describe.runIf(keeps('take_tree'))('a tree', () => {
    it('is fresh in each site, without masked paths, and nothing of it is shared', async () => {
      const first = await open();
      await fixture.sh(first, 'echo dirty > src/a.txt; echo x > left');
      const second = await open({ tree: aTree({ masked: ['AGENTS.md'] }) });

      const { stdoutTail } = await fixture.sh(second, 'ls -A; cat src/a.txt; test -x bin/run && echo executable');

      expect(stdoutTail).toBe('README.md\nbin\nold.txt\nsrc\none\nexecutable\n');
    });

    it('is taken with additions, deletions, modes and renames, and without nested repositories', async () => {
      const site = await open({ tree: aTree({ masked: ['AGENTS.md'] }) });
      const script = [
        ...['echo two >> src/a.txt', 'rm old.txt', 'chmod 644 bin/run', 'mv src/b.txt src/c.txt'],
        ...['echo new > added.txt', 'mkdir -p nested/.git/objects nested/.git/refs', 'ln -s /etc/passwd leak'],
        ...[`echo 'ref: refs/heads/main' > nested/.git/HEAD`, 'echo in > nested/inner.txt', 'echo evil > AGENTS.md'],
      ].join('\n');
      await fixture.sh(site, script);

      const tree = await site.takeTree({ ...TAKE, exclude: ['AGENTS.md'] }, NEVER);

      const { session } = fixture;
      expect(tree.against).toBe(session?.headSha);
      expect(tree.changes.map(({ kind: change, path, newMode }) => [change, path, newMode])).toEqual([
        ['added', 'added.txt', '100644'],
        ['modified', 'bin/run', '100644'],
        ['added', 'leak', '120000'],
        ['added', 'nested/inner.txt', '100644'],
        ['deleted', 'old.txt', '000000'],
        ['modified', 'src/a.txt', '100644'],
        ['deleted', 'src/b.txt', '000000'],
        ['added', 'src/c.txt', '100644'],
      ]);
      expect(tree.patch).toContain('+two');
      expect(tree.patch).not.toContain('root:');
      const want = { treeish: tree.treeSha, paths: ['src/a.txt', 'AGENTS.md'], maxBytes: 100 };
      expect(await session?.git.readFiles(session.repository, want, NEVER)).toEqual({
        'src/a.txt': 'one\ntwo\n',
        'AGENTS.md': FILES['AGENTS.md'],
      });
    });

    it('that was left can be opened again', async () => {
      const site = await open();
      await fixture.sh(site, 'echo two > src/a.txt');
      const { treeSha } = await site.takeTree(TAKE, NEVER);
      await site.close();

      const again = await open({ tree: aTree({ treeSha }) });

      expect(textOf(await again.readFile('src/a.txt', 100))).toBe('two\n');
    });

    it('has a history that can be read and not changed, where that is asked for', async () => {
      const site = await open({ tree: aTree({ hasHistory: true }) });
      const script = 'git log --format=%s -1; git status --porcelain; touch .git/x; rm -rf .git; git rev-parse HEAD';

      const { stdoutTail, stderrTail } = await fixture.sh(site, script);

      expect(stdoutTail.split('\n').slice(0, 2), stderrTail).toEqual([
        expect.stringContaining('change'),
        String(fixture.session?.headSha),
      ]);
      expect((await fixture.sh(await open(), 'ls -d .git')).exitCode).not.toBe(0);
    });

    it('is refused with a cut patch told as such', async () => {
      const site = await open();
      await fixture.sh(site, 'seq 10000 > big.txt');

      const tree = await site.takeTree({ exclude: [], maxPatchBytes: 1000 }, NEVER);

      expect([tree.patchTruncated, tree.patch.length <= 1000]).toEqual([true, true]);
    });
  });

  it.runIf(!keeps('take_tree'))('has no tree and no dependencies to take', async () => {
    const site = await open();

    await expect(site.takeTree(TAKE, NEVER)).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
    await expect(site.keepDependencies(KEY, [])).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
    expect(await fixture.sites.findDependencies(KEY)).toBeNull();
  });

  it.runIf(keeps('inputs'))('shows its inputs, which nobody can change', async () => {
    const { inputs } = fixture.sites.layout;
    const site = await open({ inputs: { 'check-1.txt': 'evidence\n', 'b.json': '{}' } });

    const script = `ls ${inputs}; cat ${inputs}/check-1.txt; echo x > ${inputs}/b.json; touch ${inputs}/new; ls ${inputs}`;
    const { stdoutTail } = await fixture.sh(site, script);

    expect(stdoutTail).toBe('b.json\ncheck-1.txt\nevidence\nb.json\ncheck-1.txt\n');
    await expect(fixture.open({ inputs: { '../escaped': 'x' } })).rejects.toThrow('not a file name of ours');
    await site.close();
    expect(await fixture.listLeft()).toEqual([]);
  });

  it.runIf(keeps('isolation'))('shows no file of the service, and no network', async () => {
    const site = await open();
    const { root = '' } = fixture.session ?? {};
    await writeFile(join(root, 'canary'), 'canary', { mode: 0o644 });

    const script = `ls -d ${root}/canary /root; grep -c : /proc/net/dev; touch /usr/x && echo written; echo done`;
    const { stdoutTail } = await fixture.sh(site, script);

    expect(stdoutTail).toBe('1\ndone\n');
    expect(await readFile(join(root, 'canary'), 'utf8')).toBe('canary');
  });

  it('gives each command a home of its own, unless it keeps that of the one before', async () => {
    const site = await open();
    const home = async (keepsHome: boolean): Promise<string> =>
      (await fixture.sh(site, 'cat ~/left 2>/dev/null; echo here > ~/left', { keepsHome })).stdoutTail;

    const seen = [await home(false), await home(true), await home(false)];

    // A person's home is the person's.
    expect(seen).toEqual(keeps('isolation') ? ['', 'here\n', ''] : ['', 'here\n', 'here\n']);
  });

  it.runIf(keeps('isolation'))('finds the files of its home that it wants, and another command does not', async () => {
    const site = await open();
    const homeFiles = { '.tool/config/settings.json': '{"key":1}', '.toolrc': 'x' };
    const script =
      'cd ~ && find . -type f | sort | xargs stat -c "%n %a %u"; cat .tool/config/settings.json; id -u; echo 1 > .toolrc';

    const first = await fixture.sh(site, script, { homeFiles });
    const second = await fixture.sh(site, 'ls -A ~; stat -c %a ~');

    const user = first.stdoutTail.trim().split('\n').at(-1)?.replace('{"key":1}', '') ?? '';
    expect(first.stdoutTail).toBe(
      `./.tool/config/settings.json 600 ${user}\n./.toolrc 600 ${user}\n{"key":1}${user}\n`,
    );
    expect(second.stdoutTail).toBe('700\n');
  });

  it('finds the files of its artifacts that it wants, in place of what was left there, links included', async () => {
    const site = await open();
    const artifacts = fixture.sites.layout.artifacts('contract');
    const show = `cat ${artifacts}/a.json`;

    const first = await fixture.sh(site, `${show}; ln -sf /etc/hostname ${artifacts}/a.json`, {
      artifactFiles: { 'a.json': '1' },
    });
    const second = await fixture.sh(site, `${show}; test -L ${artifacts}/a.json || echo file`, {
      artifactFiles: { 'a.json': '2\n' },
    });

    expect([first.stdoutTail, second.stdoutTail]).toEqual(['1', '2\nfile\n']);
  });

  it.each(['/etc/x', '../x', 'a/../../x', './x', 'a//x', '', 'a/', '.', 'x\0y'])(
    'starts no command that wants the file %j in its home',
    async (path) => {
      const running = fixture.sh(await open(), 'true', { homeFiles: { [path]: 'x' } });

      await expect(running).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
    },
  );

  it('puts no files into a home that it did not make for the command', async () => {
    const site = await open();
    await fixture.sh(site, 'true');

    const running = fixture.sh(site, 'true', { homeFiles: { '.toolrc': 'x' }, keepsHome: true });

    await expect(running).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
    expect((await fixture.sh(site, 'echo on')).stdoutTail).toBe('on\n');
  });

  describe.runIf(keeps('dependencies'))('dependencies', () => {
    async function prepare(hash: string): Promise<void> {
      const site = await open();
      const script = [
        ...['mkdir -p node_modules/.store/tool .claude', 'echo 1 > node_modules/.store/tool/index.js'],
        ...['ln -s .store/tool node_modules/tool', 'ln -s /etc/passwd node_modules/out', 'echo x > src/built'],
      ].join('\n');
      await fixture.sh(site, script);
      await site.keepDependencies({ ...KEY, hash }, [
        'src/a.txt',
        'README.md',
        'bin/run',
        'old.txt',
        'AGENTS.md',
        'src/b.txt',
      ]);
      await site.close();
    }

    it('are kept under their key, and read with the links in them but none that leads out', async () => {
      await prepare('b1');

      const found = await fixture.sites.findDependencies({ ...KEY, hash: 'b1' });

      expect(found).toMatchObject({ key: { ...KEY, hash: 'b1' }, paths: ['.claude', 'node_modules'] });
      expect(textOf((await found?.readFile('node_modules/tool/index.js', 100)) ?? null)).toBe('1\n');
      expect(await found?.readFile('node_modules/out', 100_000)).toBeNull();
      expect(await found?.has('node_modules/tool')).toBe(true);
      expect(await found?.has('src/built')).toBe(false);
      expect(await fixture.sites.findDependencies({ ...KEY, hash: 'b2' })).toBeNull();
      expect(await fixture.sites.findDependencies({ ...KEY, number: 4, hash: 'b1' })).toBeNull();
    });

    it('are in a site as far as they were asked for, and nobody can change them', async () => {
      await prepare('c1');
      const key = { ...KEY, hash: 'c1' };
      const site = await open({ dependencies: { key, paths: ['node_modules'] } });

      const script = 'cat node_modules/tool/index.js; touch node_modules/x; rm -rf node_modules/tool; ls -A';
      const { stdoutTail } = await fixture.sh(site, script);

      expect(stdoutTail).toBe('1\nAGENTS.md\nREADME.md\nbin\nnode_modules\nold.txt\nsrc\n');
      expect(textOf(await site.readFile('node_modules/tool/index.js', 100))).toBe('1\n');
      expect([await site.has('node_modules/x'), await site.has('.claude')]).toEqual([false, false]);
      const { changes } = await site.takeTree({ ...TAKE, exclude: ['node_modules'] }, NEVER);
      expect(changes).toEqual([]);
    });
  });

  it('is closed once and again, runs nothing behind that, and leaves nothing', async () => {
    const site = await open();
    await fixture.sh(site, 'mkdir -p closed/in; chmod 0 closed');
    if (kind === 'checkout') await fixture.sh(site, 'chmod 755 closed; rm -rf closed');

    await Promise.all([site.close(), site.close()]);
    await site.close();

    await expect(fixture.sh(site, 'true')).rejects.toMatchObject({ code: 'CLOSED' });
    expect(await fixture.listLeft()).toEqual([]);
  });

  it('is not opened by a signal that has fired', async () => {
    await expect(fixture.open({}, AbortSignal.abort(new Error('stopped')))).rejects.toThrow();
    expect(await fixture.listLeft()).toEqual([]);
  });

  it('is one of several side by side, and none ends another', async () => {
    const sites = await Promise.all(['one', 'two'].map((name) => open({ name })));
    const [long, short] = sites;
    if (long === undefined || short === undefined) throw new Error('there are no sites');

    const running = fixture.sh(long, 'sleep 1; echo survived');
    const ended = await fixture.sh(short, 'exit 0');
    await short.close();

    expect(ended).toMatchObject({ kind: 'exited', processesLeft: 0 });
    expect(await running).toMatchObject({ kind: 'exited', stdoutTail: 'survived\n' });
  });

  it.runIf(keeps('fresh_tree'))('waits for a slot where all are taken, and goes when its signal fires', async () => {
    const sites = await Promise.all(Array.from({ length: SLOTS }, () => open()));
    const gaveUp = new AbortController();
    const given = fixture.open({}, gaveUp.signal);
    const waiting = fixture.open();
    let isOpen = false;
    void waiting.then(() => {
      isOpen = true;
    });
    gaveUp.abort(new Error('gave up'));

    await expect(given).rejects.toThrow();
    expect(isOpen).toBe(false);
    await sites[0]?.close();
    await (await waiting).close();
  });
});

describe('sites in a sandbox without isolation', () => {
  it('are refused what only isolation keeps, unless the operator waives it', async () => {
    const fixture = await createSiteFixture('bubblewrap');
    onTestFinished(fixture.remove);
    const { session, request } = fixture;
    if (session === null) throw new Error('there is no session');
    const options = { slots: 1, toolsDir: session.root, log: createTestLog(), newId: createTestIds() };
    const sandbox = createUnsafeSandbox(options);
    const parts = { sandbox, trees: session.git, dataDir: join(session.root, 'data'), isIsolated: false };
    const signal = NEVER;
    const strict = createTestSites(parts);

    expect(strict.promises).toEqual(['fresh_tree', 'take_tree', 'dependencies']);
    await expect(strict.open(request, signal)).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
    const site = await createTestSites({ ...parts, waived: OF_ISOLATION }).open(request, signal);
    const file = `${strict.layout.artifacts('x')}/result.json`;
    const outcome = await fixture.sh(site, 'cat src/a.txt; echo left > "$WHERE"', { env: { WHERE: file } });

    expect(outcome.stdoutTail).toBe('one\n');
    expect(textOf(await site.readFile(file, 100))).toBe('left\n');
    await site.close();
  });

  it('does not give away a tree after a command that left processes', async () => {
    const fixture = await createSiteFixture('bubblewrap');
    onTestFinished(fixture.remove);
    const { session, request } = fixture;
    if (session === null) throw new Error('there is no session');
    const options = { slots: 1, toolsDir: session.root, log: createTestLog(), newId: createTestIds() };
    const unsafe = createUnsafeSandbox(options);
    const sandbox: typeof unsafe = {
      ...unsafe,
      run: async (command, signal) => ({ ...(await unsafe.run(command, signal)), processesLeft: 1 }),
    };
    const dataDir = join(session.root, 'data');
    const sites = createTestSites({ sandbox, trees: session.git, dataDir, isIsolated: false, waived: OF_ISOLATION });
    const site = await sites.open(request, NEVER);
    await fixture.sh(site, 'echo x > added');

    await expect(site.takeTree(TAKE, NEVER)).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
    await site.close();
  });
});

it.runIf(IS_ROOT)('another process neither sees the files of the control plane nor is seen by it', async () => {
  const fixture = await createSiteFixture('another process');
  onTestFinished(fixture.remove);
  const site = await fixture.open();
  await fixture.sh(site, 'echo x > left');

  expect(await fixture.listLeft()).toHaveLength(1);
  await site.close();
  expect(await fixture.listLeft()).toEqual([]);
});
