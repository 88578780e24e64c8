import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSessionFiles } from '../../../src/adapters/files/create-session-files.ts';
import { createRegistries } from '../../../src/adapters/registry/create-registries.ts';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { Policy } from '../../../src/core/model/policy.ts';
import type { SetupReport } from '../../../src/core/model/setup-report.ts';
import { PUBLIC_REGISTRIES } from '../../../src/core/registry/registry-roots.ts';
import type { OrEnded } from '../../../src/pipeline/prepare/or-ended.ts';
import { prepareDependencies } from '../../../src/pipeline/prepare/prepare-dependencies.ts';
import { toShellCommand, withSite } from '../../../src/pipeline/prepare/with-site.ts';
import type { PreparedDependencies, SiteOutcome, Sites } from '../../../src/ports/site.ts';
import { listen } from '../../contract/registry/registry-fixture.ts';
import { IS_ROOT, toBubblewrapOptions } from '../../contract/sandbox/sandbox-fixture.ts';
import {
  createTempFolder,
  createTestLog,
  createTestSession,
  type FileSpec,
  type TestSession,
} from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { type PackageRegistry, startPackageRegistry, type TestPackage } from '../../support/package-registry.ts';
import { aToolchain, createTestSites } from '../../support/sandbox-sites.ts';
import { textWith } from '../../support/text-with.ts';

/** Real npm in the real sandbox, with a registry of this machine. */
let registry: PackageRegistry;
let folder: Awaited<ReturnType<typeof createTempFolder>>;

const RAN = 'echo ran >> /workspace/ran.txt';
const PACKAGES: readonly TestPackage[] = [
  {
    name: 'a',
    version: '1.0.0',
    dependencies: { '@s/b': '^2.0.0' },
    files: { 'index.js': "module.exports = 'a' + require('@s/b');" },
  },
  {
    name: '@s/b',
    version: '2.0.0',
    files: { 'index.js': "module.exports = 'b';" },
    scripts: { postinstall: RAN, install: RAN },
  },
];
const ROOT: TestPackage = {
  ...{ name: 'root', version: '1.0.0', dependencies: { a: '^1.0.0' } },
  scripts: { preinstall: RAN, postinstall: RAN, prepare: RAN },
};
const NPMJS = PUBLIC_REGISTRIES.npm;

beforeAll(async () => {
  folder = await createTempFolder();
  registry = await startPackageRegistry(join(folder.path, 'packages'), PACKAGES);
});

afterAll(async () => {
  await registry.close();
  await folder.remove();
});

/** A pull request whose dependencies are prepared. */
interface Stage {
  readonly session: TestSession;
  readonly sites: Sites;
  readonly reports: readonly SetupReport[];
  readonly prepare: (policy?: Partial<Policy>) => Promise<OrEnded<PreparedDependencies | null>>;
  /** Runs a command in a site with the dependencies. */
  readonly run: (dependencies: PreparedDependencies | null, script: string) => Promise<SiteOutcome>;
}

/** `toolchain`: scripts of a folder of the operator, by name. */
async function createStage(
  files: Readonly<Record<string, FileSpec>>,
  toolchain: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const session = await createTestSession(files, { inMemory: false, slotGid: IS_ROOT ? 299_999 : null });
  onTestFinished(session.remove);
  const options = { ...(await toBubblewrapOptions(session.root)), slots: 1 };
  const slotGid = IS_ROOT ? options.gid : null;
  const dataDir = join(session.root, 'data');
  const hasTools = Object.keys(toolchain).length > 0;
  const own = hasTools ? { toolchains: aToolchain(await placeToolchain(session.root, toolchain)) } : {};
  const parts = { trees: session.git, dataDir, slotGid, ...own };
  const sites = createTestSites({ sandbox: createBubblewrapSandbox(options), ...parts });
  const roots = { ...PUBLIC_REGISTRIES, npm: registry.url };
  const socketsDir = join(session.root, 'sockets');
  const registries = createRegistries({ roots, hosts: [], socketsDir, slotGid, newId: options.newId });
  const reports: SetupReport[] = [];
  const signal = NEVER;
  const { git, repository, headSha } = session;
  const deps = {
    ...{ git, sites, registries, log: createTestLog(), redact: (text: string) => text },
    files: createSessionFiles({ dataDir }),
  };
  return {
    session,
    sites,
    reports,
    prepare: async (policy) => {
      const tracked = await git.listFiles(repository, signal);
      const prepared = { repository, tracked, facts: { number: 3 }, policy: { ...DEFAULT_POLICY, ...policy } };
      return prepareDependencies(deps, { ...prepared, tellSetup: (report) => reports.push(report) }, headSha, signal);
    },
    run: (dependencies, script) => {
      const tree = { repository, treeSha: headSha, masked: [], hasHistory: false };
      const request = { name: 'validate', tree, dependencies, inputs: {}, programs: [] };
      const limits = { timeoutMs: 60_000, maxOutputBytes: 100_000 };
      return withSite(deps, request, signal, (site) => site.run(toShellCommand(script, limits), signal));
    },
  };
}

