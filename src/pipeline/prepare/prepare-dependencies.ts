import { createHash } from 'node:crypto';
import { type ChosenTools, chooseTools, findWantedTools, VERSION_FILES } from '../../core/install/compare-tools.ts';
import { DETECTION_FILES } from '../../core/install/detect-install.ts';
import { CARGO_CONFIG, KEPT_FOLDER, toInstallEnvironment } from '../../core/install/install-environment.ts';
import { planSetup, type SetupPlan } from '../../core/install/plan-setup.ts';
import { findExceededLimit } from '../../core/limits/exceeded-limit.ts';
import { findSignal } from '../../core/limits/find-signal.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { SetupReport } from '../../core/model/setup-report.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { OpenRegistries } from '../../ports/registries.ts';
import type { DependencyKey, PreparedDependencies, Site, SiteCommand, SiteOutcome } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from './or-ended.ts';
import { readTools } from './read-tools.ts';
import { isSuccess, runKept, toCommand, toShellCommand, withSite } from './with-site.ts';

/** Names of files that determine the dependencies, wherever they lie. */
const MANIFESTS: ReadonlySet<string> = new Set([
  ...DETECTION_FILES,
  ...VERSION_FILES,
  '.npmrc',
  '.pnpmfile.cjs',
  'Cargo.toml',
  'Gemfile.lock',
  'Pipfile.lock',
  'composer.lock',
  'go.work',
  'go.work.sum',
  'pnpm-workspace.yaml',
  'pyproject.toml',
]);
const MAX_MANIFESTS = 200;
/** Lockfiles of big projects have some megabytes. What is longer does not count for the key. */
const MAX_MANIFEST_BYTES = 32 * 1024 * 1024;
const SETUP_LIMITS = { timeoutMs: 15 * 60_000, maxOutputBytes: 16 * 1024 * 1024 } as const;
const CHECK_LIMITS = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 } as const;
const MAX_SHOWN_OUTPUT = 400;
const MAX_SHOWN_REFUSALS = 3;

type SetupDeps = Pick<Deps, 'files' | 'git' | 'log' | 'redact' | 'registries' | 'sites'>;

export interface Prepared {
  readonly repository: SessionRepository;
  /** Tracked paths of the tree. */
  readonly tracked: readonly string[];
  readonly facts: { readonly number: number };
  readonly policy: Pick<Policy, 'setup' | 'install'>;
  /** Gets the report as soon as it is known what is done. */
  readonly tellSetup: (report: SetupReport) => void;
}

/** One run of setup. */
interface Setup extends Prepared {
  readonly tools: ChosenTools;
  readonly plan: SetupPlan;
  readonly key: DependencyKey;
  /** null: the commands have no network. */
  readonly relayed: OpenRegistries | null;
}

/**
 * Runs the `setup` commands of the policy, or else the install commands of the lockfiles, in a separate site on a clean checkout of
 * `treeish`, and stores what they created for agent and validation. Reuses it for the same commands, registries and manifests.
 * null: there is nothing to prepare.
 */
export async function prepareDependencies(
  deps: SetupDeps,
  prepared: Prepared,
  treeish: Sha,
  signal: AbortSignal,
): Promise<OrEnded<PreparedDependencies | null>> {
  const { repository, tracked, policy } = prepared;
  const texts = await readManifests(deps, prepared, treeish, signal);
  const registries = deps.sites.promises.includes('relays') ? deps.registries : null;
  const plan = planSetup(policy, { tracked, texts, hasRegistries: registries !== null });
  const tree = { repository, treeSha: treeish, masked: [], hasHistory: false };
  const wanted = findWantedTools(texts);
  const tools = chooseTools(wanted, wanted.length === 0 ? [] : await readTools(deps, tree, signal));
  const { source, commands } = plan;
  const notes = [...plan.notes, ...tools.notes];
  if (commands.length === 0) {
    prepared.tellSetup({ source, commands, notes, isReused: false });
    return ok(withPrograms(deps, tools, toNothing(prepared, tools)));
  }
  const key = toDependencyKey(prepared, { plan, tools, texts, registries: registries?.identity ?? null });
  const cached = await deps.sites.findDependencies(key);
  prepared.tellSetup({ source, commands, notes, isReused: cached !== null });
  if (cached !== null) return ok(withPrograms(deps, tools, cached));
  const request = { name: 'setup', tree, dependencies: toNothing(prepared, tools), inputs: {}, programs: [] };
  const relayed = plan.isConnected && registries !== null ? await registries.open(policy.install.hosts) : null;
  try {
    const relays = relayed === null ? [] : [relayed.relay];
    const setup = { ...prepared, plan, tools, key, relayed };
    return await withSite(deps, { ...request, relays }, signal, (site) => setUp(deps, setup, site, signal));
  } finally {
    const use = await relayed?.close();
    if (use !== undefined) deps.log.info({ ...use, refused: use.refused.length }, 'setup read registries');
  }
}

