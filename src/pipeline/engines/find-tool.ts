import {
  chooseLauncher,
  findNodeScript,
  type HasPath,
  isLauncherThere,
  toNodeScriptPaths,
} from '../../core/engines/choose-launcher.ts';
import { choosePython, type PythonInvocation, toPythonPaths } from '../../core/engines/choose-python.ts';
import { parseVersion } from '../../core/engines/parse-version.ts';
import { sha256 } from '../../core/hash/sha256.ts';
import type { EngineSpec, EngineTool, Launcher } from '../../core/model/engine.ts';
import { assertNever } from '../../core/model/errors.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import { createMemo, type Memo } from './create-memo.ts';
import { PROBE_ENV, type PythonPackages, parsePythonPackages, toProbeArguments } from './python-packages.ts';

/** An installed tool, and what may change its findings. */
export interface Tool extends EngineTool {
  /** Hash of the installed packages that may change its findings (plugins, stubs). */
  readonly installed: string;
}

/** Finds the tool of an engine that runs in `cwd`. Lookups shared by several engines are made once. */
export type FindTool = (spec: EngineSpec, cwd: string) => Promise<Tool>;

const PROBE_TIMEOUT_MS = 60_000;
const MAX_PROBE_BYTES = 4 * 1024 * 1024;
const MAX_PACKAGE_BYTES = 1024 * 1024;
const MAX_INSTALLED_BYTES = 64 * 1024 * 1024;
/** Files in which package managers record what they installed. */
const INSTALLED_FILES = [
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-state.yml',
  'node_modules/.yarn-integrity',
] as const;
const NOTHING = sha256('');
/** Run name of the version probes. */
const NAME = 'versions';

interface Finder {
  readonly host: EngineHost;
  readonly there: Memo<boolean>;
  readonly python: Memo<PythonPackages | null>;
  readonly printed: Memo<string | null>;
  readonly installed: Memo<string>;
  /** Every distribution that an engine may need, so that the interpreter is asked once. */
  readonly distributions: readonly string[];
  /** Stdout of a command. null: it could not be run or failed. */
  readonly print: (argv: readonly string[], cwd: string) => Promise<string | null>;
}

interface Wanted {
  readonly spec: EngineSpec;
  readonly cwd: string;
  readonly has: HasPath;
}

/** Finds the tools of `specs` on one host. */
export function createFindTool(host: EngineHost, specs: readonly EngineSpec[], signal: AbortSignal): FindTool {
  const finder: Finder = {
    host,
    there: createMemo(),
    python: createMemo(),
    printed: createMemo(),
    installed: createMemo(),
    distributions: [...new Set(specs.flatMap(toDistributions))].toSorted(),
    print: createPrint(host, signal),
  };
  return async (spec, cwd) => {
    const wanted: Wanted = { spec, cwd, has: await lookUp(finder, spec, cwd) };
    return toTool(finder, wanted, await choose(finder, wanted));
  };
}

function toDistributions({ launchers, companions = [] }: EngineSpec): readonly string[] {
  return [
    ...launchers.flatMap((launcher) => (launcher.kind === 'python' ? [launcher.distribution] : [])),
    ...companions,
  ];
}

