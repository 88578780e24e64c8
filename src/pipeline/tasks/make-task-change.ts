import { findAgentConfig } from '../../core/agents/agent-config-paths.ts';
import { toTaskRequest } from '../../core/agents/to-agent-request.ts';
import { toUsed } from '../../core/agents/to-agent-use.ts';
import { listEngineIds, toSourceConfigs } from '../../core/engines/engine-source.ts';
import { planFixes } from '../../core/engines/plan-fixes.ts';
import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import type { AgentProgress } from '../../core/model/agent-progress.ts';
import { DEFAULT_ENGINES_POLICY } from '../../core/model/default-policy.ts';
import type { AgentUse } from '../../core/model/model-use.ts';
import type { Task, TaskFinding } from '../../core/model/task.ts';
import type { StoredAttempt } from '../../core/model/task-record.ts';
import { FULL_BUDGET } from '../../core/prompts/evidence-budget.ts';
import { MAX_PREVIOUS_PATCH_BYTES, type PreviousAttempt } from '../../core/prompts/previous-attempts.ts';
import { toTaskPrompt } from '../../core/prompts/to-task-prompt.ts';
import { toCommandLine } from '../../core/tasks/command-line.ts';
import { CATALOGUE } from '../../engines/catalogue.ts';
import type { ImportedTree } from '../../ports/git.ts';
import { PATCH_FILE, runAgent } from '../agents/run-agent.ts';
import type { TakenAgent } from '../agents/take-agent.ts';
import { createTreeHost } from '../engines/create-tree-host.ts';
import { fixEngines } from '../engines/fix-engines.ts';
import { prepareEngines } from '../engines/run-engines.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { withSite } from '../prepare/with-site.ts';
import { toTreeId } from './open-tree.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';

/** What an attempt works on. */
export interface AttemptWork {
  readonly task: Task;
  readonly attemptNo: number;
  /** The attempts before it, in their order. */
  readonly earlier: readonly StoredAttempt[];
  /** Those of the task. */
  readonly findings: readonly TaskFinding[];
  readonly tree: OpenedTree;
}

/** What was seen of the agent, whatever came of its change. */
export interface AgentSeen {
  exitCode: number | null;
  use: AgentUse | null;
}

interface MadeChange {
  readonly tree: ImportedTree;
  readonly summary: string;
}

/** The name of the clone of an attempt, under which its artifacts are kept, too. */
export function toAttemptName(taskId: number, attemptNo: number): string {
  return `t${String(taskId)}a${String(attemptNo)}`;
}

/** Has the agent change the tree. Nothing is judged yet. */
export async function makeByAgent(
  deps: TaskDeps,
  ground: TaskRunGround,
  { work, taken, seen, report }: AgentTurn,
  signal: AbortSignal,
): Promise<OrEnded<MadeChange>> {
  const { policy, runId } = ground;
  const { task, attemptNo, findings, tree } = work;
  const { root, inputs } = deps.sites.layout;
  const prompt = toTaskPrompt({
    ...{ sessionId: runId, facts: { commitSha: tree.repository.headSha }, changes: policy.changes, task, findings },
    validationCommands: task.validation.commands.map(toCommandLine),
    ...{ attempt: attemptNo, previous: [], previousAttempt: await readPrevious(deps, ground, work) },
    ...{ delimiter: deps.newId(), inputs, budget: FULL_BUDGET, peopleAnswered: '' },
  });
  const request = toTaskRequest({
    ...{ runId, task, policy, workspacePath: root, prompt: prompt.text },
    ...{ evidence: prompt.evidence, previousEvidence: prompt.previousEvidence },
  });
  const order = { request, evidence: prompt.files, against: tree.repository.headSha };
  const errand = {
    ...{ repository: tree.repository, dependencies: tree.dependencies, masked: findAgentConfig(tree.tracked) },
    ...{ account: ground.account, startedAt: deps.clock.now(), logged: { runId, task: task.id }, report },
    timeoutMs: Math.min(Math.round(policy.sessionTimeoutMinutes * 60_000), ground.deadline - deps.clock.now()),
    checkStanding: () => checkSwitch(deps, ground),
    onUse: () => undefined,
    keepSteps: async () => undefined,
    settle: async (...[opened, { durationMs, exitCode }]: Parameters<Parameters<typeof runAgent>[1]['settle']>) => {
      const use = (await opened?.gateway.close()) ?? null;
      const { agent, version } = taken;
      seen.exitCode = exitCode;
      seen.use = { agent: agent.name, version, model: opened?.model.model ?? null, ...toUsed(use), durationMs };
    },
  };
  const run = await runAgent(deps, errand, { taken, order }, signal);
  return run.kind === 'ended' ? run : ok({ tree: run.value.tree, summary: run.value.summary });
}

