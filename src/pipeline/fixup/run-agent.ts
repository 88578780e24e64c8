import { findAgentConfig } from '../../core/agents/agent-config-paths.ts';
import { type AgentRun, type AgentVerdict, judgeAgentRun } from '../../core/agents/judge-agent-run.ts';
import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import type { AgentRequest, AgentResult } from '../../core/model/agent-contract.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { ImportedTree } from '../../ports/git.ts';
import type { PreparedDependencies, Site, SiteOutcome, SiteRequest } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { runKept, toCommand, withSite } from '../prepare/with-site.ts';
import type { PreparedFixup } from './fixup-session.ts';
import { checkStanding, type TakenAgent, takeAgent } from './take-agent.ts';
import { watchAgent } from './watch-agent.ts';
import { followTrial, type OpenModel, settleModel, withModel } from './with-model.ts';

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
 * Runs the agent in its own site and imports its tree. The only thing that it can reach is its model, through the gateway. The
 * patch is kept as an artifact even if the run failed (trap 29), but not if processes were left or the tree is over the disk quota.
 */
export async function runAgent(
  deps: Deps,
  prepared: PreparedFixup,
  order: AgentOrder,
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const { repository, session } = prepared;
  const taken = await takeAgent(deps, session.fixup.agent);
  if (taken.kind === 'ended') return taken;
  const standing = checkStanding(deps, prepared, taken.value);
  if (standing.kind === 'ended') return standing;
  const requestText = `${JSON.stringify(order.request, null, 2)}\n`;
  await deps.files.writeArtifact(repository.runId, 'agent-request.json', requestText);
  return withModel(deps, prepared, taken.value, (opened) =>
    withSite(deps, toSite(prepared, order, { taken: taken.value, opened }), signal, (site) =>
      runInSite(deps, prepared, { site, taken: taken.value, opened, order }, signal),
    ),
  );
}

interface Started {
  readonly taken: TakenAgent;
  readonly opened: OpenModel | null;
}

function toSite(
  { repository, masked, dependencies }: PreparedFixup,
  order: AgentOrder,
  { taken, opened }: Started,
): Parameters<typeof withSite>[1] {
  return {
    name: SITE,
    tree: { repository, treeSha: order.against, masked, hasHistory: true },
    dependencies: dependencies === null ? null : withoutAgentConfig(dependencies),
    relays: opened === null ? [] : [opened.relay],
    inputs: order.evidence,
    programs: [taken.agent.name],
  };
}

async function runInSite(
  deps: Deps,
  prepared: PreparedFixup,
  started: Started & { readonly site: Site; readonly order: AgentOrder },
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const { site, taken, order } = started;
  // It may have waited long for a site.
  const standing = checkStanding(deps, prepared, taken);
  if (standing.kind === 'ended') return standing;
  const resultFile = `${deps.sites.layout.artifacts(SITE)}/result.json`;
  const { outcome, use, final } = await runProgram(deps, prepared, { ...started, resultFile }, signal);
  signal.throwIfAborted();
  const canTakeTree = outcome.processesLeft === 0 && outcome.kind !== 'disk_quota';
  const tree = canTakeTree ? await takeTree(deps, prepared, site, signal) : null;
  const stdout = outcome.stdoutTail;
  const printed = (await site.has(resultFile)) ? { stdout, file: await readText(site, resultFile) } : { stdout };
  const output = taken.agent.parseOutput(printed, order.request);
  return toWork(deps, judgeAgentRun({ use, end: outcome, final, output }), { tree, session: prepared.session });
}

/** Runs the agent's program. Returns how it ended, and the evidence of the gateway about it. */
async function runProgram(
  deps: Deps,
  { session, repository, policy }: PreparedFixup,
  started: Started & { readonly site: Site; readonly order: AgentOrder; readonly resultFile: string },
  signal: AbortSignal,
): Promise<{ readonly outcome: SiteOutcome } & Pick<AgentRun, 'use' | 'final'>> {
  const { site, taken, opened, order, resultFile } = started;
  const { agent, version } = taken;
  const { argv, env, stdin, homeFiles } = agent.command(order.request, opened?.model ?? null);
  const watch = watchAgent(deps, session, started);
  opened?.gateway.onUse((use) => {
    watch.onUse(use);
    followTrial(deps, session, taken, use);
  });
  const command = toCommand({
    ...{ argv, stdin, homeFiles, env: { ...env, RATCHET_RESULT_FILE: resultFile } },
    ...{ network: opened === null ? 'none' : 'relays', onStdout: watch.onStdout },
    timeoutMs: Math.round(policy.sessionTimeoutMinutes * 60_000),
    maxOutputBytes: MAX_AGENT_OUTPUT_BYTES,
  });
  const log = deps.log.child({ sessionId: session.id, key: session.key });
  log.info({ agent: agent.name, version }, 'agent started');
  const began = deps.clock.now();
  try {
    const outcome = await runKept(deps, { site, runId: repository.runId, name: SITE }, command, signal);
    const use = opened?.gateway.use() ?? null;
    const { kind: ended, exitCode, durationMs } = outcome;
    log.info({ ended, exitCode, durationMs, ...toSeenFields(use) }, 'agent ended');
    return { outcome, use, final: watch.final() };
  } finally {
    watch.end();
    await settleModel(deps, session, { taken, opened, began });
  }
}

function toSeenFields(use: ModelUse | null): Readonly<Record<string, unknown>> {
  if (use === null) return {};
  const { lastCall, faults, refused, stoppedBy } = use;
  return { lastCall, faults, refused, stoppedBy: stoppedBy?.why ?? null };
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
  if (verdict.kind === 'rejected') {
    const { code, detail, question } = verdict;
    return rejected(code, detail, question === undefined ? {} : { question });
  }
  if (verdict.kind === 'timed_out')
    return { kind: 'ended', outcome: { kind: 'timed_out', afterMs: clock.now() - session.startedAt } };
  if (tree === null)
    return rejected('PROCESSES_LEFT', 'The agent left processes behind; its tree is not to be trusted.');
  return ok({ tree, summary: verdict.summary, answers: verdict.answers });
}
