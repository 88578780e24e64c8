import { z } from 'zod';
import { InvariantError } from '../../core/model/errors.ts';
import { COMMAND_NAMES, type Command } from '../../core/model/event.ts';
import { FAILURE_CLASSES } from '../../core/model/failure-class.ts';
import { parseSessionId, parseSha } from '../../core/model/ids.ts';
import type { AgentUse } from '../../core/model/model-use.ts';
import { PROOF_VERDICTS, type Proof } from '../../core/model/proof.ts';
import { ACTOR_KINDS } from '../../core/model/pull-request.ts';
import {
  ANSWER_STATUSES,
  type DiffStat,
  FIXUP_KINDS,
  type Fixup,
  MADE_BY,
  REJECT_CODES,
  type SessionOutcome,
  SUPERSEDED_BY,
} from '../../core/model/session.ts';
import type { SetupReport } from '../../core/model/setup-report.ts';
import {
  type BranchState,
  type Diagnosis,
  type Flake,
  STOP_CODES,
  type Stop,
  type TakenBack,
  type Workspace,
} from '../../core/model/workspace.ts';
import type { IntentEffect } from '../../ports/store.ts';

/** The place of a stored value, for error messages. */
export interface ColumnRef {
  readonly table: string;
  readonly column: string;
  readonly id: string | number;
}

/** Parses a stored value. @throws InvariantError that names table, column and row, never the content. */
export function parseColumn<Value>(schema: z.ZodType<Value>, stored: unknown, place: ColumnRef): Value {
  return parseStored(() => schema.parse(stored), place);
}

/** Like `parseColumn`, for JSON text. */
export function parseJsonColumn<Value>(schema: z.ZodType<Value>, text: string, place: ColumnRef): Value {
  return parseStored(() => schema.parse(JSON.parse(text)), place);
}

/** Like `parseJsonColumn`, for a nullable column. */
export function parseNullableJsonColumn<Value>(
  schema: z.ZodType<Value>,
  text: string | null,
  place: ColumnRef,
): Value | null {
  return text === null ? null : parseJsonColumn(schema, text, place);
}

function parseStored<Value>(parse: () => Value, place: ColumnRef): Value {
  try {
    return parse();
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON, or holds a bad identifier';
    throw new InvariantError(`${place.table}.${place.column} of row ${place.id} cannot be read: ${why}`);
  }
}

const StoredSha = z.string().transform((value) => parseSha(value));

/** Stored form of `Workspace.stop`. */
export const StoredStop: z.ZodType<Stop> = z.strictObject({
  causeKey: z.string(),
  code: z.enum(STOP_CODES),
  reason: z.string(),
  reject: z.enum(REJECT_CODES).exactOptional(),
});

const StoredActor = z.strictObject({ id: z.number(), login: z.string(), kind: z.enum(ACTOR_KINDS) });

/** Stored form of `Workspace.pause`. */
export const StoredPause: z.ZodType<NonNullable<Workspace['pause']>> = z.strictObject({
  by: StoredActor,
  at: z.number(),
});

/** Stored form of `BranchState.openPush`. */
export const StoredOpenPush: z.ZodType<NonNullable<BranchState['openPush']>> = z.strictObject({
  fromSha: StoredSha,
  at: z.number(),
});

/** Stored form of `BranchState.takenBack`. */
export const StoredTakenBack: z.ZodType<TakenBack> = z.strictObject({
  commitSha: StoredSha,
  action: z.enum(FIXUP_KINDS),
  by: StoredActor.nullable(),
  headSha: StoredSha,
  at: z.number(),
});

/** Stored form of `Workspace.diagnosis`. */
export const StoredDiagnosis: z.ZodType<Diagnosis> = z.strictObject({
  ciRunId: z.string(),
  // No fresh start has this number: a diagnosis of an earlier version is taken again.
  freshStart: z.number().default(-1),
  base: z.strictObject({ ref: z.string(), sha: StoredSha }).nullable().default(null),
  jobs: z
    .array(
      z.strictObject({
        name: z.string(),
        class: z.enum(FAILURE_CLASSES),
        line: z.string().nullable(),
        rule: z.string().nullable(),
        tests: z.array(z.string()),
        command: z.string().nullable().default(null),
      }),
    )
    .default([]),
  flaky: z.array(z.string()),
  person: z.array(z.strictObject({ name: z.string(), line: z.string() })).default([]),
  redOnBase: z.array(z.string()),
  repairedOnBase: z.array(z.string()).default([]),
  failures: z
    .array(
      z.strictObject({
        job: z.string(),
        tool: z.string().nullable(),
        path: z.string().nullable(),
        line: z.number().nullable(),
        rule: z.string().nullable(),
        testId: z.string().nullable(),
        message: z.string(),
      }),
    )
    .default([]),
  signature: z.string(),
});

/** Stored form of `Workspace.flakes`. */
export const StoredFlakes: z.ZodType<readonly Flake[]> = z.array(
  z.strictObject({ name: z.string(), headSha: StoredSha, at: z.number() }),
);

const commandName = z.enum(COMMAND_NAMES);

/** Stored form of a command of a comment. */
export const StoredCommandJson: z.ZodType<Command> = z.union([
  z.strictObject({ name: commandName, args: z.array(z.string()) }),
  z.strictObject({ name: z.literal('unknown'), written: z.string(), nearest: commandName.nullable() }),
  z.strictObject({ name: z.literal('unread'), line: z.string(), why: z.string() }),
]);

