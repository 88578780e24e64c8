import { findAgentConfig } from '../../core/agents/agent-config-paths.ts';
import { type AgentRun, type AgentVerdict, judgeAgentRun } from '../../core/agents/judge-agent-run.ts';
import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import type { AgentRequest, AgentResult } from '../../core/model/agent-contract.ts';
import type { AgentProgress } from '../../core/model/agent-progress.ts';
import type { EpochMs, Sha } from '../../core/model/ids.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import type { ShownStep } from '../../core/model/shown-step.ts';
import { drawSteps } from '../../core/render/render-steps.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { ImportedTree, SessionRepository } from '../../ports/git.ts';
import type { LogFields } from '../../ports/log.ts';
import type { PreparedDependencies, Site, SiteOutcome, SiteRequest } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { runKept, toCommand, withSite } from '../prepare/with-site.ts';
import type { TakenAgent } from './take-agent.ts';
import { watchAgent } from './watch-agent.ts';
import { type AgentAccount, type OpenModel, withModel } from './with-model.ts';
import { type TimeDeps, withTime } from './with-time.ts';

const MAX_AGENT_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_RESULT_BYTES = 64 * 1024;
const SITE = 'agent';
/** Artifact with the graph of the agent's own plan. */
const GRAPH_FILE = 'agent-plan.mmd';
/** Artifact with the diff of what the agent left. */
export const PATCH_FILE = 'patch.diff';

/** What an agent is run for: a fixup, or the attempt of a task. */
export interface AgentErrand {
  readonly repository: SessionRepository;
  /** Tracked paths removed from the agent's site (threat T34). */
  readonly masked: readonly string[];
  readonly dependencies: PreparedDependencies | null;
  readonly timeoutMs: number;
  /** From when on a time that ran out is counted. */
  readonly startedAt: EpochMs;
  readonly account: AgentAccount;
  /** Fields that name it in the log. */
  readonly logged: LogFields;
  /** Whether the agent may still be launched: it may have waited long for a site. */
  readonly checkStanding: () => OrEnded<null>;
  readonly report: (progress: AgentProgress) => void;
  /** Keeps the steps of the agent's own plan for people. They are by its own words, and nothing reads them. */
  readonly keepSteps: (steps: readonly ShownStep[]) => Promise<void>;
  readonly onUse: (use: ModelUse) => void;
  /** Called once, when the program has ended in any way. It closes the gateway, and stores what was used. */
  readonly settle: (opened: OpenModel | null, end: AgentEnd) => Promise<void>;
}

/** How long the program ran, by a clock that nobody sets, and its exit code; null: it has none. */
export interface AgentEnd {
  readonly durationMs: number;
  readonly exitCode: number | null;
}

type RunDeps = Pick<Deps, 'files' | 'gateway' | 'redact' | 'sites' | 'testJudge'> & TimeDeps;

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
  deps: RunDeps,
  errand: AgentErrand,
  { taken, order }: { readonly taken: TakenAgent; readonly order: AgentOrder },
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const standing = errand.checkStanding();
  if (standing.kind === 'ended') return standing;
  const requestText = `${JSON.stringify(order.request, null, 2)}\n`;
  await deps.files.writeArtifact(errand.repository.runId, 'agent-request.json', requestText);
  return withModel(deps, errand.account, taken, (opened) =>
    withSite(deps, toSite(errand, order, { taken, opened }), signal, (site) =>
      runInSite(deps, errand, { site, taken, opened, order }, signal),
    ),
  );
}

interface Started {
  readonly taken: TakenAgent;
  readonly opened: OpenModel | null;
}

