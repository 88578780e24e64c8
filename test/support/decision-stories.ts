import type { DecisionCode } from '../../src/core/model/decision.ts';
import { parseRunId } from '../../src/core/model/ids.ts';
import type { AcceptedFinding } from '../../src/core/model/quality.ts';
import type { QualityRun } from '../../src/core/model/quality-run.ts';
import type { SpendLimits } from '../../src/core/model/spend.ts';
import { aCheck, aReview, aThread, fakeSha, NOW } from './builders.ts';
import {
  MINUTE_MS,
  type Pipeline,
  startEnabled,
  startLaunched,
  startPipeline,
  startPushed,
} from './pipeline-fixture.ts';

const RUNNING = aCheck({ status: 'in_progress', conclusion: null });

/** The base demands heads that hold all of its commits. */
const UP_TO_DATE = {
  pushRefusals: [],
  mustBeUpToDate: true,
  requiredChecks: [],
  commitPatterns: [],
  dismissesStaleApprovals: false,
  mustResolveThreads: false,
};

/** Ways to bring the loop to one decision: the last iteration that ran has made it. One for each code. */
export const DECISION_STORIES: Readonly<Record<DecisionCode, () => Promise<Pipeline>>> = {
  WORKING_SESSION: () => andAgain(startLaunched()),
  NO_PR: async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    pipeline.github.remove();
    return again(pipeline);
  },
  PR_NOT_OPEN: async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    pipeline.github.change({ state: 'merged' });
    return again(pipeline);
  },
  CI_RUNNING: () => startEnabled({ checks: [RUNNING] }),
  CI_TIMEOUT: () => andAgain(startEnabled({ checks: [RUNNING] }), 360 * MINUTE_MS),
  CI_BLOCKED: () => startEnabled({ checks: [aCheck({ conclusion: 'action_required' })] }),
  CI_REQUIRED_MISSING: () =>
    startEnabled({
      checks: [aCheck({ name: 'ci / build' })],
      policyText: 'ci: { settleSeconds: 0, required: [build] }',
    }),
  STALE_CI_RUN: () => startPushed(),
  STALE_CI_TIMEOUT: () => andAgain(startPushed(), 5 * MINUTE_MS),
  DISABLED: async () => {
    const pipeline = await startEnabled({ checks: [aCheck()] });
    pipeline.comment('/ratchet disable');
    return again(pipeline, MINUTE_MS);
  },
  FORK_NOT_SUPPORTED: () => startEnabled({ fork: true }),
  POLICY_INVALID: () => startEnabled({ policyText: 'maxAttempt: 3' }),
  IN_MERGE_QUEUE: () => startEnabled({ inMergeQueue: true }),
  BRANCH_SHARED: () => startEnabled({ merge: 'conflict', beside: [8] }),
  AUTO_MERGE_ON: () => startEnabled({ autoMerge: true }),
  MERGE_UNKNOWN: () => startEnabled({ merge: 'unknown' }),
  MERGE_UNKNOWN_TIMEOUT: () => andAgain(startEnabled({ merge: 'unknown' }), 30 * MINUTE_MS),
  MERGE_CONFLICT: () => startEnabled({ merge: 'conflict' }),
  BRANCH_BEHIND: () => startEnabled({ merge: 'behind', rules: UP_TO_DATE }),
  UPDATE_AWAITED: () => andAgain(startEnabled({ merge: 'behind', rules: UP_TO_DATE })),
  MERGE_QUEUE_FAILED: () => andAgain(startEnabled({ checks: [aCheck()], queueFailure: 'CI_FAILURE' }), 5 * MINUTE_MS),
  MERGE_QUEUE_UNEXPLAINED: () => {
    const policyText = 'merge: { updateBranch: false }';
    return andAgain(startEnabled({ checks: [aCheck()], queueFailure: 'CI_FAILURE', policyText }), 5 * MINUTE_MS);
  },
  PAUSED: () => startEnabled({ labels: ['ratchet:hold'] }),
  DRAFT_HELD: () => startEnabled({ draft: true, policyText: 'drafts: hold' }),
  OBSERVE_ONLY: () => startEnabled({ policyText: 'mode: observe' }),
  PUSH_FORBIDDEN: () => startEnabled({ rules: { ...UP_TO_DATE, pushRefusals: ['It takes signed commits only.'] } }),
  CI_FAILED: () => startEnabled(),
  QUALITY_FINDINGS: () => startFound(),
  CI_FLAKY: () => startFlaky(),
  RERUN_AWAITED: () => andAgain(startFlaky()),
  CI_NEEDS_PERSON: async () => {
    const pipeline = startPipeline();
    pipeline.github.setJobLog('##[error]Input required and not supplied: token');
    pipeline.comment('/ratchet enable');
    return again(pipeline);
  },
  BASE_REPAIRED: async () => {
    const pipeline = startPipeline();
    const { baseSha, checks } = pipeline.github.facts();
    pipeline.github.setMergeBase(fakeSha('fork point'));
    pipeline.github.setChecksAt(fakeSha('fork point'), checks);
    pipeline.github.setChecksAt(
      baseSha,
      checks.map((check) => ({ ...check, conclusion: 'success' })),
    );
    pipeline.comment('/ratchet enable');
    return again(pipeline);
  },
  RED_ON_BASE: async () => {
    const pipeline = startPipeline();
    pipeline.github.setChecksAt(pipeline.github.facts().baseSha, pipeline.github.facts().checks);
    pipeline.comment('/ratchet enable');
    return again(pipeline);
  },
  SAME_FAILURE: async () => {
    const pipeline = await startLaunched({ policyText: 'ci: { stopOnSameFailure: true }' });
    await pipeline.runFixup();
    pipeline.reportCi('failure');
    return again(pipeline);
  },
  REVIEW_COMMENTS: () => andAgain(startEnabled({ checks: [aCheck()], threads: [aThread()] }), 5 * MINUTE_MS),
  REVIEW_SETTLING: () => andAgain(startEnabled({ checks: [aCheck()], threads: [aFreshThread()] }), MINUTE_MS),
  REVIEW_NEEDS_PERSON: () =>
    andAgain(startEnabled({ checks: [aCheck()], reviews: [aReview({ author: null })] }), MINUTE_MS),
  ATTEMPTS_EXHAUSTED: () => startEnabled({ policyText: 'maxAttempts: 0' }),
  LAUNCHES_EXHAUSTED: () => startEnabled({ policyText: 'maxLaunchesPerDay: 0' }),
  AGENT_UNKNOWN: () => startEnabled({ policyText: 'agent: { name: claude }' }),
  AGENT_NOT_ALLOWED: async () => {
    const pipeline = startWithModel();
    pipeline.spend.list = { entries: ['others'], appOwner: null };
    return enable(pipeline);
  },
  AGENTS_SWITCHED_OFF: async () => {
    const pipeline = startPipeline();
    pipeline.store.switchAgentsOff({ repositoryId: null, offSince: NOW, by: 'ada', reason: 'too expensive' });
    return enable(pipeline);
  },
  BUDGET_EXHAUSTED: () =>
    enable(startWithModel({ pull_request: { maxMicroUsd: null, maxCalls: 0, maxTokens: null, maxTimeMs: null } })),
  BUDGET_AWAITED: () =>
    enable(startWithModel({ day: { maxMicroUsd: null, maxCalls: 0, maxTokens: null, maxTimeMs: null } })),
  MODEL_AWAITED: async () => {
    const pipeline = startWithModel();
    pipeline.gateway.willSee({ lastCall: 'rate_limited' });
    await enable(pipeline);
    await pipeline.runFixup();
    return again(pipeline);
  },
  MODEL_UNUSABLE: async () => {
    const pipeline = startWithModel();
    pipeline.gateway.setKey(null);
    return enable(pipeline);
  },
  STOPPED_SAME_CAUSE: async () => {
    const pipeline = await startLaunched();
    pipeline.agent.answer('failure', 'no idea');
    await pipeline.runFixup();
    return again(pipeline);
  },
  TAKEN_BACK: async () => {
    const pipeline = await startPushed();
    pipeline.revertFromOutside(fakeSha('revert'));
    pipeline.reportCi('failure');
    return again(pipeline);
  },
  ALL_GREEN: () => andAgain(startEnabled({ checks: [aCheck()] }), MINUTE_MS),
};

