import { z } from 'zod';
import type { EpochMs } from '../core/model/ids.ts';
import type { Snapshot } from '../core/model/snapshot.ts';
import { DecisionCode } from './decision-code.ts';
import { DecisionPolicyJson } from './decision-policy.ts';
import { Instant, toIsoText } from './instant.ts';
import { parseBySchema } from './invalid-input.ts';

const Count = z.int().min(0);
const Text = z.string().max(10_000);

/** The findings of the closer look at red CI. Missing ones were not found. */
const CiFailureJson = z.strictObject({
  rerunnable: z.boolean().default(false),
  redOnBase: z.boolean().default(false),
  sameAsBefore: z.boolean().default(false),
});

/** A snapshot as JSON, the input of `explain decision`. Unknown keys are an error. */
export const SnapshotJson = z.strictObject({
  pullRequest: z
    .strictObject({
      state: z.enum(['open', 'closed', 'merged']),
      draft: z.boolean().default(false),
      fork: z.boolean().default(false),
      autoMerge: z.boolean().default(false),
      inMergeQueue: z.boolean().default(false),
      // The default is the dangerous value: a push under auto-merge needs proof that it dismisses approvals.
      approvalsSurvive: z.boolean().default(true),
      holdLabel: z.boolean().default(false),
      mustBeUpToDate: z.boolean().default(false),
      pushForbidden: Text.nullable().default(null),
    })
    .nullable(),
  ci: z.strictObject({
    status: z.enum(['none', 'pending', 'failure', 'success', 'blocked']),
    runId: Text.nullable(),
    running: z.boolean().nullable().default(null),
    failure: CiFailureJson.nullable().default(null),
  }),
  merge: z.enum(['clean', 'conflict', 'behind', 'unknown']),
  review: z.strictObject({ actionable: Count, newestAt: Instant.nullable().default(null) }),
  ratchet: z.strictObject({
    enabled: z.boolean(),
    consecutiveAttempts: Count,
    launchesToday: Count.default(0),
    lastCiRunId: Text.nullable(),
    staleCiSince: Instant.nullable(),
    stoppedFor: Text.nullable().default(null),
    waitingFor: DecisionCode.nullable().default(null),
    waitingSince: Instant.nullable().default(null),
    paused: z.boolean().default(false),
    rerun: z.strictObject({ ciRunId: Text, at: Instant }).nullable().default(null),
    updateAskedAt: Instant.nullable().default(null),
  }),
  causeKey: Text.nullable().default(null),
  workingSession: z.boolean(),
  policyErrors: z.array(Text).max(1000).default([]),
  now: Instant,
  policy: DecisionPolicyJson,
});
/** The written form, in which keys with defaults are optional. */
export type SnapshotJson = z.input<typeof SnapshotJson>;

/** @throws InvalidInputError that names each problem and its place. */
export function parseSnapshot(json: unknown): Snapshot {
  return parseBySchema(SnapshotJson, json);
}

/** Returns the complete JSON of a snapshot. `parseSnapshot` returns the same snapshot. */
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
