import type { PullRequestFacts, ReviewThread } from '../../src/core/model/pull-request.ts';
import { aCheck, aComment, aThread, NOW } from './builders.ts';
import { MINUTE_MS, type Pipeline, REVIEWER, startEnabled } from './pipeline-fixture.ts';

/** Before the quiet time of a review. */
export const LONG_AGO = NOW - 10 * MINUTE_MS;

/** An open thread that a reviewer opened long ago. */
export function aTalk(id: string, change: Partial<ReviewThread> = {}): ReviewThread {
  const at = { createdAt: LONG_AGO, updatedAt: LONG_AGO };
  return aThread({ id, path: `src/${id}.ts`, comments: [aComment({ author: REVIEWER, ...at })], ...change });
}

/** Two open threads. */
export const THREADS = [aTalk('thread-1'), aTalk('thread-2')];

/** Green but for its reviews, and enabled: the first look launches a review fixup. */
export async function startReviewed(change: Partial<PullRequestFacts> = {}): Promise<Pipeline> {
  const pipeline = await startEnabled({ checks: [aCheck()], threads: THREADS, ...change });
  pipeline.clock.advance(2 * MINUTE_MS);
  await pipeline.evaluate();
  return pipeline;
}

/** The fixup is pushed, and nobody has looked at the pull request since. */
export async function startAnswered(change: Partial<PullRequestFacts> = {}): Promise<Pipeline> {
  const pipeline = await startReviewed(change);
  pipeline.agent.answerItems({ status: 'fixed' });
  await pipeline.runFixup();
  return pipeline;
}

/** The files that the agent was given. */
export function evidenceOf(pipeline: Pipeline): readonly (readonly [string, string])[] {
  return [...pipeline.sites.evidence];
}

/** Codes of the transition log, newest first. */
export function codesOf(pipeline: Pipeline): readonly string[] {
  return pipeline.transitions().map(({ code }) => code);
}

/** The threads that Ratchet asked GitHub to resolve. */
export const resolvedBy = ({ github }: Pipeline): readonly string[] =>
  github.asked.filter((what) => what.startsWith('resolveThread'));
