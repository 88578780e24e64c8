import { styleText } from 'node:util';
import { type CheckGround, openCheckGround } from '../compose/compose-check.ts';
import { MAX_POLICY_BYTES, parsePolicyFile } from '../config/policy-file.ts';
import { createScopeMatcher, toParents } from '../core/engines/canonical-scope.ts';
import { listEngineIds, readEngineSource, toSourceConfigs } from '../core/engines/engine-source.ts';
import { DETECTION_FILES, detectInstalls } from '../core/install/detect-install.ts';
import type { EngineError } from '../core/model/engine.ts';
import type { EnginesReport } from '../core/model/engine-report.ts';
import { ConfigError, toError } from '../core/model/errors.ts';
import type { EnginesPolicy } from '../core/model/policy.ts';
import { mergePolicy } from '../core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY } from '../core/policy/operator-policy.ts';
import { choosePolicy, MISPLACED_PATHS, POLICY_PATHS } from '../core/policy/policy-place.ts';
import { toPathIn } from '../core/projects/repository-facts.ts';
import { toConfigExit } from '../core/render/conclude-check.ts';
import { type Paint, renderPlans } from '../core/render/render-check-report.ts';
import { toPlanJson } from '../core/render/to-check-json.ts';
import { toInertLog } from '../core/render/workflow-commands.ts';
import { CATALOGUE } from '../engines/catalogue.ts';
import { ENGINE_FAILED } from '../pipeline/engines/run-engine.ts';
import {
  type EnginesRequest,
  prepareEngines,
  type RunEnginesDeps,
  runPrepared,
} from '../pipeline/engines/run-engines.ts';
import type { Log } from '../ports/log.ts';
import { type CheckArgs, parseCheckArgs } from './check-args.ts';
import { toConfigPaths, toScopePaths } from './check-paths.ts';
import { type CheckProgress, createCheckProgress } from './check-progress.ts';
import { type CliResult, toJsonLine } from './cli-result.ts';
import { compareWithBase, findBase } from './compare-with-base.ts';
import { type FixedCheckout, fixCheckout, planCheckoutFixes } from './fix-checkout.ts';
import { presentCheck, presentFailure } from './present-check.ts';

/** Process input of `check`. */
export interface CheckInput {
  /** Absolute path of the current folder. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly pid: number;
  readonly concurrency: number;
  /** `isColored`: stdout is a terminal that shows colours. `isTerminal`: stderr is a terminal. */
  readonly isColored: boolean;
  readonly isTerminal: boolean;
  /** Writes to stderr while the engines run. */
  readonly tell: (text: string) => void;
  readonly stop: AbortSignal;
  /** Version of Ratchet. */
  readonly version: string;
}

const MAX_SHOWN_FOLDERS = 3;
const MAX_LOCKFILE_BYTES = 32 * 1024 * 1024;
const NODE_PROGRAMS: readonly string[] = ['npm', 'pnpm', 'yarn', 'node'];
const STYLES = { bad: 'red', warn: 'yellow', good: 'green', dim: 'dim', strong: 'bold' } as const;

/**
 * Runs `ratchet check`: the engines over this checkout. Exit code 0: nothing found; 1: findings (with `--base`: new
 * ones); 2: wrong usage or an unusable setting; 3: nothing found, but an engine could not run or did not see
 * everything.
 */
export async function runCheck(argv: readonly string[], input: CheckInput): Promise<CliResult> {
  const parsed = parseCheckArgs(argv);
  const { version } = input;
  if (parsed.kind === 'bad') return presentFailure(2, [parsed.problem], { ...parsed, version });
  const { args } = parsed;
  const { format } = args;
  const shown = { format, version };
  const tell = format === 'github' ? (text: string) => input.tell(toInertLog(text)) : input.tell;
  const progress = createCheckProgress({ ...input, tell });
  let ground: CheckGround | null = null;
  try {
    const open = async (): Promise<CheckGround> => openCheckGround({ ...input, log: toLog(progress) }, input.stop);
    ground = await open();
    const fixed = args.isFix && !args.isPlan ? await fix(ground, args, { input, progress }) : null;
    if (fixed !== null) {
      // The ground knows files and hashes as they were.
      await ground.close();
      ground = null;
      ground = await open();
    }
    return await check(ground, args, { input, progress, fixed });
  } catch (error) {
    if (input.stop.aborted) return presentFailure(3, ['stopped'], shown);
    if (error instanceof ConfigError) return presentFailure(2, error.problems, shown);
    return presentFailure(3, [toError(error).message], shown);
  } finally {
    progress.end();
    await ground?.close();
  }
}

