import { z } from 'zod';
import { InvariantError } from '../../core/model/errors.ts';
import type { Command, CommandName } from '../../core/model/event.ts';
import { parseSha } from '../../core/model/ids.ts';
import type { Fixup, RejectCode, SessionOutcome, SupersededBy } from '../../core/model/session.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Diagnosis, Flake, Stop, Workspace } from '../../core/model/workspace.ts';
import type { IntentEffect } from '../../ports/store.ts';
import { DecisionCode } from '../../schemas/decision-code.ts';

/** The place of a stored value, for error messages. */
export interface ColumnPlace {
  readonly table: string;
  readonly column: string;
  readonly id: string | number;
}

/** Parses a stored value. @throws InvariantError that names table, column and row, never the content. */
export function parseColumn<Value>(schema: z.ZodType<Value>, stored: unknown, place: ColumnPlace): Value {
  return parseStored(() => schema.parse(stored), place);
}

/** Like `parseColumn`, for JSON text. */
export function parseJsonColumn<Value>(schema: z.ZodType<Value>, text: string, place: ColumnPlace): Value {
  return parseStored(() => schema.parse(JSON.parse(text)), place);
}

/** Like `parseJsonColumn`, for a nullable column. */
export function parseNullableJsonColumn<Value>(
  schema: z.ZodType<Value>,
  text: string | null,
  place: ColumnPlace,
): Value | null {
  return text === null ? null : parseJsonColumn(schema, text, place);
}

function parseStored<Value>(parse: () => Value, place: ColumnPlace): Value {
  try {
    return parse();
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON, or holds a bad identifier';
    throw new InvariantError(`${place.table}.${place.column} of row ${place.id} cannot be read: ${why}`);
  }
}

// The `satisfies` clauses make a missing or extra name a compile error.
const rejectCodes = {
  AGENT_CRASHED: 'AGENT_CRASHED',
  AGENT_TIMEOUT: 'AGENT_TIMEOUT',
  AGENT_UNAVAILABLE: 'AGENT_UNAVAILABLE',
  AGENT_OUTPUT_FLOOD: 'AGENT_OUTPUT_FLOOD',
  RESULT_INVALID: 'RESULT_INVALID',
  AGENT_FAILED: 'AGENT_FAILED',
  AGENT_BLOCKED: 'AGENT_BLOCKED',
  NO_CHANGE: 'NO_CHANGE',
  PATH_NOT_ALLOWED: 'PATH_NOT_ALLOWED',
  PROTECTED_PATH: 'PROTECTED_PATH',
  UNSAFE_ENTRY: 'UNSAFE_ENTRY',
  DIFF_TOO_LARGE: 'DIFF_TOO_LARGE',
  TESTS_DELETED: 'TESTS_DELETED',
  CONFLICT_MARKERS: 'CONFLICT_MARKERS',
  SECRET_FOUND: 'SECRET_FOUND',
  NO_VALIDATION: 'NO_VALIDATION',
  SETUP_FAILED: 'SETUP_FAILED',
  VALIDATION_FAILED: 'VALIDATION_FAILED',
  VALIDATION_TIMEOUT: 'VALIDATION_TIMEOUT',
  PROCESSES_LEFT: 'PROCESSES_LEFT',
  SANDBOX_UNAVAILABLE: 'SANDBOX_UNAVAILABLE',
  WORKSPACE_FAILED: 'WORKSPACE_FAILED',
  PUSH_REFUSED: 'PUSH_REFUSED',
  MERGE_NOT_RESOLVED: 'MERGE_NOT_RESOLVED',
  WORKFLOWS_FORBIDDEN: 'WORKFLOWS_FORBIDDEN',
  REVERTED_BEFORE: 'REVERTED_BEFORE',
  NOT_ANSWERED: 'NOT_ANSWERED',
  UNASKED_CHANGE: 'UNASKED_CHANGE',
} as const satisfies { readonly [Code in RejectCode]: Code };

