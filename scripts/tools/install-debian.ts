import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';

/**
 * Packages that are unpacked, never installed: nothing of the machine changes, and it needs no root. Dependencies that a Debian
 * with python3 has anyway are left out. About 160 MB to fetch and 900 MB on disk, most of it Go and Rust.
 */
const PACKAGES: readonly string[] = [
  ...['mypy', 'python3-mypy', 'python3-mypy-extensions', 'python3-typing-extensions', 'python3-tomli'],
  ...['pylint', 'python3-astroid', 'python3-isort', 'python3-logilab-common', 'python3-dill', 'python3-tomlkit'],
  ...['python3-mccabe', 'python3-platformdirs', 'python3-lazy-object-proxy', 'python3-wrapt'],
  ...['flake8', 'python3-flake8', 'python3-pycodestyle', 'python3-pyflakes', 'python3-importlib-metadata'],
  ...['python3-zipp', 'python3-more-itertools'],
  ...['python3-pytest', 'python3-pytest-cov', 'python3-coverage', 'python3-attr', 'python3-pluggy'],
  ...['python3-iniconfig', 'python3-packaging'],
  ...['shellcheck', 'golang-1.19-go', 'golang-1.19-src'],
  ...['rust-clippy', 'cargo', 'rustc', 'libstd-rust-1.63', 'libstd-rust-dev', 'libllvm14', 'libgit2-1.5'],
  ...['libhttp-parser2.9', 'libmbedcrypto7', 'libmbedtls14', 'libmbedx509-1', 'libssh2-1'],
];

/** Sources of others that Debian serves unpacked, without a dependency: modules of Go and crates of Rust. */
const SOURCES: readonly string[] = [
  ...['golang-github-pkg-errors-dev', 'golang-github-google-uuid-dev'],
  ...['librust-fnv-dev', 'librust-matches-dev'],
];
/** A project of others as it was released: https://packages.debian.org/source/bookworm/markupsafe */
const RELEASE = {
  path: 'main/m/markupsafe/markupsafe_2.1.2.orig.tar.gz',
  sha256: 'abcabc8c2b26036d62d4c746381a6f7cf60aafcc653198ad678306986b09450d',
} as const;
const POOL = 'http://deb.debian.org/debian/pool';

const CACHE = join(import.meta.dirname, '../../.cache/tools');
const FETCH_TIMEOUT_MS = 300_000;
const UNPACK_TIMEOUT_MS = 60_000;

interface DebianSet {
  /** For people. */
  readonly what: string;
  /** Name of the folder below .cache/tools. */
  readonly name: string;
  readonly packages: readonly string[];
  /** A released source to unpack beside them; null: none. */
  readonly release: typeof RELEASE | null;
}

const SETS: readonly DebianSet[] = [
  { what: 'the tools', name: 'debian', packages: PACKAGES, release: null },
  { what: 'the sources', name: 'debian-sources', packages: SOURCES, release: RELEASE },
];

/**
 * Unpacks Debian's packages of the tools below `.cache/tools/debian/root`, and sources of others below
 * `.cache/tools/debian-sources/root`; does nothing where they are there. Never throws: what could not be done is one line on
 * stderr, and the tests that need it fail with where to look.
 */
export async function installDebianTools(): Promise<void> {
  for (const set of SETS) await install(set);
}

async function install(set: DebianSet): Promise<void> {
  const { what, name, packages, release } = set;
  const folder = join(CACHE, name);
  // List of what was unpacked to the end; without it a run that was cut short would look whole.
  const done = join(folder, 'installed.json');
  const wanted = JSON.stringify(release === null ? packages : [...packages, release]);
  if (wanted === (await readFile(done, 'utf8').catch(() => null))) return;
  console.error(`unpacking ${what} of Debian into .cache/tools/${name}`);
  const why = await fetchArchives(folder, set)
    .then(() => unpackArchives(folder))
    .catch(toReason);
  if (why !== null) {
    console.error(`${what} of Debian (12, "bookworm") could not be unpacked here, and their tests will fail: ${why}`);
    return;
  }
  await writeFile(done, wanted);
}

async function fetchArchives(folder: string, { packages, release }: DebianSet): Promise<void> {
  const archives = join(folder, 'archives');
  await rm(folder, { recursive: true, force: true });
  await mkdir(archives, { recursive: true });
  if (release !== null) await fetchRelease(archives, release);
  const first = await download(archives, packages);
  if (first === null) return;
  // A fresh machine has no lists of packages yet.
  await execa('apt-get', ['update', '-qq'], { ...QUIET, timeout: FETCH_TIMEOUT_MS });
  const second = await download(archives, packages);
  if (second !== null) throw new Error(second);
}

/** apt checks the hash. */
async function fetchRelease(archives: string, { path, sha256 }: typeof RELEASE): Promise<void> {
  const args = ['download-file', `${POOL}/${path}`, join(archives, basename(path)), `SHA256:${sha256}`];
  await execa('/usr/lib/apt/apt-helper', args, { stdin: 'ignore', timeout: FETCH_TIMEOUT_MS });
}

const QUIET = { reject: false, stdin: 'ignore', killDescendants: true } as const;

/** null when all of them are there, else why not. */
async function download(archives: string, packages: readonly string[]): Promise<string | null> {
  const options = { ...QUIET, cwd: archives, timeout: FETCH_TIMEOUT_MS };
  const { failed, stderr, shortMessage } = await execa('apt-get', ['download', '-qq', ...packages], options);
  if (!failed) return null;
  return stderr.split('\n').find((line) => line.startsWith('E:')) ?? shortMessage ?? 'apt-get failed';
}

async function unpackArchives(folder: string): Promise<null> {
  const [archives, root] = [join(folder, 'archives'), join(folder, 'root')];
  await mkdir(root, { recursive: true });
  for (const name of (await readdir(archives)).toSorted()) {
    const path = join(archives, name);
    const [program, args] = name.endsWith('.deb')
      ? (['dpkg', ['-x', path, root]] as const)
      : (['tar', ['-xf', path, '-C', root]] as const);
    await execa(program, args, { stdin: 'ignore', timeout: UNPACK_TIMEOUT_MS });
  }
  await rm(archives, { recursive: true });
  return null;
}

function toReason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
