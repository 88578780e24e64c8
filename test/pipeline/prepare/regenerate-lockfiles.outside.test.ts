import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRegistries } from '../../../src/adapters/registry/create-registries.ts';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { findRegenerable } from '../../../src/core/merge/find-regenerable.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { Policy } from '../../../src/core/model/policy.ts';
import { PUBLIC_REGISTRIES } from '../../../src/core/registry/registry-roots.ts';
import { regenerateFiles } from '../../../src/pipeline/fixup/regenerate-files.ts';
import { toRegenerationRules } from '../../../src/pipeline/fixup/regeneration-rules.ts';
import { IS_ROOT, toBubblewrapOptions } from '../../contract/sandbox/sandbox-fixture.ts';
import { aFixup, aSession } from '../../support/builders.ts';
import { createFakeSessionFiles } from '../../support/fake-session-files.ts';
import { createTempFolder, createTestLog, createTestSession, type FileSpec } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { type PackageRegistry, startPackageRegistry, type TestPackage } from '../../support/package-registry.ts';
import { aToolchain, createTestSites } from '../../support/sandbox-sites.ts';

/** Real npm in the real sandbox, with a registry of this machine; other package managers are scripts. */
let registry: PackageRegistry;
let folder: Awaited<ReturnType<typeof createTempFolder>>;

const RAN = 'echo ran >> /workspace/package-lock.json';
const PACKAGES: readonly TestPackage[] = [
  { name: 'a', version: '1.0.0', scripts: { install: RAN }, files: { 'index.js': '' } },
  { name: '@s/b', version: '2.0.0', files: { 'index.js': '' } },
];
const ROOT: TestPackage = { name: 'root', version: '1.0.0', dependencies: { a: '^1.0.0', '@s/b': '^2.0.0' } };

beforeAll(async () => {
  folder = await createTempFolder();
  registry = await startPackageRegistry(join(folder.path, 'packages'), PACKAGES);
});

afterAll(async () => {
  await registry.close();
  await folder.remove();
});

