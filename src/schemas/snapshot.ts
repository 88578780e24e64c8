import { z } from 'zod';
import type { DecisionPolicy, Snapshot } from '../core/model/snapshot.ts';
import { DecisionCode } from './decision-code.ts';
import { Instant, toIsoText } from './instant.ts';
import { parseBySchema } from './invalid-input.ts';

const Count = z.int().min(0);
const Text = z.string().max(10_000);

const DEFAULT_DECISION_POLICY: DecisionPolicy = {
  maxAttempts: 3,
  maxLaunchesPerDay: 20,
  staleCiTimeoutSeconds: 300,
  ciTimeoutSeconds: 21_600,
  mergeTimeoutSeconds: 1800,
};

/** A snapshot as JSON: the input of `explain decision` and the column of the transition log. Unknown keys are an error. */
export const SnapshotJson = z.strictObject({
  pullRequest: z
    .strictObject({
      state: z.enum(['open', 'closed', 'merged']),
      draft: z.boolean().default(false),
      fork: z.boolean().default(false),
      autoMerge: z.boolean().default(false),
      inMergeQueue: z.boolean().default(false),
    })
    .nullable(),
  ci: z.strictObject({
    status: z.enum(['none', 'pending', 'failure', 'success', 'blocked']),
    runId: Text.nullable(),
  }),
  merge: z.enum(['clean', 'conflict', 'behind', 'unknown']),
  review: z.strictObject({ actionable: Count }),
  ratchet: z.strictObject({
    enabled: z.boolean(),
    consecutiveAttempts: Count,
    launchesToday: Count.default(0),
    lastCiRunId: Text.nullable(),
    staleCiSince: Instant.nullable(),
    stoppedFor: Text.nullable().default(null),
    waitingFor: DecisionCode.nullable().default(null),
    waitingSince: Instant.nullable().default(null),
  }),
  causeKey: Text.nullable().default(null),
  workingSession: z.boolean(),
  policyErrors: z.array(Text).max(1000).default([]),
  now: Instant,
  policy: z
    .strictObject({
      maxAttempts: Count.default(DEFAULT_DECISION_POLICY.maxAttempts),
      maxLaunchesPerDay: Count.default(DEFAULT_DECISION_POLICY.maxLaunchesPerDay),
      staleCiTimeoutSeconds: Count.default(DEFAULT_DECISION_POLICY.staleCiTimeoutSeconds),
      ciTimeoutSeconds: Count.default(DEFAULT_DECISION_POLICY.ciTimeoutSeconds),
      mergeTimeoutSeconds: Count.default(DEFAULT_DECISION_POLICY.mergeTimeoutSeconds),
    })
    .default(DEFAULT_DECISION_POLICY),
});
/** The written form: what may be left out is optional. */
export type SnapshotJson = z.input<typeof SnapshotJson>;

/** @throws InvalidInputError naming each problem and its place. */
export function parseSnapshot(json: unknown): Snapshot {
  return parseBySchema(SnapshotJson, json);
}

/** The JSON of a snapshot, complete; `parseSnapshot` gives the same snapshot back. */
export function toSnapshotJson(snapshot: Snapshot): SnapshotJson {
  const { ratchet } = snapshot;
  return {
    ...snapshot,
    ratchet: {
      ...ratchet,
      staleCiSince: ratchet.staleCiSince === null ? null : toIsoText(ratchet.staleCiSince),
      waitingSince: ratchet.waitingSince === null ? null : toIsoText(ratchet.waitingSince),
    },
    policyErrors: [...snapshot.policyErrors],
    now: toIsoText(snapshot.now),
  };
}