/** Its agent calls a model. */
export function startWithModel(limits: SpendLimits = {}): Pipeline {
  const pipeline = startPipeline();
  pipeline.agent.useModel();
  pipeline.spend.limits = limits;
  return pipeline;
}

function enable(pipeline: Pipeline): Promise<Pipeline> {
  pipeline.comment('/ratchet enable');
  return again(pipeline);
}

/** Red by a runner that was lost. */
/** CI is green, and the engines have finished on the head with one new finding. */
export async function startFound(
  change: Partial<QualityRun> = {},
  policyText = 'fix: engines\nci: { settleSeconds: 0 }',
): Promise<Pipeline> {
  const pipeline = startPipeline({ checks: [aCheck()], policyText });
  const { headSha } = pipeline.github.facts();
  const id = parseRunId('quality-1');
  pipeline.store.beginQualityRun({
    ...{ id, key: pipeline.key, headSha, wantKey: 'want', status: 'running', conclusion: null },
    ...{ newFindings: [], startedAt: NOW, endedAt: null, ...change },
  });
  if (change.status !== 'running') {
    const newFindings = change.newFindings ?? [A_NEW_FINDING];
    const conclusion = change.conclusion ?? 'failure';
    pipeline.store.endQualityRun(id, { conclusion, newFindings, at: NOW, report: null, askId: null });
  }
  pipeline.comment('/ratchet enable');
  return again(pipeline);
}

export const A_NEW_FINDING: AcceptedFinding = {
  ...{ tool: 'eslint', kind: 'lint', rule: 'no-var', severity: 'high', fingerprint: 'f'.repeat(64) },
  ...{ message: 'Unexpected var.', path: 'src/a.js', line: 3 },
};

async function startFlaky(): Promise<Pipeline> {
  const pipeline = startPipeline({ checks: [aCheck({ conclusion: 'failure', workflowRunId: 71 })] });
  pipeline.github.setJobLog('The hosted runner lost communication with the server.');
  pipeline.comment('/ratchet enable');
  return again(pipeline);
}

/** Written while the pull request is looked at. */
function aFreshThread(): ReturnType<typeof aThread> {
  const thread = aThread();
  const comments = thread.comments.map((comment) => ({ ...comment, updatedAt: NOW + MINUTE_MS }));
  return { ...thread, comments };
}

async function again(pipeline: Pipeline, afterMs = 0): Promise<Pipeline> {
  pipeline.clock.advance(afterMs);
  await pipeline.evaluate();
  return pipeline;
}

async function andAgain(started: Promise<Pipeline>, afterMs = 0): Promise<Pipeline> {
  return again(await started, afterMs);
}