async function placeToolchain(parent: string, scripts: Readonly<Record<string, string>>): Promise<string> {
  const bin = join(parent, 'toolchain', 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return join(parent, 'toolchain');
}

function aProject(change: Readonly<Record<string, FileSpec>> = {}): Readonly<Record<string, FileSpec>> {
  const { name, version, dependencies, scripts } = ROOT;
  return {
    'package.json': JSON.stringify({ name, version, dependencies, scripts }),
    'package-lock.json': registry.toLockfile(ROOT, NPMJS),
    'test.js': "if (require('a') !== 'ab') throw new Error('wrong');",
    ...change,
  };
}

function valueOf(prepared: OrEnded<PreparedDependencies | null>): PreparedDependencies | null {
  if (prepared.kind === 'ok') return prepared.value;
  throw new Error(JSON.stringify(prepared.outcome));
}

describe('packages of npm', () => {
  it('are installed through the relay without scripts, kept for the lockfile, and read-only without any network', async () => {
    const stage = await createStage(aProject());

    const dependencies = valueOf(await stage.prepare());
    const outcome = await stage.run(
      dependencies,
      'node test.js && echo tested; ls; touch node_modules/x; ls /run/ratchet; env | grep -i proxy; grep -c : /proc/net/dev',
    );
    const readOnce = registry.read.length;
    const again = valueOf(await stage.prepare());

    expect(dependencies?.paths).toEqual(['node_modules']);
    expect(outcome.stdoutTail).toBe('tested\nREADME.md\nnode_modules\npackage-lock.json\npackage.json\ntest.js\n1\n');
    expect(again).toMatchObject({ key: dependencies?.key, paths: ['node_modules'] });
    expect(registry.read).toHaveLength(readOnce);
    expect(stage.reports).toEqual([
      { source: 'detected', commands: ['npm ci'], notes: [], isReused: false },
      { source: 'detected', commands: ['npm ci'], notes: [], isReused: true },
    ]);
  });

  it('run their scripts where the policy of the base allows it', async () => {
    const stage = await createStage(aProject());

    const allowed = valueOf(await stage.prepare({ install: { ...DEFAULT_POLICY.install, scripts: true } }));

    expect(allowed?.paths).toEqual(['node_modules', 'ran.txt']);
    expect(Buffer.from((await allowed?.readFile('ran.txt', 1000)) ?? []).toString()).toBe('ran\n'.repeat(5));
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['another registry', { '.npmrc': 'registry=http://192.0.2.1/\n' }],
    [
      'scripts, a proxy and a token',
      {
        '.npmrc':
          'ignore-scripts=false\nhttps-proxy=http://192.0.2.1/\nproxy=http://192.0.2.1/\n//127.0.0.1:4873/:_authToken=canary\n',
      },
    ],
  ])('are installed all the same where the repository asks for %s', async (_what, files) => {
    const stage = await createStage(aProject(files));

    const dependencies = valueOf(await stage.prepare());

    expect(dependencies?.paths).toEqual(['node_modules']);
    expect((await stage.run(dependencies, 'node test.js && echo tested')).stdoutTail).toBe('tested\n');
  });

  it.each<[string, string, (lockfile: string) => string, string]>([
    ['another host in the lockfile', 'http://192.0.2.1/', (lockfile) => lockfile, 'ENETUNREACH'],
    [
      'a hash that is wrong',
      NPMJS,
      (lockfile) => lockfile.replace(/sha512-.{8}/u, 'sha512-AAAAAAAA'),
      'but got sha512-',
    ],
  ])('are not installed with %s', async (_what, host, change, why) => {
    const lockfile = change(registry.toLockfile(ROOT, host));
    const stage = await createStage(aProject({ 'package-lock.json': lockfile }));

    const prepared = await stage.prepare({ setup: ['npm ci --fetch-retries=0'] });

    expect(prepared).toMatchObject({ kind: 'ended', outcome: { kind: 'rejected', code: 'SETUP_FAILED' } });
    expect(JSON.stringify(prepared)).toContain('did not succeed (exited, exit code 1)');
    expect(JSON.stringify(prepared)).toContain(why);
  });

  it('reach no network but the registry', async () => {
    const host = createServer();
    onTestFinished(() => void host.close());
    const port = await listen(host);
    const stage = await createStage(aProject());
    const probe = `const net = require('node:net'); const fetched = (url, init) => fetch(url, init).then((r) => r.status, (e) => e.cause.code);
      (async () => { console.log(await fetched('http://127.0.0.1:4873/a'), await fetched('http://127.0.0.1:4873/-/npm/v1/user', { method: 'PUT', body: 'x' }),
        await fetched('http://127.0.0.1:${String(port)}/'), await fetched('http://192.0.2.1/')); })()`;
    const setup = [`node -e "${probe.replaceAll('"', '\\"').replaceAll('\n', ' ')}" > seen`, 'ls /run/ratchet >> seen'];

    const dependencies = valueOf(await stage.prepare({ setup }));

    expect(Buffer.from((await dependencies?.readFile('seen', 1000)) ?? []).toString()).toBe(
      '200 403 ECONNREFUSED ENETUNREACH\nregistry.sock\n',
    );
    expect(stage.reports).toMatchObject([{ source: 'policy' }]);
  });

  it('have no relay where the policy wants none', async () => {
    const stage = await createStage(aProject());
    const install = { ...DEFAULT_POLICY.install, registries: false };

    const dependencies = valueOf(
      await stage.prepare({ install, setup: ['ls /run > seen; env | grep -c npm_config >> seen; true'] }),
    );
    const nothing = valueOf(await stage.prepare({ install }));

    expect(Buffer.from((await dependencies?.readFile('seen', 1000)) ?? []).toString()).toBe('0\n');
    expect(nothing).toBeNull();
    expect(stage.reports[1]?.notes).toEqual([
      'The packages of package-lock.json are not installed, because `install.registries` is off.',
    ]);
  });

  it('that a failed command asked for in vain are named', async () => {
    const stage = await createStage(aProject());

    const prepared = await stage.prepare({ setup: ['node -e "fetch(\'http://127.0.0.1:4873/-/whoami\')"; exit 4'] });

    expect(prepared).toMatchObject({
      outcome: {
        detail:
          'The setup command `node -e "fetch(\'http://127.0.0.1:4873/-/whoami\')"; exit 4` did not succeed (exited, exit code 4). It can read only packages of the registries. Refused: GET /-/whoami: this is no package of npm.',
      },
    });
  });

  it('are not installed by a program that the machine does not have', async () => {
    const stage = await createStage({ 'poetry.lock': '' });

    expect(await stage.prepare()).toMatchObject({
      kind: 'ended',
      outcome: { code: 'SETUP_FAILED', detail: textWith('This machine does not have poetry, which') },
    });
  });
});

describe('packages of workspaces', () => {
  it('are kept beside the files of the workspace, and placed in no folder that became a link', async () => {
    const stage = await createStage({
      'packages/w/index.js': "console.log(require('own'));",
      'packages/w/package.json': '{}',
      'src/a.js': '',
    });
    const setup = [
      'mkdir -p packages/w/node_modules/own src/node_modules && echo "module.exports = 1" > packages/w/node_modules/own/index.js',
      'rm -r src && ln -s /etc src',
    ];

    const dependencies = valueOf(await stage.prepare({ setup }));
    const outcome = await stage.run(dependencies, 'node packages/w/index.js; touch packages/w/node_modules/x');

    expect(dependencies?.paths).toEqual(['packages/w/node_modules']);
    expect(outcome.stdoutTail).toBe('1\n');
    expect(await dependencies?.has('packages/w/node_modules/own/index.js')).toBe(true);
    expect(
      await stage.sites.findDependencies(dependencies?.key ?? { repositoryId: 0, number: 0, hash: '0' }),
    ).toMatchObject({ paths: ['packages/w/node_modules'] });
  });
});

describe('tools of the operator', () => {
  it('are used where the repository asks for them or the machine has none, and a version that is nowhere is said', async () => {
    const scripts = { node: 'echo v22.1.0', poetry: 'mkdir .venv && echo made > .venv/made' };
    const files = { 'poetry.lock': '', '.nvmrc': '22', '.python-version': '2.7' };
    const stage = await createStage(files, scripts);

    const dependencies = valueOf(await stage.prepare());
    const { stdoutTail } = await stage.run(dependencies, 'node --version; cat .venv/made; echo "$PATH"');

    const folder = join(stage.session.root, 'toolchain');
    const [version, made, path = ''] = stdoutTail.split('\n');
    expect([version, made]).toEqual(['v22.1.0', 'made']);
    expect(path.startsWith(`/workspace/.venv/bin:${folder}/bin:`)).toBe(true);
    expect(stage.reports[0]?.notes.slice(-2)).toEqual([
      `node 22.1.0 of ${folder} is used: .nvmrc asks for 22.`,
      textWith('but .python-version asks for 2.7.'),
    ]);
  });

  it('are used without any setup', async () => {
    const stage = await createStage({ '.nvmrc': '22' }, { node: 'echo v22.1.0' });

    const dependencies = valueOf(await stage.prepare());

    expect((await stage.run(dependencies, 'node --version')).stdoutTail).toBe('v22.1.0\n');
    expect(dependencies?.paths).toEqual([]);
    expect(stage.reports[0]).toMatchObject({ source: 'none', notes: [textWith('is used: .nvmrc asks for 22.')] });
  });
});