/** Runs probes one after another, because they share a name on the host. A waiting probe reuses the open site. */
function createPrint(host: EngineHost, signal: AbortSignal): Finder['print'] {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const print: Finder['print'] = async (argv, cwd) => {
    if (signal.aborted) return null;
    const limits = { timeoutMs: PROBE_TIMEOUT_MS, maxOutputBytes: MAX_PROBE_BYTES };
    const more = { reports: [], keepsArtifacts: true };
    const { exit, stdout } = await host.run({ name: NAME, argv, env: PROBE_ENV, cwd, ...limits, ...more }, signal);
    return exit.kind === 'exited' && exit.exitCode === 0 ? stdout : null;
  };
  return (argv, cwd) => {
    waiting += 1;
    const mine = last.then(async () => {
      try {
        return await print(argv, cwd);
      } finally {
        waiting -= 1;
        if (waiting === 0) await host.release(NAME);
      }
    });
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function lookUp({ host, there }: Finder, { launchers, readsPython }: EngineSpec, cwd: string): Promise<HasPath> {
  const scripts = launchers.flatMap((launcher) =>
    launcher.kind === 'node' ? toNodeScriptPaths(launcher.script, cwd) : [],
  );
  const usesPython = readsPython === true || launchers.some(({ kind }) => kind === 'python');
  const paths = usesPython ? [...scripts, ...toPythonPaths(cwd)] : scripts;
  const found = await Promise.all(paths.map((path) => there(path, () => host.has(path))));
  const known = new Set(paths.filter((_, index) => found[index]));
  return (path) => known.has(path);
}

/** Asks the interpreter only if a Python launcher is reached, and skips launchers whose module is not installed. */
async function choose(finder: Finder, { spec, has, cwd }: Wanted): Promise<Launcher> {
  const { launchers } = spec;
  for (const launcher of launchers) {
    if (!isLauncherThere(launcher, has, cwd)) continue;
    if (launcher.kind !== 'python') return launcher;
    const packages = await askPython(finder, { has, cwd });
    if (packages === null || (packages.versions[launcher.distribution] ?? null) !== null) return launcher;
  }
  return chooseLauncher({ ...spec, launchers: launchers.slice(-1) }, has, cwd);
}

async function toTool(finder: Finder, wanted: Wanted, launcher: Launcher): Promise<Tool> {
  switch (launcher.kind) {
    case 'node':
      return toNodeTool(finder, wanted, launcher.script);
    case 'python':
      return toPythonTool(finder, wanted, launcher);
    case 'program': {
      const argv = [launcher.name, ...launcher.versionArgs];
      const printed = await finder.printed(argv.join(' '), () => finder.print(argv, wanted.cwd));
      const version = printed === null ? null : parseVersion(printed);
      return { start: [launcher.name], version, companions: [], python: null, installed: NOTHING };
    }
    case 'declared':
      return { start: launcher.argv, version: null, companions: [], python: null, installed: NOTHING };
    default:
      return assertNever(launcher);
  }
}

/** Runs the script by its path, never by the link in `.bin`: two packages may provide programs of the same name. */
async function toNodeTool(finder: Finder, wanted: Wanted, script: string): Promise<Tool> {
  const { host } = finder;
  const path = findNodeScript(script, wanted.has, wanted.cwd);
  const start = [host.nodePath, `${host.root}/${path ?? `node_modules/${script}`}`];
  if (path === null) return { start, version: null, companions: [], python: null, installed: NOTHING };
  const folder = path.slice(0, path.length - script.length);
  const version = await readPackageVersion(host, `${folder}${toPackageName(script)}/package.json`);
  const installed = await finder.installed('node', () => readInstalled(host));
  if (wanted.spec.readsPython !== true) return { start, version, companions: [], python: null, installed };
  const packages = await askPython(finder, wanted);
  const python = toOwnPython(finder, packages, wanted);
  return { start, version, companions: [], python, installed: sha256(`${installed}\n${packages?.digest ?? NOTHING}`) };
}

/** null for the system interpreter, which every tool finds by itself. */
function toOwnPython(
  { host }: Finder,
  packages: PythonPackages | null,
  { has, cwd }: Pick<Wanted, 'has' | 'cwd'>,
): string | null {
  return choosePython(has, cwd, host.activePython).manager === 'system' ? null : (packages?.executable ?? null);
}

async function toPythonTool(
  finder: Finder,
  { spec, has, cwd }: Wanted,
  { module, distribution }: Extract<Launcher, { readonly kind: 'python' }>,
): Promise<Tool> {
  const packages = await askPython(finder, { has, cwd });
  const versions = packages?.versions ?? {};
  const isThere = (name: string): boolean => (versions[name] ?? null) !== null;
  return {
    start: [...toInterpreter(finder.host, choosePython(has, cwd, finder.host.activePython)), '-m', module],
    version: versions[distribution] ?? null,
    companions: (spec.companions ?? []).filter(isThere),
    python: spec.readsPython === true ? toOwnPython(finder, packages, { has, cwd }) : null,
    installed: packages?.digest ?? NOTHING,
  };
}

/** Each interpreter is asked once. uv and Poetry choose it by the folder that they run in. */
function askPython(
  { host, python, print, distributions }: Finder,
  { has, cwd }: Pick<Wanted, 'has' | 'cwd'>,
): Promise<PythonPackages | null> {
  const chosen = choosePython(has, cwd, host.activePython);
  const folder = chosen.manager === 'uv' || chosen.manager === 'poetry' ? cwd : '.';
  return python(JSON.stringify([chosen.argv, folder]), async () => {
    const argv = [...toInterpreter(host, chosen), ...toProbeArguments(distributions)];
    const printed = await print(argv, folder);
    return printed === null ? null : parsePythonPackages(printed, distributions);
  });
}

/** The interpreter of a venv gets an absolute path, because an engine may run below the root. */
function toInterpreter({ root }: EngineHost, { manager, argv }: PythonInvocation): readonly string[] {
  const [program = '', ...rest] = argv;
  return manager === 'venv' ? [`${root}/${program}`, ...rest] : argv;
}

/** From a script such as `eslint/bin/eslint.js` or `@biomejs/biome/bin/biome`. */
function toPackageName(script: string): string {
  return script.split('/', script.startsWith('@') ? 2 : 1).join('/');
}

async function readPackageVersion(host: EngineHost, path: string): Promise<string | null> {
  const text = await host.readText(path, MAX_PACKAGE_BYTES);
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : null;
    return typeof version === 'string' ? parseVersion(version) : null;
  } catch {
    return null;
  }
}

async function readInstalled(host: EngineHost): Promise<string> {
  const texts = await Promise.all(INSTALLED_FILES.map((path) => host.readText(path, MAX_INSTALLED_BYTES)));
  return sha256(JSON.stringify(texts));
}