async function setUp(
  deps: SetupDeps,
  setup: Setup,
  site: Site,
  signal: AbortSignal,
): Promise<OrEnded<PreparedDependencies>> {
  const { plan, repository, relayed } = setup;
  const missing = await findMissing(site, setup, signal);
  if (missing.length > 0) return rejected('SETUP_FAILED', describeMissing(plan, missing));
  if (relayed !== null) await placeCargoConfig(site, setup.tracked, signal);
  for (const [index, line] of plan.commands.entries()) {
    const run = { site, runId: repository.runId, name: `setup-${String(index)}` };
    const outcome = await runKept(
      deps,
      run,
      { ...toShellCommand(line, SETUP_LIMITS), ...toSurroundings(deps, setup) },
      signal,
    );
    signal.throwIfAborted();
    if (isSuccess(outcome)) continue;
    const limit = findExceededLimit(outcome.kind);
    if (limit !== null) return rejected(limit.code, `The setup command \`${line}\` ${limit.did}.`);
    const refused = (await relayed?.close())?.refused ?? [];
    return rejected('SETUP_FAILED', deps.redact(describeFailure(line, outcome, { setup, refused })));
  }
  return ok(withPrograms(deps, setup.tools, await site.keepDependencies(setup.key, setup.tracked)));
}

/** Network and environment of the commands. */
function toSurroundings(deps: Pick<Deps, 'registries' | 'sites'>, { relayed, policy }: Setup): Surroundings {
  return relayed === null ? { network: 'none', env: {} } : toConnected(deps, policy.install);
}

type Surroundings = Pick<SiteCommand, 'network' | 'env'>;

/** Network and environment of commands that may read registries. */
export function toConnected(
  { sites, registries }: Pick<Deps, 'registries' | 'sites'>,
  install: Pick<Policy['install'], 'hosts' | 'scripts'>,
): Surroundings {
  const hosts = install.hosts.filter((host) => registries?.hosts.includes(host) === true);
  const env = toInstallEnvironment({ root: sites.layout.root, hosts, allowsScripts: install.scripts });
  return { network: 'relays', env };
}

/** Programs that a detected command needs and the site does not have. */
async function findMissing(site: Site, { plan, relayed }: Setup, signal: AbortSignal): Promise<readonly string[]> {
  if (plan.programs.length === 0) return [];
  const script = 'for name; do command -v "$name" > /dev/null || echo "$name"; done';
  const argv = ['/bin/sh', '-c', script, 'sh', ...plan.programs];
  const network = relayed === null ? 'none' : 'relays';
  const { stdoutTail } = await site.run(toCommand({ argv, network, ...CHECK_LIMITS }), signal);
  return stdoutTail.split('\n').filter((name) => plan.programs.includes(name));
}

/** Leads cargo to the relay. */
export async function placeCargoConfig(site: Site, tracked: readonly string[], signal: AbortSignal): Promise<void> {
  if (!tracked.some((path) => path === 'Cargo.toml' || path.endsWith('/Cargo.toml'))) return;
  const folder = `${KEPT_FOLDER}/cargo`;
  const argv = ['/bin/sh', '-c', `mkdir -p ${folder} && cat > ${folder}/config.toml`];
  await site.run(toCommand({ argv, stdin: CARGO_CONFIG, network: 'relays', ...CHECK_LIMITS }), signal);
}

