import { z } from 'zod';
import { CIRCUIT_FAULTS } from '../core/model/agent-standing.ts';
import { DECISION_CODES } from '../core/model/decision.ts';
import { type EpochMs, parseSha } from '../core/model/ids.ts';
import { BUDGET_SCOPES, BUDGET_UNITS } from '../core/model/model-use.ts';
import { MERGE_STATES, PULL_REQUEST_STATES, REVIEW_DECISIONS } from '../core/model/pull-request.ts';
import { FIXUP_KINDS } from '../core/model/session.ts';
import { CI_STATUSES, LEFT_WHYS, type Snapshot } from '../core/model/snapshot.ts';
import { DecisionPolicyJson } from './decision-policy.ts';
import { EXPECTED_INSTANT, Instant, toIsoText } from './instant.ts';
import { parseBySchema } from './invalid-input.ts';

/** The last instant of JavaScript's `Date`. */
const MAX_EPOCH_MS = 8_640_000_000_000_000;

const Count = z.int().min(0);
const Sha = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .transform(parseSha);
/** Rows of earlier versions contain epoch milliseconds. */
const AnyInstant = z.union([Instant, z.int().min(0).max(MAX_EPOCH_MS)], EXPECTED_INSTANT);

/** The findings of the closer look at red CI. Missing ones were not found. */
const CiFailureJson = z.strictObject({
  rerunnable: z.boolean().default(false),
  repairedOnBase: z.boolean().default(false),
  person: z.strictObject({ name: z.string(), line: z.string() }).nullable().default(null),
  redOnBase: z.boolean().default(false),
  sameAsBefore: z.boolean().default(false),
});

const LeftItemJson = z.strictObject({
  why: z.enum(LEFT_WHYS),
  by: z.string().nullable().default(null),
  path: z.string().nullable().default(null),
  answer: z.string().default(''),
});

/** Whether an agent may be launched. */
const AgentStandingJson = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('unknown'), agent: z.string() }),
  z.strictObject({ kind: z.literal('model_unknown'), agent: z.string(), model: z.string() }),
  z.strictObject({ kind: z.literal('unpriced'), agent: z.string(), model: z.string() }),
  z.strictObject({ kind: z.literal('owner_unknown') }),
  z.strictObject({ kind: z.literal('not_allowed'), agent: z.string() }),
  z.strictObject({
    kind: z.literal('switched_off'),
    isEverywhere: z.boolean(),
    by: z.string(),
    reason: z.string(),
    since: AnyInstant,
  }),
  z.strictObject({
    kind: z.literal('over_budget'),
    scope: z.enum(BUDGET_SCOPES),
    what: z.enum(BUDGET_UNITS),
    limit: Count,
    used: Count,
    until: AnyInstant.nullable(),
  }),
  z.strictObject({
    kind: z.literal('circuit_open'),
    agent: z.string(),
    fault: z.enum(CIRCUIT_FAULTS),
    until: AnyInstant.nullable(),
    isTried: z.boolean().default(false),
  }),
]);

/** A snapshot as JSON, for `explain decision`, the transition log and the admin API. Unknown keys are an error. */
export const SnapshotJson = z.strictObject({
  pullRequest: z
    .strictObject({
      state: z.enum(PULL_REQUEST_STATES),
      draft: z.boolean().default(false),
      fork: z.boolean().default(false),
      autoMerge: z.boolean().default(false),
      inMergeQueue: z.boolean().default(false),
      queueFailure: z.string().nullable().default(null),
      // The default is the dangerous value: a push under auto-merge needs proof that it dismisses approvals.
      approvalsSurvive: z.boolean().default(true),
      holdLabel: z.boolean().default(false),
      mustBeUpToDate: z.boolean().default(false),
      pushForbidden: z.string().nullable().default(null),
      beside: z.array(z.int().min(1)).default([]),
    })
    .nullable(),
  ci: z.strictObject({
    status: z.enum(CI_STATUSES),
    runId: z.string().nullable(),
    running: z.boolean().nullable().default(null),
    unapproved: z.boolean().default(false),
    missing: z.array(z.strictObject({ name: z.string(), near: z.string().nullable().default(null) })).default([]),
    failure: CiFailureJson.nullable().default(null),
  }),
  quality: z.strictObject({ new: Count }).exactOptional(),
  merge: z.enum(MERGE_STATES),
  review: z.strictObject({
    actionable: Count,
    newestAt: AnyInstant.nullable().default(null),
    left: Count.default(0),
    leftItems: z.array(LeftItemJson).default([]),
    otherOpen: Count.default(0),
    changesRequestedBy: z.array(z.string()).default([]),
    decision: z.enum(REVIEW_DECISIONS).nullable().default(null),
  }),
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
    pausedBeside: z.int().min(1).nullable().default(null),
    takenBack: z
      .strictObject({
        commitSha: Sha,
        action: z.enum(FIXUP_KINDS),
        by: z.string().nullable().default(null),
        at: AnyInstant,
      })
      .nullable()
      .default(null),
    rerun: z.strictObject({ ciRunId: z.string(), at: AnyInstant }).nullable().default(null),
    updateAskedAt: AnyInstant.nullable().default(null),
  }),
  agent: AgentStandingJson.default({ kind: 'ready' }),
  mergeNeedsAgent: z.boolean().default(false),
  causeKey: z.string().nullable().default(null),
  workingSession: z.boolean(),
  sessionBeside: z.int().min(1).nullable().default(null),
  policyErrors: z.array(z.string()).default([]),
  now: AnyInstant,
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
  const { pullRequest, ratchet, review } = snapshot;
  const { rerun, takenBack } = ratchet;
  return {
    ...snapshot,
    pullRequest: pullRequest === null ? null : { ...pullRequest, beside: [...pullRequest.beside] },
    ci: { ...snapshot.ci, missing: [...snapshot.ci.missing] },
    review: {
      ...review,
      newestAt: toNullableIsoText(review.newestAt),
      leftItems: review.leftItems.map((item) => ({ ...item })),
      changesRequestedBy: [...review.changesRequestedBy],
    },
    ratchet: {
      ...ratchet,
      staleCiSince: toNullableIsoText(ratchet.staleCiSince),
      waitingSince: toNullableIsoText(ratchet.waitingSince),
      takenBack: takenBack === null ? null : { ...takenBack, at: toIsoText(takenBack.at) },
      rerun: rerun === null ? null : { ...rerun, at: toIsoText(rerun.at) },
      updateAskedAt: toNullableIsoText(ratchet.updateAskedAt),
    },
    agent: toAgentJson(snapshot.agent),
    policyErrors: [...snapshot.policyErrors],
    now: toIsoText(snapshot.now),
  };
}

function toAgentJson(agent: Snapshot['agent']): SnapshotJson['agent'] {
  switch (agent.kind) {
    case 'switched_off':
      return { ...agent, since: toIsoText(agent.since) };
    case 'over_budget':
    case 'circuit_open':
      return { ...agent, until: toNullableIsoText(agent.until) };
    default:
      return agent;
  }
}

function toNullableIsoText(at: EpochMs | null): string | null {
  return at === null ? null : toIsoText(at);
}
