import { findAgentConfig } from '../../core/agents/agent-config-paths.ts';
import { type AgentVerdict, classifyAgentRun } from '../../core/agents/classify-agent-run.ts';
import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import type { AgentRequest, AgentResult } from '../../core/model/agent-contract.ts';
import type { Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { Agent } from '../../ports/agent.ts';
import type { ImportedTree } from '../../ports/git.ts';
import type { PreparedDependencies, Site, SiteRequest } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { runKept, toCommand, withSite } from '../prepare/with-site.ts';
import type { PreparedFixup } from './fixup-session.ts';
import { takeAgent } from './take-agent.ts';

const MAX_AGENT_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_RESULT_BYTES = 64 * 1024;
const SITE = 'agent';
/** Artifact with the diff of what the agent left. */
export const PATCH_FILE = 'patch.diff';

/** The input of an agent run. */
export interface AgentOrder {
  readonly request: AgentRequest;
  /** Evidence texts for the agent, by file name. */
  readonly evidence: Readonly<Record<string, string>>;
  /** The tree that the agent starts from and its result is compared with: the head, or a partly resolved merge. */
  readonly against: Sha;
}

/** The result of an agent run: its imported tree, and what it says about it. */
export interface AgentWork {
  readonly tree: ImportedTree;
  readonly summary: string;
  /** Its answers to review items: untrusted, and possibly incomplete. */
  readonly answers: NonNullable<AgentResult['answers']>;
}

/**
 * Runs the agent in its own site and imports its tree. The patch is kept as an artifact even if the run failed (trap 29), but not
 * if processes were left or the tree is over the disk quota. Only a run that exited 0, left no process and reports success continues.
 */
export async function runAgent(
  deps: Deps,
  prepared: PreparedFixup,
  order: AgentOrder,
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const { repository, masked, dependencies } = prepared;
  const taken = await takeAgent(deps, prepared.session.fixup.agent);
  if (taken.kind === 'ended') return taken;
  const agent = taken.value;
  const requestText = `${JSON.stringify(order.request, null, 2)}\n`;
  await deps.files.writeArtifact(repository.runId, 'agent-request.json', requestText);
  const request = {
    name: SITE,
    tree: { repository, treeSha: order.against, masked, hasHistory: true },
    dependencies: dependencies === null ? null : withoutAgentConfig(dependencies),
    inputs: order.evidence,
    programs: [agent.name],
  };
  return withSite(deps, request, signal, (site) => runInSite(deps, prepared, { site, agent, order }, signal));
}

async function runInSite(
  deps: Deps,
  prepared: PreparedFixup,
  { site, agent, order }: { readonly site: Site; readonly agent: Agent; readonly order: AgentOrder },
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const { session, repository, policy } = prepared;
  const { argv, env, stdin, homeFiles } = agent.command(order.request, null);
  const resultFile = `${deps.sites.layout.artifacts(SITE)}/result.json`;
  const command = toCommand({
    ...{ argv, stdin, homeFiles, env: { ...env, RATCHET_RESULT_FILE: resultFile } },
    timeoutMs: Math.round(policy.sessionTimeoutMinutes * 60_000),
    maxOutputBytes: MAX_AGENT_OUTPUT_BYTES,
  });
  const log = deps.log.child({ sessionId: session.id, key: session.key });
  log.info({ agent: agent.name }, 'agent started');
  const outcome = await runKept(deps, { site, runId: repository.runId, name: SITE }, command, signal);
  const { kind, exitCode, durationMs, stdoutTail: stdout } = outcome;
  log.info({ ended: kind, exitCode, durationMs }, 'agent ended');
  signal.throwIfAborted();
  const canTakeTree = outcome.processesLeft === 0 && kind !== 'disk_quota';
  const tree = canTakeTree ? await takeTree(deps, prepared, site, signal) : null;
  const printed = (await site.has(resultFile)) ? { stdout, file: await readText(site, resultFile) } : { stdout };
  const output = agent.parseOutput(printed, order.request);
  return toWork(deps, classifyAgentRun({ ...outcome, ended: kind, output }), { tree, session });
}

async function readText(site: Site, path: string): Promise<string | null> {
  const bytes = await site.readFile(path, MAX_RESULT_BYTES);
  return bytes === null ? null : decodeText(bytes);
}

/** `setup` ran code of the pull request, which may have written agent configuration. It is removed here as in the tree (T34). */
function withoutAgentConfig({ key, paths, programPath = [] }: PreparedDependencies): SiteRequest['dependencies'] {
  return { key, programPath, paths: paths.filter((path) => findAgentConfig([path]).length === 0) };
}

/** Imports the agent's tree without masked paths and dependencies, which the agent may not change. */
async function takeTree(
  deps: Deps,
  { repository, masked, dependencies }: PreparedFixup,
  site: Site,
  signal: AbortSignal,
): Promise<ImportedTree> {
  const exclude = [...masked, ...(dependencies?.paths ?? [])];
  const tree = await site.takeTree({ exclude, maxPatchBytes: MAX_PATCH_BYTES }, signal);
  await deps.files.writeArtifact(repository.runId, PATCH_FILE, tree.patch);
  return tree;
}

function toWork(
  { clock }: Pick<Deps, 'clock'>,
  verdict: AgentVerdict,
  { tree, session }: Pick<PreparedFixup, 'session'> & { readonly tree: ImportedTree | null },
): OrEnded<AgentWork> {
  if (verdict.kind === 'rejected') return rejected(verdict.code, verdict.detail);
  if (verdict.kind === 'timed_out')
    return { kind: 'ended', outcome: { kind: 'timed_out', afterMs: clock.now() - session.startedAt } };
  if (tree === null)
    return rejected('PROCESSES_LEFT', 'The agent left processes behind; its tree is not to be trusted.');
  return ok({ tree, summary: verdict.summary, answers: verdict.answers });
}
