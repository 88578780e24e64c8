import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createSessionFiles } from '../adapters/files/create-session-files.ts';
import { checkGit } from '../adapters/git/check-git.ts';
import { createGit, DEFAULT_GIT_PATH } from '../adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS } from '../adapters/git/git-limits.ts';
import { createRunSources } from '../adapters/local/run-source.ts';
import { createTestJudge } from '../adapters/source/create-test-judge.ts';
import { explainDatabaseError } from '../adapters/store/explain-database-error.ts';
import type { LocalEnvironment } from '../config/local-environment.ts';
import { readEngineSource } from '../core/engines/engine-source.ts';
import { sha256 } from '../core/hash/sha256.ts';
import type { AgentSettings } from '../core/model/agent-settings.ts';
import { ConfigError, toError } from '../core/model/errors.ts';
import { parseRunId, parseSessionId, type RunId, toPullRequestKey } from '../core/model/ids.ts';
import type { SpendLimits } from '../core/model/spend.ts';
import type { StoredTaskRun, TaskRunResult } from '../core/model/task-record.ts';
import { toMicroUsd } from '../core/spend/session-limits.ts';
import { takeAgent } from '../pipeline/agents/take-agent.ts';
import { keepArtifacts } from '../pipeline/tasks/keep-artifacts.ts';
import type { RunState } from '../pipeline/tasks/run-state.ts';
import type { TaskDeps, TaskRunGround } from '../pipeline/tasks/task-run.ts';
import { type TaskWork, workThroughTasks } from '../pipeline/tasks/work-through-tasks.ts';
import { withEvents } from '../pipeline/tasks/write-events.ts';
import type { RunSource } from '../ports/run-source.ts';
import type { Store } from '../ports/store.ts';
import type { HeldLock } from '../system/hold-lock.ts';
import { removeTree } from '../system/remove-tree.ts';
import { DEFAULT_UID_BASE, toPasswords } from './app-parts.ts';
import { useProxy } from './connect-outbound.ts';
import { createAppGateway } from './create-app-gateway.ts';
import { createAppSites } from './create-app-sites.ts';
import { createLiveSecrets } from './live-secrets.ts';
import { openPlanState, type PlanState } from './plan-state.ts';
import { readTreePolicy } from './read-tree-policy.ts';
import { SILENT } from './silent-log.ts';
import { takeUids, type UidRanges } from './take-uids.ts';

export type { RunState } from '../pipeline/tasks/run-state.ts';
export type { RunChange } from '../pipeline/tasks/work-through-tasks.ts';

export interface RunGroundInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the current folder. */
  readonly folder: string;
  readonly isRoot: boolean;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly assets: {
    readonly migrationsDir: string;
    readonly fakeAgentProgram: string;
    readonly acpClientProgram: string;
    readonly plannerProgram: string;
    readonly testJudgeProgram: string;
  };
  readonly environment: LocalEnvironment;
  readonly agents: readonly AgentSettings[];
}

/** What a person asks for. */
export interface RunOrder {
  /** As typed. */
  readonly repo: string;
  /** null: the first one that is configured; `local`: none, only the tools' own fixers. */
  readonly agent: string | null;
  readonly budgetUsd: number | null;
  readonly isDryRun: boolean;
  /** The run to go on with; null: a new one. */
  readonly resume: string | null;
}

/** A run that has ended: there is nothing to do but to tell of it. */
export interface EndedRun {
  readonly kind: 'ended';
  readonly runId: RunId;
  readonly source: RunSource;
  readonly store: Store;
  /** Where the files of its attempts are. */
  readonly artifacts: string;
}

/** A run that this process holds. */
export interface OpenedRun {
  readonly kind: 'open';
  readonly runId: RunId;
  readonly source: RunSource;
  readonly store: Store;
  readonly commit: string;
  /** Where the files of its attempts are. */
  readonly artifacts: string;
  /** Earlier runs on the same repository that did not end, oldest first. */
  readonly unfinished: readonly RunId[];
  readonly work: (work: TaskWork, signal: AbortSignal) => Promise<RunState>;
  /** Adds the branch with what was integrated. null: there is nothing on it, or another branch has its name. */
  readonly addBranch: (state: RunState, signal: AbortSignal) => Promise<string | null>;
  /** Stores how the run ended, and removes its folders. */
  readonly end: (end: { readonly status: 'succeeded' | 'failed' } & TaskRunResult) => Promise<void>;
}