/** Regenerates the lockfiles of a tree; the texts of those that were made. `tools`: scripts on the PATH, by name. */
async function regenerate(
  files: Readonly<Record<string, FileSpec>>,
  tools: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const session = await createTestSession(files, { inMemory: false, slotGid: IS_ROOT ? 299_999 : null });
  onTestFinished(session.remove);
  const options = { ...(await toBubblewrapOptions(session.root)), slots: 1 };
  const slotGid = IS_ROOT ? options.gid : null;
  const toolchain = join(session.root, 'tools');
  await mkdir(join(toolchain, 'bin'), { recursive: true });
  for (const [name, script] of Object.entries(tools)) {
    await writeFile(join(toolchain, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const parts = { trees: session.git, dataDir: join(session.root, 'data'), slotGid, toolchains: aToolchain(toolchain) };
  const sites = createTestSites({ sandbox: createBubblewrapSandbox(options), ...parts });
  const roots = { ...PUBLIC_REGISTRIES, npm: registry.url };
  const socketsDir = join(session.root, 'sockets');
  const registries = createRegistries({ roots, hosts: [], socketsDir, slotGid, newId: options.newId });
  const { git, repository, headSha } = session;
  const tracked = await git.listFiles(repository, NEVER);
  const prepared = {
    ...{ dependencies: null, policy: DEFAULT_POLICY, repository, tracked },
    session: { ...aSession(null), fixup: aFixup() },
  };
  const regenerations = findRegenerable(tracked, { entries: [], tracked });
  const deps = { files: createFakeSessionFiles(), git, log: createTestLog(), registries, sites };
  const { treeSha, made } = await regenerateFiles(deps, prepared, { treeSha: headSha, regenerations }, NEVER);
  const paths = made.map(({ path }) => path);
  return git.readFiles(repository, { treeish: treeSha, paths, maxBytes: 1_000_000 }, NEVER);
}

describe('regenerateFiles', () => {
  it('brings lockfiles of npm up to date through the relay, without scripts, and with public addresses', async () => {
    const lock = JSON.stringify({ ...ROOT, lockfileVersion: 3, packages: { '': { name: 'root', version: '1.0.0' } } });
    const missing = JSON.stringify({ ...ROOT, dependencies: { missing: '^1.0.0' } });

    const texts = await regenerate({
      ...{ 'web/package.json': JSON.stringify(ROOT), 'web/package-lock.json': lock },
      ...{ 'bad/package.json': missing, 'bad/package-lock.json': lock },
    });

    const text = texts['web/package-lock.json'] ?? '';
    expect(Object.keys(texts)).toEqual(['web/package-lock.json']);
    expect(JSON.parse(text)).toMatchObject({
      packages: {
        'node_modules/a': { version: '1.0.0', resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz' },
        'node_modules/@s/b': { version: '2.0.0', resolved: 'https://registry.npmjs.org/@s/b/-/b-2.0.0.tgz' },
      },
    });
    expect(text).not.toMatch(/ran|127\.0\.0\.1/u);
  });

  it('calls each package manager in the folder of its lockfile, with the registries and without scripts', async () => {
    const texts = await regenerate(
      {
        ...{ 'pnpm-lock.yaml': 'theirs\n', 'w/yarn.lock': 'theirs\n', 'w/.yarnrc.yml': '', 'Cargo.toml': '' },
        ...{ 'Cargo.lock': 'theirs\n', 'uv.lock': 'theirs\n', 'sub/go.sum': 'theirs\n', 'poetry.lock': 'theirs\n' },
      },
      {
        pnpm: 'echo "$* $npm_config_ignore_scripts $npm_config_registry" > pnpm-lock.yaml',
        yarn: 'echo "$* $YARN_ENABLE_SCRIPTS $YARN_ENABLE_IMMUTABLE_INSTALLS" > yarn.lock',
        cargo: 'grep -q sparse+http "$CARGO_HOME/config.toml" && echo "$*" > Cargo.lock',
        uv: 'echo "$* $UV_DEFAULT_INDEX $UV_NO_BUILD" > uv.lock',
        go: 'echo "$* $GOSUMDB" > go.sum',
        poetry: 'case "$1" in --version) echo "Poetry (version 1.8.2)";; *) echo "$*" > poetry.lock;; esac',
      },
    );

    expect(texts).toEqual({
      'pnpm-lock.yaml':
        'install --lockfile-only --no-frozen-lockfile --ignore-scripts true https://registry.npmjs.org/\n',
      'w/yarn.lock': 'install --mode=update-lockfile false false\n',
      'Cargo.lock': 'update --workspace\n',
      'uv.lock': 'lock https://pypi.org/simple/ 1\n',
      'sub/go.sum': 'mod tidy sum.golang.org\n',
      'poetry.lock': 'lock --no-interaction --no-update\n',
    });
  });

  it('leaves a file in conflict whose package manager is missing or fails, or leaves markers or the address of the relay', async () => {
    const uv =
      'case "$PWD" in */1) exit 1;; */2) printf "<<<<<<< a\\n";; */3) echo http://127.0.0.1:4873/_cargo/x;; esac > uv.lock';
    const files = { '1/uv.lock': 'a', '2/uv.lock': 'a', '3/uv.lock': 'a', 'pnpm-lock.yaml': 'a' };

    expect(await regenerate(files, { uv })).toEqual({});
  });
});

describe('toRegenerationRules', () => {
  const CAN = { registries: {}, sites: { promises: ['relays'] } } as const;
  const { install } = DEFAULT_POLICY;

  it.each<[string, object, Partial<Policy['install']>, boolean]>([
    ['the site has relays', {}, {}, true],
    ['the machine has no registries', { registries: null }, {}, false],
    ['the site has no relays', { sites: { promises: [] } }, {}, false],
    ['nothing is to be detected', {}, { detect: false }, false],
    ['registries are switched off', {}, { registries: false }, false],
  ])('detect lockfiles only where they can be made: %s', (_what, deps, change, isDetected) => {
    const rules = toRegenerationRules({ ...CAN, ...deps }, { ...DEFAULT_POLICY, install: { ...install, ...change } }, [
      'a',
    ]);

    expect(rules).toEqual({ entries: [], tracked: isDetected ? ['a'] : null });
  });
});
