import type { DecisionCode } from '../../src/core/model/decision.ts';
import { aCheck, aThread } from './builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startLaunched, startPushed } from './pipeline-fixture.ts';

const RUNNING = aCheck({ status: 'in_progress', conclusion: null });

/** Ways to bring the loop to one decision: the last iteration that ran has made it. One for each code. */
export const DECISION_STORIES: Readonly<Record<DecisionCode, () => Promise<Pipeline>>> = {
  WORKING_SESSION: () => andAgain(startLaunched()),
  NO_PR: async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    pipeline.github.remove();
    return again(pipeline);
  },
  PR_NOT_OPEN: () => startEnabled({ state: 'merged' }),
  CI_RUNNING: () => startEnabled({ checks: [RUNNING] }),
  CI_TIMEOUT: () => andAgain(startEnabled({ checks: [RUNNING] }), 360 * MINUTE_MS),
  CI_BLOCKED: () => startEnabled({ checks: [aCheck({ conclusion: 'action_required' })] }),
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
  AUTO_MERGE_ON: () => startEnabled({ autoMerge: true }),
  MERGE_UNKNOWN: () => startEnabled({ merge: 'unknown' }),
  MERGE_UNKNOWN_TIMEOUT: () => andAgain(startEnabled({ merge: 'unknown' }), 30 * MINUTE_MS),
  MERGE_CONFLICT: () => startEnabled({ merge: 'conflict' }),
  CI_FAILED: () => startEnabled(),
  REVIEW_COMMENTS: () => andAgain(startEnabled({ checks: [aCheck()], threads: [aThread()] }), MINUTE_MS),
  ATTEMPTS_EXHAUSTED: () => startEnabled({ policyText: 'maxAttempts: 0' }),
  LAUNCHES_EXHAUSTED: () => startEnabled({ policyText: 'maxLaunchesPerDay: 0' }),
  STOPPED_SAME_CAUSE: () => andAgain(startEnabled({ merge: 'conflict' })),
  ALL_GREEN: () => andAgain(startEnabled({ checks: [aCheck()] }), MINUTE_MS),
};

async function again(pipeline: Pipeline, afterMs = 0): Promise<Pipeline> {
  pipeline.clock.advance(afterMs);
  await pipeline.evaluate();
  return pipeline;
}

async function andAgain(started: Promise<Pipeline>, afterMs = 0): Promise<Pipeline> {
  return again(await started, afterMs);
}