export interface RunGround {
  /** @throws ConfigError for what the person has to change; EnvironmentError for what the machine lacks. */
  readonly open: (order: RunOrder, signal: AbortSignal) => Promise<OpenedRun | EndedRun>;
  readonly close: () => Promise<void>;
}

/** The machine cannot do what was asked: exit code 3. */
export class RunEnvironmentError extends Error {
  override readonly name = 'RunEnvironmentError';
}

/** The name by which `--agent` asks for none. */
const LOCAL_AGENT = 'local';
const CLOCK = { now: () => Date.now() };
const PASS_THROUGH_MODE = 0o711;
/** The address of a socket has at most 107 bytes, and those below this folder need the rest. */
const MAX_DATA_PATH = 60;
const MAX_WORKERS = 16;
const WRITE_WAIT_MS = 60_000;
const KEPT_MS = 30 * 24 * 60 * 60_000;
const MAX_ARTIFACT_BYTES = 2 * 1024 * 1024 * 1024;
const PRUNED_AT_ONCE = 20;
const UIDS: UidRanges = {
  ...{ locks: '/run/ratchet-runs', first: DEFAULT_UID_BASE + 2000, each: 2 * MAX_WORKERS + 2, processes: 64 },
  what: 'runs',
};
/** Local repositories belong to no installation of the App. */
const INSTALLATION = 0;