const supersededBy = {
  head_moved: 'head_moved',
  closed: 'closed',
  disabled: 'disabled',
  permission: 'permission',
  stopped: 'stopped',
  paused: 'paused',
  shutdown: 'shutdown',
  cause_gone: 'cause_gone',
} as const satisfies { readonly [Why in SupersededBy]: Why };

const StoredSha = z.string().transform((value) => parseSha(value));
const StoredInstant = z.number().nullable();

/** Stored form of `Workspace.stop`. */
export const StoredStop: z.ZodType<Stop> = z.strictObject({
  causeKey: z.string(),
  code: z.enum({
    ...DecisionCode.enum,
    NO_PUSH: 'NO_PUSH',
    NEEDS_HUMAN: 'NEEDS_HUMAN',
    SUGGESTED: 'SUGGESTED',
    DECLINED: 'DECLINED',
  }),
  reason: z.string(),
});

/** Stored form of `Workspace.pause`. */
export const StoredPause: z.ZodType<NonNullable<Workspace['pause']>> = z.strictObject({
  by: z.strictObject({ id: z.number(), login: z.string(), kind: z.enum(['user', 'bot']) }),
  at: z.number(),
});

/** Stored form of `Workspace.diagnosis`. */
export const StoredDiagnosis: z.ZodType<Diagnosis> = z.strictObject({
  ciRunId: z.string(),
  flaky: z.array(z.string()),
  redOnBase: z.array(z.string()),
  signature: z.string(),
});

/** Stored form of `Workspace.flakes`. */
export const StoredFlakes: z.ZodType<readonly Flake[]> = z.array(
  z.strictObject({ name: z.string(), headSha: StoredSha, at: z.number() }),
);

const commandName = z.enum({
  enable: 'enable',
  disable: 'disable',
  stop: 'stop',
  pause: 'pause',
  resume: 'resume',
  retry: 'retry',
  undo: 'undo',
  check: 'check',
  rebaseline: 'rebaseline',
  status: 'status',
  why: 'why',
  help: 'help',
} as const satisfies { readonly [Name in CommandName]: Name });

/** Stored form of a command of a comment. */
export const StoredCommandJson: z.ZodType<Command> = z.union([
  z.strictObject({ name: commandName, args: z.array(z.string()) }),
  z.strictObject({ name: z.literal('unknown'), written: z.string(), nearest: commandName.nullable() }),
]);

/** Stored form of `Session.fixup`. */
export const StoredFixup: z.ZodType<Fixup> = z.strictObject({
  action: z.enum(['FIX_MERGE_CONFLICT', 'FIX_CI', 'FIX_REVIEW']),
  causeKey: z.string(),
  headSha: StoredSha,
  headRef: z.string(),
  baseSha: StoredSha,
  attempt: z.number(),
  agent: z.string(),
  signature: z.string().nullable().default(null),
});

const DiffStat = z.strictObject({ files: z.number(), insertions: z.number(), deletions: z.number() });

const ValidationRuns = z.array(
  z.strictObject({
    command: z.string(),
    exitCode: z.number().nullable(),
    timedOut: z.boolean(),
    durationMs: z.number(),
    tail: z.string(),
    failedBefore: z.literal(true).exactOptional(),
  }),
);

const Answers = z.array(
  z.strictObject({
    itemId: z.string(),
    status: z.enum(['fixed', 'declined', 'needs_human']),
    reason: z.string(),
    newestCommentId: z.number().nullable(),
  }),
);

// Fields with a `default` were not stored by earlier versions.
const PushedOutcome = z.strictObject({
  kind: z.literal('pushed'),
  commitSha: StoredSha,
  diff: DiffStat,
  files: z.array(z.string()),
  summary: z.string(),
  validation: ValidationRuns,
  madeBy: z.enum(['agent', 'git', 'rerere', 'regeneration']).default('agent'),
  patchId: z.string().nullable().default(null),
  answers: Answers.default([]),
});

