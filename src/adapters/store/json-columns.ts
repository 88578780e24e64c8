import { z } from 'zod';
import { InvariantError } from '../../core/model/errors.ts';
import type { Command, CommandName } from '../../core/model/event.ts';
import { parseSha } from '../../core/model/ids.ts';
import type { Fixup, RejectCode, SessionOutcome, SupersededBy } from '../../core/model/session.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Stop } from '../../core/model/workspace.ts';
import type { IntentEffect } from '../../ports/store.ts';
import { DecisionCode } from '../../schemas/decision-code.ts';

/** Where a stored value lies, for the message of the error that names it. */
export interface ColumnPlace {
  readonly table: string;
  readonly column: string;
  readonly id: string | number;
}

/**
 * A stored value as the type that `schema` promises.
 * @throws InvariantError that names table, column and row, never the content.
 */
export function parseColumn<Value>(schema: z.ZodType<Value>, stored: unknown, place: ColumnPlace): Value {
  return parseStored(() => schema.parse(stored), place);
}

/** `parseColumn` for a stored JSON text. */
export function parseJsonColumn<Value>(schema: z.ZodType<Value>, text: string, place: ColumnPlace): Value {
  return parseStored(() => schema.parse(JSON.parse(text)), place);
}

/** `parseJsonColumn` for a column that may be null. */
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

// The `satisfies` clauses make a missing or a superfluous name a compile error.
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
} as const satisfies { readonly [Code in RejectCode]: Code };

const supersededBy = {
  head_moved: 'head_moved',
  closed: 'closed',
  disabled: 'disabled',
  permission: 'permission',
  stopped: 'stopped',
  shutdown: 'shutdown',
  cause_gone: 'cause_gone',
} as const satisfies { readonly [Why in SupersededBy]: Why };

const StoredSha = z.string().transform((value) => parseSha(value));
const StoredInstant = z.number().nullable();

/** Stored form of `Workspace.stop`. */
export const StoredStop: z.ZodType<Stop> = z.strictObject({
  causeKey: z.string(),
  code: z.enum({ ...DecisionCode.enum, NO_PUSH: 'NO_PUSH', NEEDS_HUMAN: 'NEEDS_HUMAN' }),
  reason: z.string(),
});

const commandName = z.enum({
  enable: 'enable',
  disable: 'disable',
  stop: 'stop',
  pause: 'pause',
  resume: 'resume',
  retry: 'retry',
  undo: 'undo',
  check: 'check',
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
});

const DiffStat = z.strictObject({ files: z.number(), insertions: z.number(), deletions: z.number() });

const ValidationRuns = z.array(
  z.strictObject({
    command: z.string(),
    exitCode: z.number().nullable(),
    timedOut: z.boolean(),
    durationMs: z.number(),
    tail: z.string(),
  }),
);

const PushedOutcome = z.strictObject({
  kind: z.literal('pushed'),
  commitSha: StoredSha,
  diff: DiffStat,
  files: z.array(z.string()),
  summary: z.string(),
  validation: ValidationRuns,
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
]);

/** Stored form of `Session.outcome`. */
export const StoredOutcome: z.ZodType<SessionOutcome> = z.discriminatedUnion('kind', [
  PushedOutcome,
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
    })
    .nullable(),
  ci: z.strictObject({
    status: z.enum(['none', 'pending', 'failure', 'success', 'blocked']),
    runId: z.string().nullable(),
  }),
  merge: z.enum(['clean', 'conflict', 'behind', 'unknown']),
  review: z.strictObject({ actionable: z.number() }),
  ratchet: z.strictObject({
    enabled: z.boolean(),
    consecutiveAttempts: z.number(),
    launchesToday: z.number(),
    lastCiRunId: z.string().nullable(),
    staleCiSince: StoredInstant,
    stoppedFor: z.string().nullable(),
    waitingFor: DecisionCode.nullable(),
    waitingSince: StoredInstant,
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
  }),
});
