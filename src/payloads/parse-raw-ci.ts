import { z } from 'zod';
import type { CiInput } from '../core/ci/ci-verdict.ts';
import { describeIgnoredRequired, findIgnoredRequired } from '../core/ci/ignored-required.ts';
import { Instant } from '../schemas/instant.ts';
import { parseBySchema } from '../schemas/invalid-input.ts';
import { RawCheckRun, RawStatus, RawWorkflowRun, toRestResults } from './to-rest-ci-results.ts';

const MAX_RESULTS = 10_000;
const MAX_NAMES = 1000;
/** Same limit as in the policy file. */
const MAX_SETTLE_SECONDS = 86_400;
const DEFAULT_POLICY = { settleSeconds: 60, required: null, ignore: [] };

/** Input of `explain ci`. Our own fields are strict; of GitHub's objects only the used fields are checked. */
const ExplainCiInput = z.strictObject({
  headSha: z.string().min(1),
  headPushedAt: Instant,
  now: Instant,
  ratchetAppId: z.int().nullable().default(null),
  checkRuns: z.array(RawCheckRun).max(MAX_RESULTS).default([]),
  statuses: z.array(RawStatus).max(MAX_RESULTS).default([]),
  workflowRuns: z.array(RawWorkflowRun).max(MAX_RESULTS).default([]),
  policy: z
    .strictObject({
      settleSeconds: z.number().min(0).max(MAX_SETTLE_SECONDS).default(DEFAULT_POLICY.settleSeconds),
      required: z.array(z.string().min(1)).min(1).max(MAX_NAMES).nullable().default(DEFAULT_POLICY.required),
      ignore: z.array(z.string().min(1)).max(MAX_NAMES).default(DEFAULT_POLICY.ignore),
    })
    .superRefine((names, context) => {
      const ignored = findIgnoredRequired(names);
      if (ignored.length === 0) return;
      context.addIssue({ code: 'custom', path: ['required'], message: describeIgnoredRequired(ignored) });
    })
    .default(DEFAULT_POLICY),
});

/**
 * The input of the CI verdict, from raw REST answers. It never proves that there is no CI, so a head without results
 * stays pending.
 * @throws InvalidInputError that lists each problem with its place.
 */
export function parseExplainCiInput(json: unknown): CiInput {
  const { headSha, headPushedAt, now, ratchetAppId, policy, ...raw } = parseBySchema(ExplainCiInput, json);
  const checks = toRestResults(raw, headSha);
  return { headSha, headPushedAt, now, ownAppId: ratchetAppId, checks, policy, noCiProven: false };
}