/** Stored form of `Intent.effect`. */
export const StoredEffect: z.ZodType<IntentEffect> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('launch') }),
  z.strictObject({
    kind: z.literal('push'),
    commitSha: StoredSha,
    branch: z.string(),
    oldSha: StoredSha,
    outcome: PushedOutcome,
  }),
  z.strictObject({ kind: z.literal('answer'), commitSha: StoredSha, answers: Answers }),
  z.strictObject({
    kind: z.literal('rerun'),
    freshStart: z.number(),
    headSha: StoredSha,
    ciRunId: z.string(),
    names: z.array(z.string()),
  }),
  z.strictObject({
    kind: z.literal('update_branch'),
    freshStart: z.number(),
    headSha: StoredSha,
    baseSha: StoredSha,
    ciRunId: z.string().nullable(),
  }),
]);

/** Stored form of `Session.outcome`. */
export const StoredOutcome: z.ZodType<SessionOutcome> = z.discriminatedUnion('kind', [
  PushedOutcome,
  z.strictObject({
    kind: z.literal('suggested'),
    patch: z.string(),
    diff: DiffStat,
    files: z.array(z.string()),
    summary: z.string(),
    validation: ValidationRuns,
  }),
  z.strictObject({ kind: z.literal('declined'), answers: Answers, summary: z.string() }),
  z.strictObject({
    kind: z.literal('rejected'),
    code: z.enum(rejectCodes),
    detail: z.string(),
    diff: DiffStat.nullable(),
    validation: ValidationRuns,
  }),
  z.strictObject({ kind: z.literal('timed_out'), afterMs: z.number() }),
  z.strictObject({
    kind: z.literal('superseded'),
    why: z.enum(supersededBy),
    detail: z.string(),
  }),
  z.strictObject({ kind: z.literal('died'), detail: z.string() }),
]);

/** Stored form of the snapshot behind a decision. */
export const StoredSnapshot: z.ZodType<Snapshot> = z.strictObject({
  pullRequest: z
    .strictObject({
      state: z.enum(['open', 'closed', 'merged']),
      draft: z.boolean(),
      fork: z.boolean(),
      autoMerge: z.boolean(),
      inMergeQueue: z.boolean(),
      approvalsSurvive: z.boolean().default(true),
      holdLabel: z.boolean().default(false),
      mustBeUpToDate: z.boolean().default(false),
      pushForbidden: z.string().nullable().default(null),
    })
    .nullable(),
  ci: z.strictObject({
    status: z.enum(['none', 'pending', 'failure', 'success', 'blocked']),
    runId: z.string().nullable(),
    running: z.boolean().nullable().default(null),
    failure: z
      .strictObject({ rerunnable: z.boolean(), redOnBase: z.boolean(), sameAsBefore: z.boolean() })
      .nullable()
      .default(null),
  }),
  merge: z.enum(['clean', 'conflict', 'behind', 'unknown']),
  review: z.strictObject({ actionable: z.number(), newestAt: StoredInstant.default(null) }),
  ratchet: z.strictObject({
    enabled: z.boolean(),
    consecutiveAttempts: z.number(),
    launchesToday: z.number(),
    lastCiRunId: z.string().nullable(),
    staleCiSince: StoredInstant,
    stoppedFor: z.string().nullable(),
    waitingFor: DecisionCode.nullable(),
    waitingSince: StoredInstant,
    paused: z.boolean().default(false),
    rerun: z.strictObject({ ciRunId: z.string(), at: z.number() }).nullable().default(null),
    updateAskedAt: StoredInstant.default(null),
  }),
  causeKey: z.string().nullable(),
  workingSession: z.boolean(),
  policyErrors: z.array(z.string()),
  now: z.number(),
  policy: z.strictObject({
    maxAttempts: z.number(),
    maxLaunchesPerDay: z.number(),
    staleCiTimeoutSeconds: z.number(),
    ciTimeoutSeconds: z.number(),
    mergeTimeoutSeconds: z.number(),
    mode: z.enum(['observe', 'suggest', 'push']).default('push'),
    holdDrafts: z.boolean().default(false),
    resolveConflicts: z.boolean().default(true),
    fixReviews: z.boolean().default(true),
    reviewQuietSeconds: z.number().default(0),
    fixRedOnBase: z.boolean().default(false),
    stopOnSameFailure: z.boolean().default(false),
    disarmAutoMerge: z.boolean().default(false),
  }),
});