/** Stored form of `Session.fixup`. */
export const StoredFixup: z.ZodType<Fixup> = z.strictObject({
  action: z.enum(FIXUP_KINDS),
  causeKey: z.string(),
  headSha: StoredSha,
  headRef: z.string(),
  baseSha: StoredSha,
  attempt: z.number(),
  agent: z.string(),
  signature: z.string().nullable().default(null),
  undo: z
    .strictObject({
      commitSha: StoredSha,
      parentSha: StoredSha,
      by: StoredActor.nullable(),
      commandId: z.number().nullable(),
      ciRunId: z.string().nullable(),
    })
    .exactOptional(),
  accept: z
    .strictObject({
      sessionId: z.string().transform((value) => parseSessionId(value)),
      by: StoredActor,
      commandId: z.number(),
      ciRunId: z.string().nullable(),
    })
    .exactOptional(),
});

/** Stored form of `Session.agentUse`. */
export const StoredAgentUse: z.ZodType<AgentUse> = z.strictObject({
  agent: z.string(),
  version: z.string().nullable(),
  model: z.string().nullable(),
  calls: z.number(),
  tokens: z.strictObject({ input: z.number(), cached: z.number(), written: z.number(), output: z.number() }),
  microUsd: z.number(),
  durationMs: z.number(),
});

/** Stored form of `DiffStat`. */
export const StoredDiffStat: z.ZodType<DiffStat> = z.strictObject({
  files: z.number(),
  insertions: z.number(),
  deletions: z.number(),
});

const ValidationRuns = z.array(
  z.strictObject({
    command: z.string(),
    exitCode: z.number().nullable(),
    timedOut: z.boolean(),
    durationMs: z.number(),
    tail: z.string(),
    failedBefore: z.literal(true).exactOptional(),
    tests: z.number().exactOptional(),
  }),
);

const Answers = z.array(
  z.strictObject({
    itemId: z.string(),
    status: z.enum(ANSWER_STATUSES),
    reason: z.string(),
    newestCommentId: z.number().nullable(),
  }),
);

const Resolved = z.array(
  z.strictObject({
    by: z.enum(MADE_BY).exclude(['git']),
    tool: z.string().nullable(),
    paths: z.array(z.string()),
  }),
);

const ProofRun = z.strictObject({ exitCode: z.number().nullable(), timedOut: z.boolean(), excerpt: z.string() });

const StoredProof: z.ZodType<Proof> = z.strictObject({
  verdict: z.enum(PROOF_VERDICTS).nullable(),
  command: z.string().nullable(),
  oldHead: ProofRun.nullable(),
  result: ProofRun.nullable(),
  withoutSource: ProofRun.nullable(),
  hasTests: z.boolean(),
  notes: z.array(z.string()),
  counts: z.array(z.strictObject({ command: z.string(), before: z.number().nullable(), after: z.number().nullable() })),
});

// Fields with a `default` were not stored by earlier versions.
const PushedOutcome = z.strictObject({
  kind: z.literal('pushed'),
  commitSha: StoredSha,
  diff: StoredDiffStat,
  files: z.array(z.string()),
  summary: z.string(),
  validation: ValidationRuns,
  madeBy: z.enum(MADE_BY).default('agent'),
  resolved: Resolved.default([]),
  patchId: z.string().nullable().default(null),
  answers: Answers.default([]),
  proof: StoredProof.exactOptional(),
});

/** Stored form of `Intent.effect`. */
export const StoredEffect: z.ZodType<IntentEffect> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('launch') }),
  z.strictObject({
    kind: z.literal('push'),
    commitSha: StoredSha,
    branch: z.string(),
    oldSha: StoredSha,
    groundCheckedAt: z.number().nullable().default(null),
    judgedBy: z.strictObject({ baseRef: z.string(), policyHash: z.string() }).exactOptional(),
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

/** Stored form of `Session.setup`. */
export const StoredSetup: z.ZodType<SetupReport> = z.strictObject({
  source: z.enum(['policy', 'detected', 'none']),
  commands: z.array(z.string()),
  isReused: z.boolean(),
  notes: z.array(z.string()),
});

const Question = z.strictObject({
  text: z.string(),
  choices: z.array(z.string()),
  answer: z.strictObject({ text: z.string(), by: z.string() }).nullable(),
});

/** Stored form of `Session.outcome`. */
export const StoredOutcome: z.ZodType<SessionOutcome> = z.discriminatedUnion('kind', [
  PushedOutcome,
  z.strictObject({
    kind: z.literal('suggested'),
    patch: z.string(),
    diff: StoredDiffStat,
    files: z.array(z.string()),
    summary: z.string(),
    resolved: Resolved.default([]),
    validation: ValidationRuns,
    proof: StoredProof.exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('held'),
    facts: z.array(
      z.strictObject({
        code: z.string(),
        path: z.string().nullable(),
        line: z.number().nullable(),
        message: z.string(),
      }),
    ),
    commitSha: StoredSha,
    commitMessage: z.string(),
    patch: z.string(),
    diff: StoredDiffStat,
    files: z.array(z.string()),
    summary: z.string(),
    madeBy: z.enum(MADE_BY),
    resolved: Resolved,
    answers: Answers,
    validation: ValidationRuns,
    proof: StoredProof.exactOptional(),
  }),
  z.strictObject({ kind: z.literal('declined'), answers: Answers, summary: z.string() }),
  z.strictObject({
    kind: z.literal('rejected'),
    code: z.enum(REJECT_CODES),
    detail: z.string(),
    diff: StoredDiffStat.nullable(),
    validation: ValidationRuns,
    question: Question.exactOptional(),
  }),
  z.strictObject({ kind: z.literal('timed_out'), afterMs: z.number() }),
  z.strictObject({
    kind: z.literal('superseded'),
    why: z.enum(SUPERSEDED_BY),
    detail: z.string(),
  }),
  z.strictObject({ kind: z.literal('died'), detail: z.string() }),
]);