interface CheckProcess {
  readonly input: CheckInput;
  readonly progress: CheckProgress;
}

function toDeps({ host, cache }: CheckGround, progress: CheckProgress): RunEnginesDeps {
  return { host, cache, log: toLog(progress), clock: { now: Date.now }, catalogue: CATALOGUE };
}

async function fix(ground: CheckGround, args: CheckArgs, { input, progress }: CheckProcess): Promise<FixedCheckout> {
  const deps = toDeps(ground, progress);
  const request = { ...(await toRequest(ground, args, input)), onProgress: progress.onEvent };
  const base = args.base === null ? null : await findBase(ground, args.base, input.stop);
  return fixCheckout({ ground, deps, request, prepared: await prepareEngines(deps, request), base }, input.stop);
}

async function check(
  ground: CheckGround,
  args: CheckArgs,
  { input, progress, fixed }: CheckProcess & { readonly fixed: FixedCheckout | null },
): Promise<CliResult> {
  const { repository } = ground;
  const { stop } = input;
  const deps = toDeps(ground, progress);
  const request: EnginesRequest = { ...(await toRequest(ground, args, input)), onProgress: progress.onEvent };
  const paint = toPaint(args, input);
  if (args.isPlan) return showPlans({ ground, deps, request, args, paint }, stop);
  const [prepared, before, base] = await Promise.all([
    prepareEngines(deps, request),
    repository.state(stop),
    args.base === null ? null : findBase(ground, args.base, stop),
  ]);
  const report = withErrors(await runPrepared(deps, prepared, stop), fixed?.errors ?? []);
  const baseRequest = { ...request, onProgress: progress.onBaseEvent };
  const comparison =
    base === null ? null : await compareWithBase({ ground, deps, request: baseRequest, prepared, report, base }, stop);
  if ((await repository.state(stop)) !== before) progress.say('ratchet: an engine changed files of this checkout');
  const isLacking = report.skipped.some(({ why }) => why === 'dependencies_missing');
  const install = isLacking ? await findInstall(ground, prepared.lacking) : null;
  const story = { report, comparison, install, ...(fixed === null ? {} : { fix: fixed.fix }) };
  return presentCheck(story, { ...input, format: args.format, paint });
}

/** The report with failures of fixers beside those of the engines. */
function withErrors(report: EnginesReport, errors: readonly EngineError[]): EnginesReport {
  return errors.length === 0 ? report : { ...report, engineErrors: [...report.engineErrors, ...errors] };
}

async function toRequest(ground: CheckGround, args: CheckArgs, input: CheckInput): Promise<EnginesRequest> {
  const { root } = ground.repository;
  const policy = await readPolicy(ground);
  const ids = listEngineIds(CATALOGUE, policy);
  const unknown = Object.keys(args.configs).filter((id) => !ids.includes(id));
  if (unknown.length > 0)
    throw new ConfigError(unknown.map((id) => `--config: there is no engine ${JSON.stringify(id)}`));
  const source = readEngineSource(input.variables);
  const cli = await toScopePaths(args.paths, { root, folder: input.folder, what: 'PATH' });
  const env =
    source.paths === null ? null : await toScopePaths(source.paths, { root, folder: root, what: 'RATCHET_PATHS' });
  return {
    policy,
    only: args.only,
    mode: args.mode,
    scope: { cli: cli.length === 0 ? null : cli, env },
    configs: {
      cli: await toConfigPaths(args.configs, { root, folder: input.folder }),
      env: await toConfigPaths(toSourceConfigs(source, ids), { root, folder: root }),
    },
    timeoutSeconds: args.timeoutSeconds,
    refresh: args.isFresh,
    concurrency: input.concurrency,
  };
}