/** With the programs of a prepared Python environment and of the chosen toolchains on PATH. */
function withPrograms<Dependencies extends PreparedDependencies | null>(
  { sites }: Pick<Deps, 'sites'>,
  { programPath }: ChosenTools,
  dependencies: Dependencies,
): Dependencies {
  if (dependencies === null) return dependencies;
  const own = dependencies.paths.includes('.venv') ? [`${sites.layout.root}/.venv/bin`] : [];
  return { ...dependencies, programPath: [...own, ...programPath] };
}

/** No entries, only toolchains; null if none were chosen. */
function toNothing({ repository, facts }: Prepared, { programPath }: ChosenTools): PreparedDependencies | null {
  if (programPath.length === 0) return null;
  const key = { repositoryId: repository.mirror.repositoryId, number: facts.number, hash: 'none' };
  return { key, paths: [], programPath, has: () => Promise.resolve(false), readFile: () => Promise.resolve(null) };
}

async function readManifests(
  { git }: Pick<Deps, 'git'>,
  { repository, tracked }: Prepared,
  treeish: Sha,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const paths = tracked.filter(isManifest).slice(0, MAX_MANIFESTS);
  return git.readFiles(repository, { treeish, paths, maxBytes: MAX_MANIFEST_BYTES }, signal);
}

function toDependencyKey(
  { repository, facts, tracked, policy }: Prepared,
  given: Pick<Setup, 'plan' | 'tools'> & {
    readonly texts: Readonly<Record<string, string>>;
    readonly registries: string | null;
  },
): DependencyKey {
  const { plan, tools, texts, registries } = given;
  const paths = tracked.filter(isManifest).slice(0, MAX_MANIFESTS);
  const network = plan.isConnected ? [registries, policy.install.hosts, policy.install.scripts] : null;
  const hash = createHash('sha256').update(
    JSON.stringify([plan.commands, network, tools.programPath, paths, paths.map((path) => texts[path] ?? null)]),
  );
  return { repositoryId: repository.mirror.repositoryId, number: facts.number, hash: hash.digest('hex') };
}

/** Whether the file is a lockfile or manifest. */
export function isManifest(path: string): boolean {
  return MANIFESTS.has(path.slice(path.lastIndexOf('/') + 1));
}

function describeMissing({ commands }: SetupPlan, missing: readonly string[]): string {
  return `This machine does not have ${missing.join(', ')}, which ${commands.map((line) => `\`${line}\``).join(', ')} needs. The operator can provide it with RATCHET_TOOLCHAINS; or name the commands in \`setup\`, or turn off \`install.detect\`.`;
}

function describeFailure(
  command: string,
  outcome: SiteOutcome,
  { setup, refused }: { readonly setup: Setup; readonly refused: readonly string[] },
): string {
  const network = setup.relayed === null ? 'It runs without network.' : 'It can read only packages of the registries.';
  const shown = refused.slice(0, MAX_SHOWN_REFUSALS).join('; ');
  const { stdoutTail, stderrTail } = outcome;
  const said = (stderrTail.trim() === '' ? stdoutTail : stderrTail).trim().slice(-MAX_SHOWN_OUTPUT);
  return [
    `The setup command \`${command}\` did not succeed (${describeEnd(outcome)}). ${network}`,
    ...(shown === '' ? [] : [`Refused: ${shown}.`]),
    ...(said === '' ? [] : [`It said last: ${said}`]),
  ].join(' ');
}

function describeEnd(outcome: SiteOutcome): string {
  const { kind, exitCode, processesLeft } = outcome;
  const signal = findSignal(outcome);
  return [
    kind,
    ...(exitCode === null ? [] : [`exit code ${String(exitCode)}`]),
    ...(signal === null ? [] : [`signal ${signal}`]),
    ...(processesLeft === 0 ? [] : [`processes left: ${String(processesLeft)}`]),
  ].join(', ');
}
