import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { type CheckReport, parseReport } from '../../cli/check-fixture.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const TOOLS = join(PROJECT, '.cache/tools');
const DEBIAN = join(TOOLS, 'debian/root');
const PYTHON = '/usr/bin/python3';
const CHECK_TIMEOUT_MS = 600_000;

/** One run of `ratchet check --json` as a process. */
export interface CheckedProject {
  readonly exitCode: number | undefined;
  /** stdout with all times 0. */
  readonly json: string;
  readonly report: CheckReport;
  readonly stderr: string;
}

/** Projects in a folder of their own, and the cache that they share. */
export interface Workshop {
  /** A checkout with one commit. `from`: a folder of somebody's sources; `files` lie over them. */
  readonly layProject: (
    name: string,
    sources: {
      readonly from?: string;
      readonly files?: Readonly<Record<string, string>>;
      /** Folder of packages, or the packages themselves by name; linked as node_modules. */
      readonly packages?: string | Readonly<Record<string, string>>;
      /** With a virtual environment that has Debian's tools. */
      readonly hasPython?: boolean;
    },
  ) => Promise<string>;
  readonly check: (root: string, argv: readonly string[]) => Promise<CheckedProject>;
  /** The environment of a check. */
  readonly variables: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** `more`: further variables; a PATH comes first. */
export async function openWorkshop(more: Readonly<Record<string, string>> = {}): Promise<Workshop> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ratchet-check-')));
  const own = toVariables(join(folder, 'cache'));
  const path = [...(more['PATH'] === undefined ? [] : [more['PATH']]), own['PATH']].join(':');
  const variables = { ...own, ...more, PATH: path };
  return {
    layProject: async (name, { from, files = {}, packages = {}, hasPython = false }) => {
      const root = join(folder, name);
      await mkdir(root);
      if (from !== undefined) await cp(from, root, { recursive: true });
      await writeFiles(root, { '.gitignore': 'node_modules\n.venv\n__pycache__\n.pytest_cache\n', ...files });
      await linkPackages(root, packages);
      if (hasPython) await makeEnvironment(root);
      await commit(root);
      return root;
    },
    check: (root, argv) => check(root, argv, variables),
    variables,
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Below a folder of test/tools that scripts/prepare-tools.ts installed. */
export function toInstalled(name: 'npm' | 'third-party' | 'templates', path = ''): string {
  return join(TOOLS, name, 'node_modules', path);
}

export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function linkPackages(root: string, packages: string | Readonly<Record<string, string>>): Promise<void> {
  const folder = join(root, 'node_modules');
  if (typeof packages === 'string') return symlink(packages, folder);
  for (const [name, target] of Object.entries(packages)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await symlink(target, join(folder, name));
  }
}

/** As a person's, but with Debian's tools in it; pip is not needed. */
async function makeEnvironment(root: string): Promise<void> {
  await execa(PYTHON, ['-m', 'venv', '--without-pip', '--system-site-packages', '.venv'], { cwd: root });
  const library = join(root, '.venv/lib');
  const [version = ''] = await readdir(library);
  const path = join(library, version, 'site-packages/debian.pth');
  await writeFile(path, `${join(DEBIAN, 'usr/lib/python3/dist-packages')}\n`);
}

/** Below what scripts/prepare-tools.ts unpacked of Debian's sources. */
export function toDebianSource(path: string): string {
  return join(TOOLS, 'debian-sources/root', path);
}

export async function commit(root: string): Promise<void> {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...identity, 'commit', '-qm', 'the sources'],
  ]) {
    await execa('git', args, { cwd: root });
  }
}

/** What the environment of a check is: the tools of Debian come first, and nothing is the person's. */
export function toVariables(cache: string): Readonly<Record<string, string>> {
  return { PATH: `${join(DEBIAN, 'usr/bin')}:/usr/local/bin:/usr/bin:/bin`, HOME: cache, RATCHET_CACHE_DIR: cache };
}

async function check(
  root: string,
  argv: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<CheckedProject> {
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [join(PROJECT, 'src/main.ts'), 'check', '--json', ...argv],
    {
      cwd: root,
      env: variables,
      extendEnv: false,
      reject: false,
      timeout: CHECK_TIMEOUT_MS,
      killDescendants: true,
    },
  );
  return {
    exitCode,
    json: stdout.replaceAll(/"durationMs":\d+/gu, '"durationMs":0'),
    report: toReport(stdout, stderr),
    stderr,
  };
}

function toReport(stdout: string, stderr: string): CheckReport {
  if (stdout === '') throw new Error(`ratchet check printed nothing: ${stderr}`);
  return parseReport(stdout);
}
