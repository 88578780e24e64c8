import { describe, expect, it } from 'vitest';
import { type Detected, detectInstalls, toPackageManager } from '../../../src/core/install/detect-install.ts';

/** Detects by texts; null: the file is tracked and too long to be read. */
function detect(files: Readonly<Record<string, string | null>>): Detected {
  const texts = Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const]));
  return detectInstalls(Object.keys(files), Object.fromEntries(texts));
}

const commandsOf = (files: Readonly<Record<string, string | null>>): readonly string[] =>
  detect(files).installs.map(({ command }) => command);
const LOCK = '{"packages":{"":{},"node_modules/a":{}}}';
const UV =
  'uv export --frozen --all-packages --no-emit-workspace --output-file "$HOME/requirements.txt" --quiet && uv venv .venv && uv pip install --require-hashes -r "$HOME/requirements.txt"';
const PIP = 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt';
const CARGO = '[[package]]\nname = "a"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n';
const manager = (name: string): string => JSON.stringify({ packageManager: name });

describe('detectInstalls', () => {
  it.each<[string, Readonly<Record<string, string | null>>, readonly string[]]>([
    ['nothing', {}, []],
    ['npm', { 'package.json': '{}', 'package-lock.json': LOCK }, ['npm ci']],
    ['npm with a shrinkwrap', { 'npm-shrinkwrap.json': LOCK }, ['npm ci']],
    ['npm with a lockfile of the first version', { 'package-lock.json': '{"dependencies":{"a":{}}}' }, ['npm ci']],
    ['npm with a long lockfile', { 'package-lock.json': null }, ['npm ci']],
    ['npm with a broken lockfile', { 'package-lock.json': '{' }, ['npm ci']],
    ['npm without packages', { 'package-lock.json': '{"packages":{"":{}}}' }, []],
    ['committed packages', { 'package-lock.json': LOCK, 'node_modules/a/index.js': '' }, []],
    ['pnpm', { 'pnpm-lock.yaml': '' }, ['pnpm install --frozen-lockfile']],
    ['yarn 1', { 'yarn.lock': '# yarn lockfile v1\n' }, ['yarn install --frozen-lockfile']],
    [
      'yarn 1 by name',
      { 'yarn.lock': '', 'package.json': manager('yarn@1.22.22') },
      ['yarn install --frozen-lockfile'],
    ],
    ['yarn with a long lockfile', { 'yarn.lock': null }, ['yarn install --immutable']],
    ['yarn', { 'yarn.lock': '__metadata:\n', '.yarnrc.yml': '' }, ['yarn install --immutable']],
    [
      'yarn by name',
      { 'yarn.lock': '# yarn lockfile v1\n', 'package.json': manager('yarn@4.5.0') },
      ['yarn install --immutable'],
    ],
    [
      'yarn of the repository',
      {
        'yarn.lock': '',
        '.yarnrc.yml': 'a: 1\nyarnPath: .yarn/releases/yarn-4.5.0.cjs\n',
        '.yarn/releases/yarn-4.5.0.cjs': '',
      },
      ['node .yarn/releases/yarn-4.5.0.cjs install --immutable'],
    ],
    [
      'yarn at a path that is not there',
      { 'yarn.lock': '', '.yarnrc.yml': 'yarnPath: x.cjs' },
      ['yarn install --immutable'],
    ],
    [
      'yarn at a path for a shell',
      { 'yarn.lock': '', '.yarnrc.yml': 'yarnPath: x;rm.cjs', 'x;rm.cjs': '' },
      ['yarn install --immutable'],
    ],
    [
      'the first of several',
      { 'package-lock.json': LOCK, 'pnpm-lock.yaml': '', 'yarn.lock': '' },
      ['pnpm install --frozen-lockfile'],
    ],
    [
      'the one that package.json names',
      { 'package-lock.json': LOCK, 'pnpm-lock.yaml': '', 'yarn.lock': '', 'package.json': manager('npm@10.0.0') },
      ['npm ci'],
    ],
    [
      'what is there, if the named one is not',
      { 'package-lock.json': LOCK, 'package.json': manager('pnpm@9.0.0') },
      ['npm ci'],
    ],
    ['uv', { 'uv.lock': '', 'requirements.txt': 'a' }, [UV]],
    ['poetry', { 'poetry.lock': '', 'requirements.txt': 'a' }, ['poetry install --no-interaction --no-root']],
    ['pip', { 'requirements.txt': '# a\n\nflask==3.0.0\n' }, [PIP]],
    ['pip with a long list', { 'requirements.txt': null }, [PIP]],
    ['pip without packages', { 'requirements.txt': '# a\n\n  # b\n' }, []],
    ['a committed environment', { 'requirements.txt': 'a', '.venv/pyvenv.cfg': '' }, []],
    ['go', { 'go.mod': '', 'go.sum': '' }, ['go mod download']],
    ['go without dependencies', { 'go.mod': '' }, []],
    ['go with vendored modules', { 'go.mod': '', 'go.sum': '', 'vendor/modules.txt': '' }, []],
    ['cargo', { 'Cargo.lock': CARGO }, ['cargo fetch --locked']],
    ['cargo with a long lockfile', { 'Cargo.lock': null }, ['cargo fetch --locked']],
    ['cargo without dependencies', { 'Cargo.lock': '[[package]]\nname = "a"\n' }, []],
    [
      'several languages',
      { 'Cargo.lock': CARGO, 'go.mod': '', 'go.sum': '', 'requirements.txt': 'a', 'package-lock.json': LOCK },
      ['npm ci', PIP, 'go mod download', 'cargo fetch --locked'],
    ],
  ])('finds %s (001.R29)', (_what, files, commands) => {
    expect(commandsOf(files)).toEqual(commands);
  });

  it.each<[Readonly<Record<string, string>>, string, readonly string[]]>([
    [{ 'package-lock.json': LOCK }, 'package-lock.json', ['npm']],
    [{ 'npm-shrinkwrap.json': LOCK }, 'npm-shrinkwrap.json', ['npm']],
    [{ 'pnpm-lock.yaml': '' }, 'pnpm-lock.yaml', ['pnpm']],
    [{ 'yarn.lock': '' }, 'yarn.lock', ['yarn']],
    [{ 'yarn.lock': '', '.yarnrc.yml': 'yarnPath: y.cjs', 'y.cjs': '' }, 'yarn.lock', ['node']],
    [{ 'uv.lock': '' }, 'uv.lock', ['uv', 'python3']],
    [{ 'poetry.lock': '' }, 'poetry.lock', ['poetry', 'python3']],
    [{ 'requirements.txt': 'a' }, 'requirements.txt', ['python3']],
    [{ 'go.mod': '', 'go.sum': '' }, 'go.sum', ['go']],
    [{ 'Cargo.lock': CARGO }, 'Cargo.lock', ['cargo']],
  ])('says of %j what it was found by, and which programs it needs', (files, from, programs) => {
    expect(detect(files).installs).toMatchObject([{ from, programs }]);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['of a lockfile', { 'package.json': '{"dependencies":{"a":"1"}}', 'package-lock.json': LOCK }, []],
    ['without dependencies', { 'package.json': '{"dependencies":{},"devDependencies":[]}' }, []],
    ['of committed packages', { 'package.json': '{"dependencies":{"a":"1"}}', 'node_modules/a': '' }, []],
    ['without a lockfile', { 'package.json': '{"devDependencies":{"a":"1"}}' }, ['there is no lockfile']],
    ['with a broken manifest', { 'package.json': '{' }, []],
    ['of a lockfile in a folder', { 'web/package-lock.json': LOCK }, ['web/package-lock.json']],
    ['of lockfiles in the root and a folder', { 'package-lock.json': LOCK, 'web/yarn.lock': '' }, []],
    ['of yarn 1', { 'yarn.lock': '# yarn lockfile v1\n' }, ['Yarn 1 reads the hosts']],
    ['of poetry', { 'poetry.lock': '' }, ['Poetry reads pypi.org']],
  ])('tells a person about a repository %s', (_what, files, notes) => {
    const told = detect(files).notes;

    expect(told).toHaveLength(notes.length);
    for (const [index, note] of notes.entries()) expect(told[index]).toContain(note);
  });
});

describe('toPackageManager', () => {
  it.each([
    ['pnpm@9.1.0', { name: 'pnpm', version: '9.1.0' }],
    ['yarn@4.0.0-rc.1+sha512.abc', { name: 'yarn', version: '4.0.0-rc.1' }],
    ['bun@1.0.0', null],
    ['npm', null],
    ['npm@latest', null],
  ])('reads %s', (text, expected) => {
    expect(toPackageManager(manager(text))).toEqual(expected);
  });

  it('is none without a manifest', () => {
    expect(toPackageManager(undefined)).toBeNull();
    expect(toPackageManager('{"packageManager":7}')).toBeNull();
  });
});