/** Opens what runs on checkouts need. @throws ConfigError if the state folder cannot be used. */
export async function openRunGround(input: RunGroundInput): Promise<RunGround> {
  const state = await openPlanState({ ...input, migrationsDir: input.assets.migrationsDir });
  const closers: (() => unknown)[] = [() => state.close()];
  return {
    open: (order, signal) => open({ input, state, closers }, order, signal),
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

interface Opening {
  readonly input: RunGroundInput;
  readonly state: PlanState;
  readonly closers: (() => unknown)[];
}

async function open(opening: Opening, order: RunOrder, signal: AbortSignal): Promise<OpenedRun | EndedRun> {
  const { input, state, closers } = opening;
  const store = withClearErrors(state.store);
  const folder = resolve(input.folder, order.repo);
  await checkGit(DEFAULT_GIT_PATH).catch((error: unknown) => {
    throw new RunEnvironmentError(`git cannot be used: ${toError(error).message}`);
  });
  const repositoryId = toRepositoryId(folder);
  const dataDir = await makeDataFolder(state, repositoryId);
  const lock = state.holdRun(`repository-${String(repositoryId)}`);
  if (lock === null) throw new ConfigError([`another run is at work on ${folder}`]);
  closers.push(lock.release);
  const sources = createRunSources(input.variables);
  const scratch = join(dataDir, 'source');
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const source = await sources.open(folder, scratch, signal);
  const earlier = order.resume === null ? null : findEarlier(store, order.resume, source);
  const artifacts = join(dataDir, 'artifacts');
  if (earlier !== null && earlier.finishedAt !== null)
    return { kind: 'ended', runId: earlier.id, source, store, artifacts };
  // Clones of a process that died: nobody works in them, for this one holds the repository.
  await removeTree(join(dataDir, 'sessions'));
  const plan = toRunPlan(order, input.environment, earlier);
  const made = await createDeps(opening, { dataDir, plan });
  const ground = await openGround(opening, { made, source, repositoryId, earlier, plan }, signal);
  const unfinished = store
    .runningTaskRuns(source.root)
    .flatMap(({ id, config }) => (id === ground.runId || config['isDryRun'] === true ? [] : [id]));
  return {
    ...{ kind: 'open', runId: ground.runId, source, store, commit: ground.baseSha, unfinished },
    artifacts,
    work: (work, stop) => {
      const deps = { ...made.deps, files: keepArtifacts(made.deps, ground.runId) };
      return withEvents(made.deps, ground.runId, () => workThroughTasks(deps, ground, work, stop));
    },
    addBranch: async ({ head }, stop) => {
      if (head === ground.baseSha) return null;
      const name = `ratchet/run-${ground.runId}`;
      const add = { commitSha: head, name, from: ground.mirror.gitDir };
      const added = await sources.addBranch(source, add, stop).catch((error: unknown) => {
        stop.throwIfAborted();
        throw new RunEnvironmentError(`the branch ${name} cannot be added to ${source.root}: ${toLastLine(error)}`);
      });
      if (added === 'made') return name;
      throw new RunEnvironmentError(`there is another branch ${name}: rename it, and resume the run ${ground.runId}`);
    },
    end: async ({ status, branch, reason }) => {
      const end = { status, result: { branch, reason }, at: CLOCK.now() };
      await withEvents(made.deps, ground.runId, () =>
        store.onceWritable(() => store.endTaskRun(ground.runId, end), WRITE_WAIT_MS),
      );
      await removeOldArtifacts(made.deps);
      await removeTree(join(dataDir, 'sessions'));
    },
  };
}

/** What was asked for, or what an earlier process was asked for. */
interface RunPlan {
  /** null: the first one that is configured. */
  readonly agent: string | null;
  readonly isDryRun: boolean;
  readonly maxMicroUsd: number | null;
}

function toRunPlan(
  { agent, isDryRun, budgetUsd }: RunOrder,
  { spendLimits }: LocalEnvironment,
  earlier: StoredTaskRun | null,
): RunPlan {
  const { maxMicroUsd = null, agent: earlierAgent = null } = earlier?.config ?? {};
  if (earlier !== null) {
    return {
      agent: typeof earlierAgent === 'string' ? earlierAgent : null,
      isDryRun: false,
      maxMicroUsd: typeof maxMicroUsd === 'number' ? maxMicroUsd : null,
    };
  }
  const usual = spendLimits.pull_request.maxMicroUsd;
  return { agent, isDryRun, maxMicroUsd: budgetUsd === null ? usual : toMicroUsd(budgetUsd) };
}

function findEarlier(store: Store, typed: string, { root }: RunSource): StoredTaskRun {
  const earlier = store.taskRun(toRunIdOf(typed));
  const isHere = earlier !== null && earlier.workspaceKey === null && earlier.repoPath === root;
  if (!isHere) throw new ConfigError([`there is no run ${JSON.stringify(typed)} on ${root}`]);
  if (earlier.finishedAt === null && earlier.config['isDryRun'] === true)
    throw new ConfigError([`run ${typed} was a dry run, and has nothing to go on with: start a new one`]);
  return earlier;
}

async function openGround(
  { input, state }: Opening,
  given: {
    readonly made: MadeDeps;
    readonly source: RunSource;
    readonly repositoryId: number;
    readonly earlier: StoredTaskRun | null;
    readonly plan: RunPlan;
  },
  signal: AbortSignal,
): Promise<TaskRunGround> {
  const { made, source, repositoryId, earlier, plan } = given;
  const { git, takenAgent } = made;
  const { maxMicroUsd, isDryRun } = plan;
  const ofFixup = input.environment.spendLimits.fixup;
  const baseSha = earlier?.commit ?? source.headSha;
  const runId = earlier?.id ?? parseRunId(state.newId());
  const key = toPullRequestKey(repositoryId, Number.parseInt(sha256(runId).slice(0, 7), 16) + 1);
  const mirror = await openMirror({ git, source, repositoryId, baseSha, isNew: earlier === null }, signal);
  const tree = await git.prepareSession(mirror, { id: parseRunId(`${runId}-p`), key, headSha: baseSha }, signal);
  const policy = await readTreePolicy(git, tree, { treeish: baseSha, where: 'HEAD' }, signal);
  await git.removeSession(tree.runId, repositoryId);
  if (earlier === null) {
    const startedAt = CLOCK.now();
    // A person who starts a run wants everything to be tried, also what an earlier one left blocked.
    const history = { baseSha, historySince: startedAt };
    const config = { maxMicroUsd, agent: takenAgent?.name ?? LOCAL_AGENT, isDryRun, tasks: policy.tasks };
    const of = { id: runId, repoPath: source.root, commit: baseSha, workspaceKey: null, sessionId: null };
    state.store.createTaskRun({ ...of, ...history, startedAt, config });
  }
  return {
    ...{ runId, key, repositoryId, mirror, baseSha, policy, agent: takenAgent, maxMicroUsd },
    account: {
      ...{ sessionId: parseSessionId(runId), key, repositoryId, installationId: INSTALLATION },
      maxMicroUsd: toLower(ofFixup.maxMicroUsd, maxMicroUsd),
      ...{ maxCalls: null, maxTokens: ofFixup.maxTokens, wantedModel: policy.agent.model },
      limits: toLastingLimits(input.environment.spendLimits),
    },
    deadline: CLOCK.now() + policy.tasks.maxMinutes * 60_000,
  };
}

/** The limits of time for a run on this machine: it has one of its own (`tasks.maxMinutes`), and so has each attempt. */
function toLastingLimits({ day, month }: LocalEnvironment['spendLimits']): SpendLimits {
  return { day, month };
}

/** Of all runs on one repository, old files go, then the oldest. So do the rows of old runs, with all that they have. */
async function removeOldArtifacts({ files, store }: Pick<TaskDeps, 'files' | 'store'>): Promise<void> {
  const before = CLOCK.now() - KEPT_MS;
  await files.sweep({ before, maxBytesEach: MAX_ARTIFACT_BYTES, maxBytes: MAX_ARTIFACT_BYTES }, () => null);
  await store.onceWritable(() => store.pruneTaskRuns(before, PRUNED_AT_ONCE), WRITE_WAIT_MS);
}

interface MadeDeps {
  readonly deps: TaskDeps;
  readonly git: ReturnType<typeof createGit>;
  readonly takenAgent: TaskRunGround['agent'];
}

async function createDeps(
  { input, state, closers }: Opening,
  { dataDir, plan }: { readonly dataDir: string; readonly plan: RunPlan },
): Promise<MadeDeps> {
  const { environment, isRoot } = input;
  const { newId } = state;
  const store = withClearErrors(state.store);
  const secrets = createLiveSecrets(toPasswords(environment.proxy?.url ?? null));
  const locks: HeldLock[] = [];
  closers.push(() => {
    for (const lock of locks) lock.release();
  });
  const uidBase = environment.sandboxUidBase ?? (isRoot ? await takeUids(UIDS, locks) : UIDS.first);
  // What one run keeps on disk, the next one finds, whichever users it gets.
  const slotGid = isRoot ? (environment.sandboxUidBase ?? UIDS.first) : null;
  const base = { dataDir, log: SILENT, newId, slotGid };
  const git = createGit({
    ...{ ...base, clock: CLOCK, limits: toGitLimits(environment) },
    transports: { allowFile: true, plainHttpHosts: [] },
  });
  const ofRun = { fixupConcurrency: MAX_WORKERS, sandbox: 'bwrap', structuralMerge: 'off' } as const;
  const { agents, sites, registries, found } = await createAppSites(
    {
      ...{ environment: { ...environment, ...ofRun }, agents: input.agents, isRoot, nodePath: input.nodePath },
      ...input.assets,
    },
    { ...base, trees: git, uidBase, enginesAtOnce: MAX_WORKERS },
  );
  if (found.kind !== 'ok') throw new RunEnvironmentError(`the sandbox cannot run: ${found.why}; see ratchet doctor`);
  const ofPullRequest = { ...environment.spendLimits.pull_request, maxMicroUsd: plan.maxMicroUsd, maxCalls: null };
  const spendLimits = { ...environment.spendLimits, pull_request: ofPullRequest };
  useProxy(environment);
  const gateway = await createAppGateway(
    { environment: { ...environment, spendLimits }, agents: input.agents },
    { dataDir, store, secrets, clock: CLOCK, log: SILENT },
  );
  closers.push(() => gateway?.close());
  const needsAgent = !plan.isDryRun && plan.agent !== LOCAL_AGENT;
  const takenAgent = needsAgent ? await takeNamed({ agents, gateway }, plan.agent) : null;
  const testJudge = createTestJudge({ program: input.assets.testJudgeProgram, log: SILENT });
  const deps: TaskDeps = {
    ...{ clock: CLOCK, files: createSessionFiles({ dataDir }), gateway, git, log: SILENT, newId, registries, sites },
    ...{ store, newDeadline: (ms: number) => AbortSignal.timeout(ms), testJudge },
    ...{ redact: secrets.redact, redactLong: secrets.redactLong, settings: { liveSecrets: secrets.all } },
    engineSource: readEngineSource(input.variables),
  };
  return { deps, git, takenAgent };
}

/** Of what git prints, the last line says why. */
function toLastLine(error: unknown): string {
  return toError(error).message.trim().split('\n').at(-1) ?? '';
}

/** What waits for the database says what to do about it. */
function withClearErrors(store: Store): Store {
  return {
    ...store,
    onceWritable: async (work, waitMs) =>
      store.onceWritable(work, waitMs).catch((error: unknown) => {
        const why = explainDatabaseError(error);
        throw why === null ? error : new RunEnvironmentError(`the database of runs cannot be used: ${why}`);
      }),
  };
}

function toGitLimits({ maxRepositoryBytes, gitTimeoutSeconds }: LocalEnvironment): typeof DEFAULT_GIT_LIMITS {
  return { ...DEFAULT_GIT_LIMITS, maxRepositoryBytes, fetchTimeoutMs: gitTimeoutSeconds * 1000 };
}

async function takeNamed(
  { agents, gateway }: Pick<Parameters<typeof takeAgent>[0], 'agents' | 'gateway'>,
  agent: string | null,
): Promise<TaskRunGround['agent']> {
  if (agents.all.length === 0)
    throw new RunEnvironmentError(
      'no agent is configured: set RATCHET_AGENT or RATCHET_AGENTS_FILE, or use --agent local for the fixers of the tools alone',
    );
  const known = agents.all.map(({ name }) => name);
  if (agent !== null && !known.includes(agent))
    throw new ConfigError([
      `--agent: there is no agent ${JSON.stringify(agent)}; there are ${known.join(', ')} and local`,
    ]);
  const taken = await takeAgent({ agents, gateway, log: SILENT }, agent);
  if (taken.kind === 'ok') return taken.value;
  throw new RunEnvironmentError('detail' in taken.outcome ? taken.outcome.detail : 'the agent cannot be started');
}

/** A private copy of what HEAD has. The copy of an earlier process has all that its run made. */
async function openMirror(
  {
    git,
    source,
    repositoryId,
    baseSha,
    isNew,
  }: Pick<MadeDeps, 'git'> & {
    readonly source: RunSource;
    readonly repositoryId: number;
    readonly baseSha: TaskRunGround['baseSha'];
    readonly isNew: boolean;
  },
  signal: AbortSignal,
): Promise<TaskRunGround['mirror']> {
  if (!isNew) {
    const mirror = await git.openMirror(repositoryId);
    if (mirror === null)
      throw new ConfigError(['the copy of the repository that the run worked on is gone: start a new run']);
    return mirror;
  }
  const repository = { installationId: INSTALLATION, repositoryId, owner: 'local', name: 'local' };
  const { url, branch } = source;
  const want = { number: 1, headSha: baseSha, headRef: branch, baseRef: branch };
  return git.ensureMirror(repository, want, { url, token: { token: '', expiresAt: 0 } }, signal);
}

/** The folder of all runs on one repository. Users of sandboxes can pass through it. */
async function makeDataFolder({ copies }: PlanState, repositoryId: number): Promise<string> {
  const parent = join(copies, 'r');
  const dataDir = join(parent, repositoryId.toString(36));
  if (dataDir.length > MAX_DATA_PATH)
    throw new ConfigError([`the path ${dataDir} is too long for sockets: set XDG_STATE_HOME to a shorter one`]);
  await mkdir(dataDir, { recursive: true, mode: PASS_THROUGH_MODE });
  for (const path of [parent, dataDir]) await chmod(path, PASS_THROUGH_MODE);
  return dataDir;
}

/** Stable for a folder, and no id of GitHub's. */
function toRepositoryId(folder: string): number {
  return Number.parseInt(sha256(folder).slice(0, 12), 16) + 1;
}

function toRunIdOf(typed: string): RunId {
  try {
    return parseRunId(typed);
  } catch {
    throw new ConfigError([`${JSON.stringify(typed)} is no id of a run`]);
  }
}

function toLower(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.min(left, right);
}