/** Returns null if the file does not name engines. The engines are then detected from the repository. */
async function readPolicy({ host }: CheckGround): Promise<EnginesPolicy | null> {
  const read = async (path: string): Promise<string | null> => {
    const text = await host.readText(path, MAX_POLICY_BYTES);
    if (text === null && (await host.has(path)))
      throw new ConfigError([`${path}: no regular file of at most ${String(MAX_POLICY_BYTES)} bytes`]);
    return text;
  };
  const isThere = await Promise.all(MISPLACED_PATHS.map(async (path) => await host.has(path)));
  const { path, text } = choosePolicy({
    yml: await read(POLICY_PATHS[0]),
    yaml: await read(POLICY_PATHS[1]),
    folder: [],
    misplaced: MISPLACED_PATHS.filter((_path, index) => isThere[index]),
  });
  const parsed = parsePolicyFile(text);
  if (parsed.kind === 'invalid') {
    const toLine = ({ line, column, message }: (typeof parsed.problems)[number]): string =>
      `${path}:${String(line)}:${String(column)}: ${message}`;
    throw new ConfigError(parsed.problems.map(toLine));
  }
  return mergePolicy([parsed.layer], NO_OPERATOR_POLICY).policy.engines;
}

async function showPlans(
  {
    ground,
    deps,
    request,
    args,
    paint,
  }: {
    readonly ground: CheckGround;
    readonly deps: RunEnginesDeps;
    readonly request: EnginesRequest;
    readonly args: CheckArgs;
    readonly paint: Paint;
  },
  stop: AbortSignal,
): Promise<CliResult> {
  const prepared = await prepareEngines(deps, request);
  const base = args.isFix && args.base !== null ? await findBase(ground, args.base, stop) : null;
  const fixes = args.isFix ? await planCheckoutFixes({ ground, request, prepared, base }, stop) : null;
  const report = { ...prepared.report, runs: [], engineErrors: [] };
  const exitCode = toConfigExit(report.configErrors);
  if (args.format !== 'json') return { exitCode, stdout: renderPlans({ report, fixes }, paint), stderr: '' };
  return { exitCode, stdout: toJsonLine(toPlanJson({ report, fixes })), stderr: '' };
}

/** The commands that install what is missing: of the root, or of the outermost folders that lack it. */
async function findInstall({ host }: CheckGround, lacking: readonly string[]): Promise<string> {
  const folders = host.dependencies === 'missing' ? ['.'] : lacking.filter((folder) => !isBelowAny(folder, lacking));
  const commands = await Promise.all(
    folders.slice(0, MAX_SHOWN_FOLDERS).map(async (folder) => {
      const command = await findInstallIn(host, folder);
      return folder === '.' ? command : `${command} in ${folder}`;
    }),
  );
  return commands.join(', ');
}

function isBelowAny(folder: string, folders: readonly string[]): boolean {
  return toParents(folder).some((up) => folders.includes(up));
}

/** By the lockfiles of the folder; else npm's, because only missing packages of Node are noticed. */
async function findInstallIn(host: CheckGround['host'], folder: string): Promise<string> {
  const isInside = createScopeMatcher([folder]);
  const toOwn = (path: string): string => (folder === '.' ? path : path.slice(folder.length + 1));
  const files = host.files.filter(isInside).map(toOwn);
  const paths = DETECTION_FILES.filter((path) => files.includes(path));
  const read = paths.map(
    async (path) => [path, (await host.readText(toPathIn(folder, path), MAX_LOCKFILE_BYTES)) ?? ''] as const,
  );
  const { installs } = detectInstalls(files, Object.fromEntries(await Promise.all(read)));
  return (
    installs.find(({ programs }) => programs.some((name) => NODE_PROGRAMS.includes(name)))?.command ?? 'npm install'
  );
}

function toPaint({ format }: CheckArgs, { isColored }: CheckInput): Paint {
  if (!isColored || format !== 'text') return (_, text) => text;
  return (tone, text) => styleText(STYLES[tone], text, { validateStream: false });
}

/** Prints warnings and errors while the engines run. Failures of engines are in the report. */
function toLog({ say }: CheckProgress): Log {
  const warn: Log['warn'] = (fields, message) => {
    if (message === ENGINE_FAILED) return;
    const said = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    say(`ratchet: ${message}${said.length === 0 ? '' : `: ${said.join(' ')}`}`);
  };
  const log: Log = { debug: () => undefined, info: () => undefined, warn, error: warn, child: () => log };
  return log;
}