function toSite(
  { repository, masked, dependencies }: AgentErrand,
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
  deps: RunDeps,
  errand: AgentErrand,
  started: Started & { readonly site: Site; readonly order: AgentOrder },
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const { site, taken, order } = started;
  const standing = errand.checkStanding();
  if (standing.kind === 'ended') return standing;
  const resultFile = `${deps.sites.layout.artifacts(SITE)}/result.json`;
  const ran = await withTime(deps, { ...errand, agent: taken.agent.name }, (timeoutMs) =>
    runProgram(deps, errand, { ...started, resultFile, timeoutMs }, signal),
  );
  if (ran.kind === 'ended') return ran;
  const { outcome, use, final, steps, boundBy: timeBudget } = ran.value;
  signal.throwIfAborted();
  const canTakeTree = outcome.processesLeft === 0 && outcome.kind !== 'disk_quota';
  const tree = canTakeTree ? await takeTree(deps, errand, site, signal) : null;
  const stdout = outcome.stdoutTail;
  if (steps.length > 0) {
    await deps.files.writeArtifact(errand.repository.runId, GRAPH_FILE, drawSteps(steps));
    await errand.keepSteps(steps);
  }
  const printed = (await site.has(resultFile)) ? { stdout, file: await readText(site, resultFile) } : { stdout };
  const output = taken.agent.parseOutput(printed, order.request);
  if (output.kind === 'result' && output.dropped.length > 0) {
    const fields = { ...errand.logged, dropped: output.dropped.join(', ') };
    deps.log.warn(fields, "fields of an agent's result are not known and were dropped");
  }
  return toWork(deps, judgeAgentRun({ use, end: outcome, final, output, timeBudget }), { tree, errand });
}

/** Runs the agent's program. Returns how it ended, and the evidence of the gateway about it. */
async function runProgram(
  deps: RunDeps,
  errand: AgentErrand,
  started: Started & {
    readonly site: Site;
    readonly order: AgentOrder;
    readonly resultFile: string;
    readonly timeoutMs: number;
  },
  signal: AbortSignal,
): Promise<{ readonly outcome: SiteOutcome; readonly steps: readonly ShownStep[] } & Pick<AgentRun, 'use' | 'final'>> {
  const { site, taken, opened, order, resultFile, timeoutMs } = started;
  const { agent, version } = taken;
  const { argv, env, stdin, homeFiles } = agent.command(order.request, opened?.model ?? null);
  const watch = watchAgent(deps, started, errand.report);
  opened?.gateway.onUse((use) => {
    watch.onUse(use);
    errand.onUse(use);
  });
  const command = toCommand({
    ...{ argv, stdin, homeFiles, env: { ...env, RATCHET_RESULT_FILE: resultFile } },
    ...{ network: opened === null ? 'none' : 'relays', onStdout: watch.onStdout },
    ...{ timeoutMs, maxOutputBytes: MAX_AGENT_OUTPUT_BYTES },
  });
  const log = deps.log.child(errand.logged);
  log.info({ agent: agent.name, version }, 'agent started');
  deps.testJudge.prepare();
  let ended: AgentEnd = { durationMs: 0, exitCode: null };
  try {
    const outcome = await runKept(deps, { site, runId: errand.repository.runId, name: SITE }, command, signal);
    const use = opened?.gateway.use() ?? null;
    ended = outcome;
    const { kind, exitCode, durationMs } = outcome;
    log.info({ ended: kind, exitCode, durationMs, ...toSeenFields(use) }, 'agent ended');
    return { outcome, use, final: watch.final(), steps: watch.steps() };
  } finally {
    watch.end();
    await errand.settle(opened, ended);
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
  deps: RunDeps,
  { repository, masked, dependencies }: AgentErrand,
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
  { tree, errand }: { readonly errand: Pick<AgentErrand, 'startedAt'>; readonly tree: ImportedTree | null },
): OrEnded<AgentWork> {
  if (verdict.kind === 'rejected') {
    const { code, detail, question } = verdict;
    return rejected(code, detail, question === undefined ? {} : { question });
  }
  if (verdict.kind === 'timed_out')
    return { kind: 'ended', outcome: { kind: 'timed_out', afterMs: clock.now() - errand.startedAt } };
  if (tree === null)
    return rejected('PROCESSES_LEFT', 'The agent left processes behind; its tree is not to be trusted.');
  return ok({ tree, summary: verdict.summary, answers: verdict.answers });
}