/** One turn of an agent. `seen` is filled in when its program has ended. */
export interface AgentTurn {
  readonly work: AttemptWork;
  readonly taken: TakenAgent;
  readonly seen: AgentSeen;
  readonly report: (progress: AgentProgress) => void;
}

/** Agents may have been switched off on this machine while the attempt waited. */
function checkSwitch({ store }: Pick<TaskDeps, 'store'>, { repositoryId }: TaskRunGround): OrEnded<null> {
  const off = store.agentSwitch(repositoryId);
  return off === null ? ok(null) : rejected('AGENTS_SWITCHED_OFF', 'Agents are switched off.');
}

/** Why the attempt before was refused, and what it had changed. */
async function readPrevious(
  { files, redactLong }: Pick<TaskDeps, 'files' | 'redactLong'>,
  ground: TaskRunGround,
  { task, earlier }: AttemptWork,
): Promise<PreviousAttempt | null> {
  const last = earlier.findLast(({ status, detail }) => status === 'failed' && detail !== '');
  if (last === undefined) return null;
  const id = toTreeId(ground, toAttemptName(task.id, last.attemptNo));
  const patch = await files.readArtifact(id, PATCH_FILE, MAX_PREVIOUS_PATCH_BYTES);
  return { reason: await redactLong(last.detail), patch: patch === null ? null : await redactLong(patch) };
}

/** Runs the tool's own fixer on the files of the task, without an agent. */
export async function makeByFixer(
  deps: TaskDeps,
  { policy }: TaskRunGround,
  { task, tree }: AttemptWork,
  signal: AbortSignal,
): Promise<OrEnded<MadeChange>> {
  const { repository, dependencies, setupProblem } = tree;
  const { engineSource } = deps;
  const engines = policy.engines ?? { ...DEFAULT_ENGINES_POLICY, auto: true };
  const treeSha = repository.headSha;
  const side = { repository, treeSha, dependencies, isSetupFailed: setupProblem !== null };
  const siteTree = { repository, treeSha, masked: [], hasHistory: false };
  const request = { name: 'fixer', tree: siteTree, dependencies, inputs: {}, programs: [] };
  return withSite(deps, request, signal, async (site) => {
    // Every command of the fixer works in this one site, whose tree is then taken.
    const sites = { ...deps.sites, open: async () => ({ ...site, close: async () => undefined }) };
    const host = await createTreeHost({ ...deps, sites }, side, signal);
    const prepared = await prepareEngines(
      { host, catalogue: CATALOGUE },
      {
        ...{ policy: engines, mode: 'current', only: [task.tool] },
        ...{ scope: { cli: task.targets.files, env: engineSource.paths } },
        ...{ configs: { cli: {}, env: toSourceConfigs(engineSource, listEngineIds(CATALOGUE, engines)) } },
        ...{ timeoutSeconds: null, refresh: true, concurrency: 1 },
      },
    );
    const { specs, settings } = prepared;
    const project = task.validation.check?.project ?? '.';
    const plans = prepared.report.plans.filter((plan) => plan.project === project);
    const fixes = planFixes({ specs, plans, mode: 'current', files: host.files, changed: null });
    const ran = await fixEngines({ host }, { fixes, settings }, signal);
    const failed = ran.find(({ error }) => error !== null)?.error ?? null;
    if (failed !== null) return rejected('VALIDATION_FAILED', `${failed.engine}: ${failed.message}`);
    const exclude = dependencies?.paths ?? [];
    const taken = await site.takeTree({ exclude, maxPatchBytes: MAX_PATCH_BYTES }, signal);
    await deps.files.writeArtifact(repository.runId, PATCH_FILE, taken.patch);
    return ok({ tree: taken, summary: `The fixer of ${task.tool} changed it.` });
  });
}
