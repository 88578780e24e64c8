import { z } from 'zod';
import { DECISION_CODES } from '../core/model/decision.ts';
import { DEFAULT_POLICY } from '../core/model/default-policy.ts';
import type { EpochMs } from '../core/model/ids.ts';
import { MERGE_STATES, PULL_REQUEST_STATES } from '../core/model/pull-request.ts';
import { CI_STATUSES, type Snapshot } from '../core/model/snapshot.ts';
import { toDecisionPolicy } from '../core/policy/to-decision-policy.ts';
import { EXPECTED_INSTANT, Instant, toIsoText } from './instant.ts';
import { parseBySchema } from './invalid-input.ts';

/** The last instant that ISO 8601 can tell here. */
const MAX_EPOCH_MS = 8_640_000_000_000_000;

const Count = z.int().min(0);
/** Rows of versions before this one hold epoch milliseconds. */
const AnyInstant = z.union([Instant, z.int().min(0).max(MAX_EPOCH_MS)], EXPECTED_INSTANT);

const DEFAULT_DECISION_POLICY = toDecisionPolicy(DEFAULT_POLICY);

const DecisionPolicyJson = z.strictObject({
  maxAttempts: Count.default(DEFAULT_DECISION_POLICY.maxAttempts),
  maxLaunchesPerDay: Count.default(DEFAULT_DECISION_POLICY.maxLaunchesPerDay),
  staleCiTimeoutSeconds: Count.default(DEFAULT_DECISION_POLICY.staleCiTimeoutSeconds),
  ciTimeoutSeconds: Count.default(DEFAULT_DECISION_POLICY.ciTimeoutSeconds),
  mergeTimeoutSeconds: Count.default(DEFAULT_DECISION_POLICY.mergeTimeoutSeconds),
  mode: z.enum(['observe', 'suggest', 'push']).default(DEFAULT_DECISION_POLICY.mode),
  holdDrafts: z.boolean().default(DEFAULT_DECISION_POLICY.holdDrafts),
  resolveConflicts: z.boolean().default(DEFAULT_DECISION_POLICY.resolveConflicts),
  fixReviews: z.boolean().default(DEFAULT_DECISION_POLICY.fixReviews),
  reviewQuietSeconds: Count.default(DEFAULT_DECISION_POLICY.reviewQuietSeconds),
  fixRedOnBase: z.boolean().default(DEFAULT_DECISION_POLICY.fixRedOnBase),
  stopOnSameFailure: z.boolean().default(DEFAULT_DECISION_POLICY.stopOnSameFailure),
  disarmAutoMerge: z.boolean().default(DEFAULT_DECISION_POLICY.disarmAutoMerge),
});

/** What a closer look at red CI found; what is left out was not found. */
const CiFailureJson = z.strictObject({
  rerunnable: z.boolean().default(false),
  redOnBase: z.boolean().default(false),
  sameAsBefore: z.boolean().default(false),
});

/** A snapshot as JSON: input of `explain decision`, column of the transition log, answer of the admin API. Unknown keys are an error. */
export const SnapshotJson = z.strictObject({
  pullRequest: z
    .strictObject({
      state: z.enum(PULL_REQUEST_STATES),
      draft: z.boolean().default(false),
      fork: z.boolean().default(false),
      autoMerge: z.boolean().default(false),
      inMergeQueue: z.boolean().default(false),
      // Unknown counts as the dangerous answer: only proof that a push dismisses approvals lets one happen under auto-merge.
      approvalsSurvive: z.boolean().default(true),
      holdLabel: z.boolean().default(false),
      mustBeUpToDate: z.boolean().default(false),
      pushForbidden: z.string().nullable().default(null),
    })
    .nullable(),
  ci: z.strictObject({
    status: z.enum(CI_STATUSES),
    runId: z.string().nullable(),
    running: z.boolean().nullable().default(null),
    failure: CiFailureJson.nullable().default(null),
  }),
  merge: z.enum(MERGE_STATES),
  review: z.strictObject({ actionable: Count, newestAt: AnyInstant.nullable().default(null) }),
  ratchet: z.strictObject({
    enabled: z.boolean(),
    consecutiveAttempts: Count,
    launchesToday: Count.default(0),
    lastCiRunId: z.string().nullable(),
    staleCiSince: AnyInstant.nullable(),
    stoppedFor: z.string().nullable().default(null),
    waitingFor: z.enum(DECISION_CODES).nullable().default(null),
    waitingSince: AnyInstant.nullable().default(null),
    paused: z.boolean().default(false),
    rerun: z.strictObject({ ciRunId: z.string(), at: AnyInstant }).nullable().default(null),
    updateAskedAt: AnyInstant.nullable().default(null),
  }),
  causeKey: z.string().nullable().default(null),
  workingSession: z.boolean(),
  policyErrors: z.array(z.string()).default([]),
  now: AnyInstant,
  policy: DecisionPolicyJson.default(DEFAULT_DECISION_POLICY),
});
/** The written form: what may be left out is optional. */
export type SnapshotJson = z.input<typeof SnapshotJson>;

/** @throws InvalidInputError naming each problem and its place. */
export function parseSnapshot(json: unknown): Snapshot {
  return parseBySchema(SnapshotJson, json);
}

/** The JSON of a snapshot, complete; `parseSnapshot` gives the same snapshot back. */
export function toSnapshotJson(snapshot: Snapshot): SnapshotJson {
  const { ratchet, review } = snapshot;
  const { rerun } = ratchet;
  return {
    ...snapshot,
    review: { ...review, newestAt: toNullableIsoText(review.newestAt) },
    ratchet: {
      ...ratchet,
      staleCiSince: toNullableIsoText(ratchet.staleCiSince),
      waitingSince: toNullableIsoText(ratchet.waitingSince),
      rerun: rerun === null ? null : { ...rerun, at: toIsoText(rerun.at) },
      updateAskedAt: toNullableIsoText(ratchet.updateAskedAt),
    },
    policyErrors: [...snapshot.policyErrors],
    now: toIsoText(snapshot.now),
  };
}

function toNullableIsoText(at: EpochMs | null): string | null {
  return at === null ? null : toIsoText(at);
}
