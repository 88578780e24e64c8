import { isJsonObject, parseJsonObject } from '../json/parse-json-object.ts';

/** A command that installs what a lockfile names. */
export interface Install {
  /** What names the dependencies, for people. */
  readonly from: string;
  readonly command: string;
  /** Programs that the command runs. */
  readonly programs: readonly string[];
  /** What a person should know, as a sentence. */
  readonly note?: string;
}

/** What was found in the files of the root. */
export interface Detected {
  /** In the order in which they run. */
  readonly installs: readonly Install[];
  /** Sentences about what is not installed. */
  readonly notes: readonly string[];
}

/** Files of the root that are read for detection. */
export const DETECTION_FILES = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  '.yarnrc.yml',
  'uv.lock',
  'poetry.lock',
  'requirements.txt',
  'go.mod',
  'go.sum',
  'Cargo.lock',
] as const;

interface Tree {
  readonly tracked: ReadonlySet<string>;
  /** Texts of `DETECTION_FILES`; one that is too long to be read is missing. */
  readonly texts: Readonly<Record<string, string>>;
}

type Find = (tree: Tree) => Install | null;

/**
 * Finds the commands that install what the lockfiles of the root name: of each language the first that fits, in the order Node,
 * Python, Go, Rust. Workspaces are installed by the command of their root. A manifest without a lockfile installs nothing,
 * because nothing says which versions. A repository that commits a folder of dependencies needs none installed.
 */
export function detectInstalls(tracked: readonly string[], texts: Readonly<Record<string, string>>): Detected {
  const tree: Tree = { tracked: new Set(tracked), texts };
  const found = LANGUAGES.map(([folder, finders]) => {
    if (tracked.some((path) => path.startsWith(folder))) return null;
    return finders.map((find) => find(tree)).find((install) => install !== null) ?? null;
  });
  const installs = found.filter((install) => install !== null);
  const own = installs.flatMap(({ note }) => (note === undefined ? [] : [note]));
  return { installs, notes: [...own, ...findMissing(tree, installs)] };
}

const npm: Find = (tree) => {
  const lockfile = ['npm-shrinkwrap.json', 'package-lock.json'].find((name) => tree.tracked.has(name));
  if (lockfile === undefined || isOther(tree, 'npm')) return null;
  const packages = parseJsonObject(tree.texts[lockfile] ?? '')?.['packages'];
  const isEmpty = isJsonObject(packages) && Object.keys(packages).every((path) => path === '');
  return isEmpty ? null : { from: lockfile, command: 'npm ci', programs: ['npm'] };
};

const pnpm: Find = (tree) => {
  if (!tree.tracked.has('pnpm-lock.yaml') || isOther(tree, 'pnpm')) return null;
  return { from: 'pnpm-lock.yaml', command: 'pnpm install --frozen-lockfile', programs: ['pnpm'] };
};

