import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import type { EnginePlan, EngineSpec, RawExit } from '../../../src/core/model/engine.ts';
import {
  RECORDED_ARTIFACTS,
  RECORDED_ROOT,
  type RecordedRun,
  type Recording,
} from '../../engines/support/recording.ts';
import { readFixture } from './fixture.ts';

/** One small project that a tool is run on. */
export interface ToolCase {
  readonly spec: EngineSpec;
  /** Folder of its fixtures and recordings; the id where nothing else is said. A second version of a tool has its own. */
  readonly tool?: string;
  /** Names its recording. */
  readonly name: string;
  /** Names the fixture, `name` or `tool/name`; the case's own name where nothing else is said. */
  readonly fixture?: string;
  /** Its command up to the tool itself: `[node, '/…/eslint.js']`, `['python3', '-m', 'mypy']`. */
  readonly launcher: readonly string[];
  readonly version: string | null;
  /** What `node_modules` of the project has: link → absolute path of a package. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Beside the clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of the plan: `["."]` where nothing else is said. */
  readonly targets?: readonly string[];
  readonly configPath?: string | null;
  readonly args?: readonly string[];
  readonly timeoutMs?: number;
}

const RATCHET = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/**
 * Runs the tool's steps for real, as a host does: argv without a shell, clean environment, deadline, no process left behind. In
 * what it returns, the machine's paths are replaced by those that every recording has.
 */
export async function runTool(toolCase: ToolCase): Promise<RecordedRun> {
  const { spec, name, version, tool = spec.id } = toolCase;
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'ratchet-tool-')));
  try {
    const paths = {
      root: join(scratch, 'workspace'),
      artifacts: join(scratch, 'artifacts'),
      home: join(scratch, 'home'),
    };
    for (const folder of Object.values(paths)) await mkdir(folder);
    const files = await layProject(paths.root, toolCase);
    const plan = toPlan(toolCase);
    const steps = spec.toCommands({ plan, artifacts: paths.artifacts, root: paths.root, version, files });
    const earlierExitCodes: (number | null)[] = [];
    let last: StepResult = { argv: [], exit: NOT_LAUNCHED, stdout: '', stderr: '' };
    for (const [index, step] of steps.entries()) {
      if (index > 0) earlierExitCodes.push(last.exit.exitCode);
      last = await runStep([...toolCase.launcher, ...step], paths, toolCase);
    }
    const reports = await readReports(paths.artifacts, spec.output.reports ?? []);
    const packages = toolCase.packages ?? {};
    return replacePaths({ tool, case: name, version, ...last, cwd: '.', earlierExitCodes, reports }, paths, packages);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Paths {
  readonly root: string;
  readonly artifacts: string;
  readonly home: string;
}

type StepResult = Pick<Recording, 'argv' | 'exit' | 'stdout' | 'stderr'>;

const NOT_LAUNCHED: RawExit = { kind: 'not_launched', exitCode: null, signal: null, durationMs: 0 };

/** The project's files, relative and sorted, as `ArgsInput.files` has them. */
async function layProject(root: string, toolCase: ToolCase): Promise<readonly string[]> {
  const { spec, tool = spec.id, name, fixture = name, packages = {} } = toolCase;
  const files = await readFixture(fixture.includes('/') ? fixture : `${tool}/${fixture}`);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const [link, target] of Object.entries(packages)) {
    const path = join(root, 'node_modules', link);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }
  return Object.keys(files).toSorted();
}

function toPlan({ spec, targets = ['.'], configPath = null, args = [] }: ToolCase): EnginePlan {
  return {
    engine: spec.id,
    project: '.',
    mode: 'target',
    targets,
    configPath,
    args,
    enabled: true,
    profile: null,
    env: spec.env,
    cwd: '.',
    hash: '',
    scopeHash: '',
    excludes: [],
    usesToolScope: false,
  };
}

async function runStep(argv: readonly string[], paths: Paths, toolCase: ToolCase): Promise<StepResult> {
  const { spec, env = {}, timeoutMs = TIMEOUT_MS } = toolCase;
  const [file = '', ...args] = argv;
  const result = await execa(file, args, {
    cwd: paths.root,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: paths.home,
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      CI: '1',
      ...env,
      ...spec.env,
    },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    timeout: timeoutMs,
    maxBuffer: MAX_OUTPUT_BYTES,
    killDescendants: true,
    stripFinalNewline: false,
  });
  return {
    argv: [...argv],
    exit: toExit(result),
    stdout: stripVTControlCharacters(result.stdout),
    stderr: stripVTControlCharacters(result.stderr),
  };
}

function toExit(result: {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  readonly isMaxBuffer: boolean;
  readonly code?: string | undefined;
}): RawExit {
  const raw = { exitCode: result.exitCode ?? null, signal: result.signal ?? null, durationMs: 0 };
  if (result.timedOut) return { ...raw, kind: 'timed_out' };
  if (result.isMaxBuffer) return { ...raw, kind: 'output_limit' };
  if (result.code === 'ENOENT') return { ...raw, kind: 'not_found' };
  return { ...raw, kind: raw.signal === null ? 'exited' : 'signalled' };
}

async function readReports(artifacts: string, names: readonly string[]): Promise<Record<string, string | null>> {
  const there = new Set((await readdir(artifacts, { recursive: true })).map((name) => name.replaceAll('\\', '/')));
  const entries = names.map(async (name) => {
    return [name, there.has(name) ? await readFile(join(artifacts, name), 'utf8') : null] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The paths of this machine and this run: none of them may stand in a recording. */
function replacePaths(run: RecordedRun, paths: Paths, packages: Readonly<Record<string, string>>): RecordedRun {
  const pairs: (readonly [string, string])[] = [
    [paths.root, RECORDED_ROOT],
    [paths.artifacts, RECORDED_ARTIFACTS],
    [paths.home, '/home'],
    ...Object.entries(packages).map(([link, target]) => [target, `/tools/${link}`] as const),
    // Some tools name what lies outside of the folder that they run in by a relative path.
    [relative(paths.root, RATCHET), '/ratchet'],
    [RATCHET, '/ratchet'],
    [process.execPath, 'node'],
  ];
  const replace = (text: string): string => pairs.reduce((left, [from, to]) => left.replaceAll(from, to), text);
  return {
    ...run,
    argv: run.argv.map(replace),
    stdout: replace(run.stdout),
    stderr: replace(run.stderr),
    reports: Object.fromEntries(
      Object.entries(run.reports).map(([name, text]) => [name, text === null ? null : replace(text)]),
    ),
  };
}
