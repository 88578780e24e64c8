import { findAgentConfig } from '../core/agents/agent-config-paths.ts';
import { type AgentVerdict, classifyAgentRun } from '../core/agents/classify-agent-run.ts';
import { toAgentRequest } from '../core/agents/to-agent-request.ts';
import type { AgentRequest } from '../core/model/agent-contract.ts';
import type { AgentCommand } from '../ports/agent.ts';
import type { ImportedTree } from '../ports/git.ts';
import type { Mount, SandboxOutcome } from '../ports/sandbox.ts';
import { collectEvidence } from './collect-evidence.ts';
import type { Deps } from './deps.ts';
import {
  AGENT_HOME,
  EVIDENCE,
  ok,
  type PreparedAttempt,
  rejected,
  type Step,
  toSandboxEnv,
  WORKSPACE,
} from './fixup-session.ts';
import { toFailingChecks } from './take-ci-verdict.ts';

const MAX_AGENT_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_PATCH_BYTES = 4 * 1024 * 1024;

/** What an agent left: its tree, imported, and what it says about it. */
export interface AgentWork {
  readonly tree: ImportedTree;
  readonly summary: string;
}

/**
 * Runs the agent in a sandbox on the workspace and takes its tree. Whatever became of it, its patch is kept as an artifact
 * (trap 29). Only an agent that ended well, left no process and claims success goes on to the gate.
 */
export async function runAgent(deps: Deps, prepared: PreparedAttempt, signal: AbortSignal): Promise<Step<AgentWork>> {
  const { session } = prepared;
  const { request, evidenceFolder } = await askAgent(deps, prepared, signal);
  const command = deps.agent.command(request);
  deps.log.info({ sessionId: session.id, key: session.key, agent: deps.agent.name }, 'agent started');
  const outcome = await runInSandbox(deps, prepared, { command, evidenceFolder }, signal);
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
  const tree = outcome.processesLeft === 0 ? await takeTree(deps, prepared, signal) : null;
  const output = deps.agent.parseOutput(outcome.stdoutTail, request);
  return toStep(deps, classifyAgentRun({ ...outcome, ended: outcome.kind, output }), { tree, prepared, outcome });
}

async function askAgent(
  deps: Deps,
  prepared: PreparedAttempt,
  signal: AbortSignal,
): Promise<{ readonly request: AgentRequest; readonly evidenceFolder: string }> {
  const { session, facts, policy } = prepared;
  const workspace = deps.store.workspace(session.key);
  const repository = workspace?.repository;
  const failing = toFailingChecks(deps, facts, policy);
  const evidence =
    repository === undefined
      ? { folder: await deps.files.makeFolder(session.id, 'evidence'), files: [] }
      : await collectEvidence(deps, { session, repository }, failing, signal);
  const request = toAgentRequest({
    sessionId: session.id,
    fixup: session.fixup,
    facts,
    policy,
    evidence: evidence.files,
    validation: prepared.validation,
    previous: deps.store.endedSessions(session.key, 3),
    workspacePath: WORKSPACE,
    delimiter: deps.newId(),
  });
  await deps.files.writeFile(prepared.artifacts, 'agent-request.json', `${JSON.stringify(request, null, 2)}\n`);
  return { request, evidenceFolder: evidence.folder };
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

async function takeTree(deps: Deps, prepared: PreparedAttempt, signal: AbortSignal): Promise<ImportedTree> {
  const tree = await deps.git.importTree(prepared.repository, toExcludedPaths(prepared), MAX_PATCH_BYTES, signal);
  await deps.files.writeFile(prepared.artifacts, 'patch.diff', tree.patch);
  return tree;
}

function toStep(
  deps: Pick<Deps, 'clock'>,
  verdict: AgentVerdict,
  left: { readonly tree: ImportedTree | null; readonly prepared: PreparedAttempt; readonly outcome: SandboxOutcome },
): Step<AgentWork> {
  if (verdict.kind === 'rejected') return rejected(verdict.code, verdict.detail);
  if (verdict.kind === 'timed_out') {
    return {
      kind: 'ended',
      outcome: { kind: 'timed_out', afterMs: deps.clock.now() - left.prepared.session.startedAt },
    };
  }
  if (left.tree === null)
    return rejected('PROCESSES_LEFT', 'The agent left processes behind; its tree is not to be trusted.');
  return ok({ tree: left.tree, summary: verdict.summary });
}
