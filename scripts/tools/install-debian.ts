import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

const FOLDER = join(import.meta.dirname, '../../.cache/tools/debian');
const ROOT = join(FOLDER, 'root');
const ARCHIVES = join(FOLDER, 'archives');
/** List of what was unpacked to the end; without it a run that was cut short would look whole. */
const DONE = join(FOLDER, 'installed.json');
const FETCH_TIMEOUT_MS = 300_000;
const UNPACK_TIMEOUT_MS = 60_000;

/**
 * Unpacks Debian's packages of the tools below `.cache/tools/debian/root`; does nothing where they are there. Never throws: what
 * could not be done is one line on stderr, and the tests that need it fail with where to look.
 */
export async function installDebianTools(): Promise<void> {
  const wanted = JSON.stringify(PACKAGES);
  if (wanted === (await readFile(DONE, 'utf8').catch(() => null))) return;
  console.error('unpacking the tools of Debian into .cache/tools/debian');
  const why = await fetchArchives().then(unpackArchives).catch(toReason);
  if (why !== null) {
    console.error(`the tools of Debian (12, "bookworm") could not be unpacked here, and their tests will fail: ${why}`);
    return;
  }
  await writeFile(DONE, wanted);
}

async function fetchArchives(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(ARCHIVES, { recursive: true });
  const first = await download();
  if (first === null) return;
  // A fresh machine has no lists of packages yet.
  await execa('apt-get', ['update', '-qq'], { ...QUIET, timeout: FETCH_TIMEOUT_MS });
  const second = await download();
  if (second !== null) throw new Error(second);
}

const QUIET = { reject: false, stdin: 'ignore', killDescendants: true } as const;

/** null when all of them are there, else why not. */
async function download(): Promise<string | null> {
  const options = { ...QUIET, cwd: ARCHIVES, timeout: FETCH_TIMEOUT_MS };
  const { failed, stderr, shortMessage } = await execa('apt-get', ['download', '-qq', ...PACKAGES], options);
  if (!failed) return null;
  return stderr.split('\n').find((line) => line.startsWith('E:')) ?? shortMessage ?? 'apt-get failed';
}

async function unpackArchives(): Promise<null> {
  await mkdir(ROOT, { recursive: true });
  const archives = (await readdir(ARCHIVES)).filter((name) => name.endsWith('.deb')).toSorted();
  for (const archive of archives)
    await execa('dpkg', ['-x', join(ARCHIVES, archive), ROOT], { stdin: 'ignore', timeout: UNPACK_TIMEOUT_MS });
  await rm(ARCHIVES, { recursive: true });
  return null;
}

function toReason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