const yarn: Find = (tree) => {
  if (!tree.tracked.has('yarn.lock') || isOther(tree, 'yarn')) return null;
  if (isFirstYarn(tree)) {
    const note = 'Yarn 1 reads the hosts that yarn.lock names, so the operator and `install.hosts` have to list them.';
    return { from: 'yarn.lock', command: 'yarn install --frozen-lockfile', programs: ['yarn'], note };
  }
  const [, path = ''] = /^yarnPath:\s*["']?([\w./-]+\.c?js)["']?\s*$/mu.exec(tree.texts['.yarnrc.yml'] ?? '') ?? [];
  if (!tree.tracked.has(path)) return { from: 'yarn.lock', command: 'yarn install --immutable', programs: ['yarn'] };
  return { from: 'yarn.lock', command: `node ${path} install --immutable`, programs: ['node'] };
};

/**
 * `uv sync` reads the addresses that uv.lock names and no other index, so the locked versions are exported with their hashes and
 * installed from the configured index. The project itself is not built: that would run its code.
 */
const uv: Find = ({ tracked }) => {
  if (!tracked.has('uv.lock')) return null;
  const list = '"$HOME/requirements.txt"';
  const command = `uv export --frozen --all-packages --no-emit-workspace --output-file ${list} --quiet && uv venv .venv && uv pip install --require-hashes -r ${list}`;
  return { from: 'uv.lock', command, programs: ['uv', 'python3'] };
};

const poetry: Find = ({ tracked }) => {
  if (!tracked.has('poetry.lock')) return null;
  const note =
    'Poetry reads pypi.org and files.pythonhosted.org itself, so the operator and `install.hosts` have to list them.';
  const command = 'poetry install --no-interaction --no-root';
  return { from: 'poetry.lock', command, programs: ['poetry', 'python3'], note };
};

const pip: Find = ({ tracked, texts }) => {
  const lines = (texts['requirements.txt'] ?? 'x').split('\n');
  if (!tracked.has('requirements.txt') || lines.every((line) => /^\s*(?:#|$)/u.test(line))) return null;
  const command = 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt';
  return { from: 'requirements.txt', command, programs: ['python3'] };
};

/** Without go.sum there is nothing to download. */
const go: Find = ({ tracked }) =>
  tracked.has('go.mod') && tracked.has('go.sum')
    ? { from: 'go.sum', command: 'go mod download', programs: ['go'] }
    : null;

const cargo: Find = ({ tracked, texts }) => {
  const isEmpty = !/^source = /mu.test(texts['Cargo.lock'] ?? 'source = ');
  if (!tracked.has('Cargo.lock') || isEmpty) return null;
  return { from: 'Cargo.lock', command: 'cargo fetch --locked', programs: ['cargo'] };
};

/** By language: its folder of dependencies, and what finds a command. */
const LANGUAGES: readonly (readonly [string, readonly Find[]])[] = [
  ['node_modules/', [pnpm, yarn, npm]],
  ['.venv/', [uv, poetry, pip]],
  ['vendor/', [go]],
  ['vendor/', [cargo]],
];

const MANAGERS = ['npm', 'pnpm', 'yarn'] as const;
type Manager = (typeof MANAGERS)[number];

/** The field `packageManager` of package.json; null if it names none of these. */
export function toPackageManager(
  packageJson: string | undefined,
): { readonly name: Manager; readonly version: string } | null {
  const field = parseJsonObject(packageJson ?? '')?.['packageManager'];
  const [, found, version] = /^([a-z]+)@(\d+\.\d+\.\d+[\w.-]*)(?:\+.*)?$/u.exec(String(field)) ?? [];
  const name = MANAGERS.find((manager) => manager === found);
  return name === undefined || version === undefined ? null : { name, version };
}

/** Whether package.json names another package manager, whose lockfile is there. */
function isOther({ tracked, texts }: Tree, own: Manager): boolean {
  const named = toPackageManager(texts['package.json'])?.name ?? own;
  return named !== own && LOCKFILES[named].some((name) => tracked.has(name));
}

const LOCKFILES: Readonly<Record<Manager, readonly string[]>> = {
  npm: ['npm-shrinkwrap.json', 'package-lock.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
};

function isFirstYarn({ tracked, texts }: Tree): boolean {
  const named = toPackageManager(texts['package.json']);
  if (named !== null && named.name === 'yarn') return named.version.startsWith('1.');
  return !tracked.has('.yarnrc.yml') && /^# yarn lockfile v1$/mu.test(texts['yarn.lock'] ?? '');
}

function findMissing({ tracked, texts }: Tree, installs: readonly Install[]): readonly string[] {
  const notes: string[] = [];
  const node = parseJsonObject(texts['package.json'] ?? '');
  const isNode = ['dependencies', 'devDependencies'].some((field) => {
    const named = node?.[field];
    return isJsonObject(named) && Object.keys(named).length > 0;
  });
  const hasLockfile = Object.values(LOCKFILES).some((names) => names.some((name) => tracked.has(name)));
  const isCommitted = [...tracked].some((path) => path.startsWith('node_modules/'));
  if (isNode && !hasLockfile && !isCommitted) {
    notes.push(
      'package.json names dependencies, but there is no lockfile that says which versions: they are not installed.',
    );
  }
  const nested = [...tracked].find((path) => path.includes('/') && isLockfile(path.slice(path.lastIndexOf('/') + 1)));
  if (installs.length === 0 && nested !== undefined) {
    notes.push(`Only lockfiles of the root are found. ${nested} is not: name the commands in \`setup\`.`);
  }
  return notes;
}

function isLockfile(name: string): boolean {
  return [...Object.values(LOCKFILES).flat(), 'uv.lock', 'poetry.lock', 'Cargo.lock', 'go.sum'].includes(name);
}
