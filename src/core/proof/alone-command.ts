import { parseJsonObject } from '../json/parse-json-object.ts';
import { isTestPath } from '../judge/test-paths.ts';
import type { NamedFailure } from './proof-evidence.ts';

/** Where tests can be run: the tracked paths of the head, and the texts of its package.json files by path. */
export interface TestGround {
  readonly tracked: readonly string[];
  readonly packages: Readonly<Record<string, string>>;
  /** The commands of the validation. They show how the repository starts its runners. */
  readonly commands: readonly string[];
}

/** One test, or one file of tests: the command without what it runs, and what it runs. */
interface Alone {
  readonly start: string;
  readonly test: string;
}

/** More tests are not run alone. */
const MAX_TESTS = 10;
const JAVASCRIPT = /\.[cm]?[jt]sx?$/u;
const PYTEST = /^((?:[A-Z_]+=\S+ )*(?:(?:uv|poetry|pdm|pipenv|hatch) run )?(?:\S*python[\d.]* -m )?pytest)(?: |$)/u;

/** How each runner of package.json runs one file. */
const NODE_RUNNERS: readonly (readonly [RegExp, string, string])[] = [
  [/\bvitest\b/u, 'vitest', 'npx --no-install vitest run'],
  [/\bjest\b|\breact-scripts test\b/u, 'jest', 'npx --no-install jest --runTestsByPath'],
  [/\bmocha\b/u, 'mocha', 'npx --no-install mocha'],
  [/\bnode\b.* --test\b/u, 'node:test', 'node --test'],
];

/** Paths of the package.json files that say how the tests of these failures are run: those of their folders, nearest first. */
export function toPackagePaths(failures: readonly NamedFailure[], tracked: readonly string[]): readonly string[] {
  const known = new Set(tracked);
  const paths = failures.flatMap(({ path }) => (path === null ? [] : toFolders(path))).map(toPackagePath);
  return [...new Set(paths)].filter((path) => known.has(path));
}

/**
 * Shell commands that run the named tests alone, each by the runner that named it; none for a runner or a name that is not known
 * for sure. A name is untrusted: it stands in quotes, and only if it is a plain one.
 */
export function toAloneCommands(failures: readonly NamedFailure[], ground: TestGround): readonly string[] {
  const found = failures.flatMap(({ tool, path, testId }) =>
    testId === null ? [] : toAlone(tool, path, testId, ground),
  );
  const groups = Map.groupBy(found.slice(0, MAX_TESTS), ({ start }) => start);
  return [...groups].map(([start, all]) => [start, ...new Set(all.map(({ test }) => test))].join(' '));
}

function toAlone(tool: string | null, path: string | null, name: string, ground: TestGround): readonly Alone[] {
  if (tool === 'cargo') return /^[\w:]+$/u.test(name) ? [{ start: 'cargo test --offline -- --exact', test: name }] : [];
  if (path === null || !ground.tracked.includes(path) || !isTestPath(path)) return [];
  if (path.endsWith('.py')) return [toPython(path, name, ground)];
  if (path.endsWith('_test.go')) return toGo(path, name, ground);
  if (path.endsWith('_spec.rb')) return [{ start: 'bundle exec rspec', test: quote(path) }];
  return JAVASCRIPT.test(path) ? toNode(path, ground) : [];
}

function toPython(path: string, name: string, { commands }: TestGround): Alone {
  const start = commands.map((line) => PYTEST.exec(line)?.[1]).find((known) => known !== undefined);
  const isNode = /^\w+(?:::\w+)*(?:\[[\w.-]+\])?$/u.test(name);
  return { start: start ?? 'python3 -m pytest', test: quote(isNode ? `${path}::${name}` : path) };
}

function toGo(path: string, name: string, { tracked }: TestGround): readonly Alone[] {
  const test = /^Test\w*/u.exec(name)?.[0];
  const folder = toFolders(path).find((one) => tracked.includes(join(one, 'go.mod')));
  if (test === undefined || folder === undefined) return [];
  const inside = toFolder(path).slice(folder.length).replace(/^\//u, '');
  return [{ start: `${toEnter(folder)}go test -count=1 -v ${quote(`./${inside}`)} -run`, test: quote(`^${test}$`) }];
}

function toNode(path: string, { tracked, packages }: TestGround): readonly Alone[] {
  const folders = toFolders(path).filter((folder) => tracked.includes(toPackagePath(folder)));
  for (const folder of folders) {
    const runner = toRunner(packages[toPackagePath(folder)] ?? '');
    const inside = path.slice(folder === '' ? 0 : folder.length + 1);
    if (runner !== null) return [{ start: `${toEnter(folder)}${runner}`, test: quote(inside) }];
  }
  return [];
}

/** By the script `test`, else by what is installed. */
function toRunner(text: string): string | null {
  const json = parseJsonObject(text) ?? {};
  const scripts = JSON.stringify(json['scripts'] ?? {});
  const installed = { ...toObject(json['dependencies']), ...toObject(json['devDependencies']) };
  const [, , byScript] = NODE_RUNNERS.find(([pattern]) => pattern.test(scripts)) ?? [];
  const [, , byPackage] = NODE_RUNNERS.find(([, name]) => name in installed) ?? [];
  return byScript ?? byPackage ?? null;
}

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** The folders that hold a path, the nearest first; the root is ''. */
function toFolders(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return [...parts.map((_part, index) => parts.slice(0, parts.length - index).join('/')), ''];
}

function toFolder(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

function toPackagePath(folder: string): string {
  return join(folder, 'package.json');
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function toEnter(folder: string): string {
  return folder === '' ? '' : `cd ${quote(folder)} && `;
}

/** One word for a shell, whatever is in it. */
function quote(word: string): string {
  const plain = word.startsWith('-') ? `./${word}` : word;
  return /^[\w./:@=+,-]+$/u.test(plain) ? plain : `'${plain.replaceAll("'", String.raw`'\''`)}'`;
}
