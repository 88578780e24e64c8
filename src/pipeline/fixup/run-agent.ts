import { findAgentConfig } from '../../core/agents/agent-config-paths.ts';
import { type AgentVerdict, classifyAgentRun } from '../../core/agents/classify-agent-run.ts';
import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import type { AgentRequest, AgentResult } from '../../core/model/agent-contract.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { AgentCommand } from '../../ports/agent.ts';
import type { ImportedTree } from '../../ports/git.ts';
import type { Mount, SandboxOutcome } from '../../ports/sandbox.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { AGENT_HOME, EVIDENCE, toSandboxEnv, WORKSPACE } from '../prepare/sandbox-layout.ts';
import type { PreparedAttempt } from './fixup-session.ts';

const MAX_AGENT_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What an agent is started with. */
export interface AgentOrder {
  readonly request: AgentRequest;
  /** Folder of the host whose files the agent may read as evidence. */
  readonly evidenceFolder: string;
  /** What the tree that it leaves is compared with: the head, or the tree that git made of a merge. */
  readonly against: Sha;
}

/** What an agent left: its tree, imported, and what it says about it. */
export interface AgentWork {
  readonly tree: ImportedTree;
  readonly summary: string;
  /** What it answers to the items of its goal: untrusted, and possibly not all of them. */
  readonly answers: NonNullable<AgentResult['answers']>;
}

/**
 * Runs the agent in a sandbox on the workspace and takes its tree. Whatever became of it, its patch is kept as an artifact
 * (trap 29). Only an agent that ended well, left no process and claims success goes on.
 */
export async function runAgent(
  deps: Deps,
  prepared: PreparedAttempt,
  order: AgentOrder,
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const { session, artifacts } = prepared;
  const able = await deps.agent.check();
  if (able.kind === 'unavailable') return rejected('AGENT_UNAVAILABLE', able.why);
  await deps.files.writeFile(artifacts, 'agent-request.json', `${JSON.stringify(order.request, null, 2)}\n`);
  const command = deps.agent.command(order.request);
  deps.log.info({ sessionId: session.id, key: session.key, agent: deps.agent.name }, 'agent started');
  const outcome = await runInSandbox(deps, prepared, { command, evidenceFolder: order.evidenceFolder }, signal);
  deps.log.info(
    {
      sessionId: session.id,
      key: session.key,
      ended: outcome.kind,
      exitCode: outcome.exitCode,
      durationMs: outcome.durationMs,
    },
    'agent ended',
  );
  signal.throwIfAborted();
  const tree = outcome.processesLeft === 0 ? await takeTree(deps, prepared, order.against, signal) : null;
  const output = deps.agent.parseOutput(outcome.stdoutTail, order.request);
  return toStep(deps, classifyAgentRun({ ...outcome, ended: outcome.kind, output }), { tree, prepared, outcome });
}

async function runInSandbox(
  deps: Pick<Deps, 'files' | 'sandbox'>,
  prepared: PreparedAttempt,
  agent: { readonly command: AgentCommand; readonly evidenceFolder: string },
  signal: AbortSignal,
): Promise<SandboxOutcome> {
  const { session, slot, repository, artifacts, policy } = prepared;
  const home = await deps.files.makeFolder(session.id, 'home');
  await deps.sandbox.giveToSlot(home, slot);
  await deps.sandbox.giveToSlot(repository.workDir, slot);
  const mounts: readonly Mount[] = [
    { source: repository.workDir, target: WORKSPACE, writable: true },
    { source: `${repository.workDir}/.git`, target: `${WORKSPACE}/.git`, writable: false },
    { source: repository.mirror.objectsDir, target: repository.mirror.objectsDir, writable: false },
    { source: home, target: AGENT_HOME, writable: true },
    { source: agent.evidenceFolder, target: EVIDENCE, writable: false },
    ...prepared.dependencies.filter(isNoAgentConfig),
    ...agent.command.mounts,
  ];
  return deps.sandbox.run(
    {
      argv: agent.command.argv,
      env: { ...toSandboxEnv(deps.sandbox.toolsDir), ...agent.command.env },
      cwd: WORKSPACE,
      stdin: agent.command.stdin,
      mounts,
      slot,
      timeoutMs: Math.round(policy.sessionTimeoutMinutes * 60_000),
      maxOutputBytes: MAX_AGENT_OUTPUT_BYTES,
      stdoutPath: `${artifacts}/agent.stdout.log`,
      stderrPath: `${artifacts}/agent.stderr.log`,
    },
    signal,
  );
}

/** `setup` ran code of the pull request: it could leave the configuration that the pull request itself is kept from bringing (T34). */
function isNoAgentConfig({ target }: Mount): boolean {
  return findAgentConfig([toWorkspacePath(target)]).length === 0;
}

function toWorkspacePath(target: string): string {
  return target.slice(WORKSPACE.length + 1);
}

/** Paths that are not the agent's: masked configuration, and where dependencies were mounted. */
function toExcludedPaths(prepared: PreparedAttempt): readonly string[] {
  const mounted = prepared.dependencies.map(({ target }) => toWorkspacePath(target));
  return [...prepared.masked, ...mounted];
}

async function takeTree(
  deps: Deps,
  prepared: PreparedAttempt,
  against: Sha,
  signal: AbortSignal,
): Promise<ImportedTree> {
  const want = { exclude: toExcludedPaths(prepared), maxPatchBytes: MAX_PATCH_BYTES, against };
  const tree = await deps.git.importTree(prepared.repository, want, signal);
  await deps.files.writeFile(prepared.artifacts, 'patch.diff', tree.patch);
  return tree;
}

function toStep(
  deps: Pick<Deps, 'clock'>,
  verdict: AgentVerdict,
  left: { readonly tree: ImportedTree | null; readonly prepared: PreparedAttempt; readonly outcome: SandboxOutcome },
): OrEnded<AgentWork> {
  if (verdict.kind === 'rejected') return rejected(verdict.code, verdict.detail);
  if (verdict.kind === 'timed_out') {
    return {
      kind: 'ended',
      outcome: { kind: 'timed_out', afterMs: deps.clock.now() - left.prepared.session.startedAt },
    };
  }
  if (left.tree === null)
    return rejected('PROCESSES_LEFT', 'The agent left processes behind; its tree is not to be trusted.');
  return ok({ tree: left.tree, summary: verdict.summary, answers: verdict.answers });
}
