import { addedLines, findSecrets } from '../../core/judge/find-secrets.ts';
import { toDiffStat } from '../../core/judge/to-diff-stat.ts';
import { toMergePatch } from '../../core/merge/to-merge-patch.ts';
import type { Proof } from '../../core/model/proof.ts';
import {
  type OpenFact,
  REMEMBERED_SESSIONS,
  type SessionOutcome,
  type ValidationRun,
} from '../../core/model/session.ts';
import { isOutage } from '../../core/runs/github-trouble.ts';
import { toCommitMessage, withAcceptance } from '../../core/sessions/commit-message.ts';
import { cutToLines } from '../../core/text/cut-bytes.ts';
import type { ImportedTree } from '../../ports/git.ts';
import type { Deps, Lease } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { checkGroundBeforePush } from './check-ground.ts';
import type { Change, FixupGoal, PreparedFixup } from './fixup-session.ts';
import { holdChange } from './hold-change.ts';
import type { TestJudgement } from './judge-tests.ts';
import { judgeTree } from './judge-tree.ts';
import { checkJudgedBy, toJudgedBy } from './judged-by.ts';
import { planPush } from './plan-push.ts';
import { prepareForFixup } from './prepare-for-fixup.ts';
import { proveChange } from './prove-change.ts';
import { validateChange } from './validate-change.ts';

const SHOWN_VIOLATIONS = 5;
/** The part of a check run's text that is left for the patch. */
const MAX_SUGGESTED_BYTES = 40 * 1024;

/**
 * The write gate. Its order is fixed: (before it: no process left, tree taken) policy on the raw diff → same change not reverted
 * before → validation in a fresh site without network → secret scan → proof by runs on other trees → ground checked again → commit
 * and intent. It pushes nothing: the push follows from the intent. If the policy does not push (mode `suggest`), it ends with the patch instead.
 */
export async function gate(deps: Deps, prepared: PreparedFixup, change: Change, lease: Lease): Promise<OrEnded<null>> {
  const judged = await judge(deps, prepared, change, lease.signal);
  if (judged.kind === 'ended') return judged;
  const patchId = await toPatchId(deps, prepared, change, lease.signal);
  const reverted = findReverted(deps, prepared, patchId);
  if (reverted !== null) return withDiff(reverted, change);
  const dependencies = await prepareFor(deps, prepared, change, lease.signal);
  if (dependencies.kind === 'ended') return withDiff(dependencies, change);
  const ready = { ...prepared, dependencies: dependencies.value };
  const validated = await validateChange(deps, ready, change, lease.signal);
  if (validated.kind === 'ended') return withDiff(validated, change);
  deps.log.info({ sessionId: prepared.session.id, key: prepared.session.key }, 'gate: validation passed');
  const secret = findSecret(deps, change);
  if (secret !== null) return withDiff(secret, change);
  const proved = await proveChange(deps, ready, { change, validation: validated.value }, lease.signal);
  if (proved.kind === 'ended') return withDiff(proved, change);
  const { goal, session } = prepared;
  const { verdict } = proved.value.proof ?? { verdict: null };
  deps.log.info({ sessionId: session.id, key: session.key, verdict }, 'gate: proof ended');
  // What a person accepted was proven, or not, before it was held.
  const isAccepted = goal.kind === 'accepted';
  const open = isAccepted ? [] : [...judged.value, ...proved.value.facts];
  const proof = isAccepted ? (goal.held.proof ?? null) : proved.value.proof;
  const proven = { ...change, validation: validated.value, patchId, proof, open };
  return finishGate(deps, prepared, proven, lease);
}

/** The last steps of the gate: the ground again, then the patch, or the plan of the push. */
async function finishGate(
  deps: Deps,
  prepared: PreparedFixup,
  proven: ProvenChange,
  lease: Lease,
): Promise<OrEnded<null>> {
  const ground = await unlessOutage(checkGroundBeforePush(deps, prepared.session, lease.signal));
  if (ground?.kind === 'ended') return ground;
  const judgedBy = ground === null ? ok(null) : checkJudgedBy(prepared, ground.value.facts);
  if (judgedBy.kind === 'ended') return judgedBy;
  const isPush = prepared.policy.mode === 'push' && (ground?.value.unpushed ?? null) === null;
  if (!isPush) return { kind: 'ended', outcome: toSuggestion(prepared, proven) };
  const message = toMessage(deps, prepared, proven);
  if (proven.open.length > 0) {
    const doubtful = { ...proven, message, shownPatch: toShownPatch(prepared, proven) };
    return { kind: 'ended', outcome: await holdChange(deps, prepared, doubtful, lease.signal) };
  }
  await planChange(deps, prepared, { ...proven, message, isGroundChecked: ground !== null }, lease);
  return ok(null);
}

/** null: GitHub cannot tell now. What the agent made is kept, and the push checks the ground before it is made. */
async function unlessOutage<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (isOutage(error)) return null;
    throw error;
  }
}

/** A change that passed the gate's checks. */
type ProvenChange = Change & {
  readonly validation: readonly ValidationRun[];
  readonly patchId: string | null;
  /** null: a merge. */
  readonly proof: Proof | null;
  /** What a person has to look at before it is pushed. */
  readonly open: readonly OpenFact[];
};

type Ended = { readonly kind: 'ended'; readonly outcome: SessionOutcome };

/** Judges the raw diff. Returns what a person has to look at. */
async function judge(
  deps: Deps,
  prepared: PreparedFixup,
  change: Change,
  signal: AbortSignal,
): Promise<OrEnded<readonly OpenFact[]>> {
  const { session } = prepared;
  const sides = toSides(prepared);
  const { violations, doubts } = await judgeTree(deps, { ...prepared, sides }, change, signal);
  const diff = toDiffStat(change.tree.changes);
  const first = violations[0];
  if (first !== undefined) {
    const shown = violations.slice(0, SHOWN_VIOLATIONS).map(({ message }) => message);
    deps.log.info({ sessionId: session.id, key: session.key, code: first.code }, 'gate: refused by policy');
    return rejected(first.code, shown.join(' '), { diff });
  }
  deps.log.info({ sessionId: session.id, key: session.key, files: diff.files }, 'gate: policy passed');
  return ok(doubts.map(({ code, path, line, message }) => ({ code, path, line, message })));
}

function toSides({ session, start }: PreparedFixup): TestJudgement['sides'] {
  const { headSha: ours, baseSha: theirs } = session.fixup;
  return start.merge === null ? null : { ours, theirs };
}

/** A resolved conflict may change lockfiles, so the result is validated with dependencies prepared from its own. */
async function prepareFor(
  deps: Deps,
  prepared: PreparedFixup,
  { tree, resolution }: Change,
  signal: AbortSignal,
): Promise<OrEnded<PreparedFixup['dependencies']>> {
  if (resolution === undefined) return ok(prepared.dependencies);
  return prepareForFixup(deps, prepared, tree.treeSha, signal);
}

/**
 * The `git patch-id` of the change. A merge has one only for its conflict resolution, and null if nothing conflicted: the base's
 * own changes were written by others.
 */
async function toPatchId(
  { git }: Pick<Deps, 'git'>,
  { repository }: PreparedFixup,
  { tree }: Change,
  signal: AbortSignal,
): Promise<string | null> {
  return tree.changes.length === 0 ? null : git.patchId(repository, tree.against, tree.treeSha, signal);
}

/** If the same change was pushed before, someone reverted it, or it would not be needed again. Ratchet does not repeat it. */
function findReverted(
  { store }: Pick<Deps, 'store'>,
  { session }: PreparedFixup,
  patchId: string | null,
): Ended | null {
  if (patchId === null) return null;
  for (const { outcome } of store.endedSessions(session.key, REMEMBERED_SESSIONS)) {
    if (outcome?.kind !== 'pushed' || outcome.patchId !== patchId) continue;
    return rejected(
      'REVERTED_BEFORE',
      `The same change was pushed as ${outcome.commitSha} before, and taken back since.`,
    );
  }
  return null;
}

/** The rejection if a change adds what looks like a secret, or is one of the service's own. */
export function findSecret(
  { settings }: { readonly settings: Pick<Deps['settings'], 'liveSecrets'> },
  { tree }: { readonly tree: Pick<ImportedTree, 'patch'> },
): Ended | null {
  const secrets = findSecrets(addedLines(tree.patch), settings.liveSecrets());
  if (secrets.length === 0) return null;
  const kinds = secrets.slice(0, SHOWN_VIOLATIONS).join(', ');
  return rejected('SECRET_FOUND', `The change adds what looks like a secret: ${kinds}.`);
}

function toShownPatch({ start, session }: PreparedFixup, { tree }: Change): string {
  const patch = start.merge === null ? tree.patch : toMergePatch(tree.patch, session.fixup.headSha);
  return cutToLines(patch, MAX_SUGGESTED_BYTES);
}

function toSuggestion(prepared: PreparedFixup, change: ProvenChange): SessionOutcome {
  const { tree, summary, resolved, validation, proof, open } = change;
  return {
    kind: 'suggested',
    patch: toShownPatch(prepared, change),
    diff: toDiffStat(tree.changes),
    files: tree.changes.map(({ path }) => path),
    summary,
    resolved,
    validation,
    // A suggestion waits for a person anyway.
    ...(proof === null ? {} : { proof: { ...proof, notes: [...proof.notes, ...open.map(({ message }) => message)] } }),
  };
}

function toMessage({ store }: Pick<Deps, 'store'>, prepared: PreparedFixup, change: Change): string {
  const { goal, session } = prepared;
  const { id, fixup } = session;
  if (goal.kind === 'accepted') return withAcceptance(goal.held.commitMessage, goal.by.by.login);
  const subject = toSubject({ goal, facts: prepared.facts }, change);
  return toCommitMessage(id, fixup, subject, store.session(id)?.agentUse ?? null);
}

/** Plans the push of a change that passed. */
async function planChange(
  deps: Deps,
  prepared: PreparedFixup,
  change: ProvenChange & { readonly message: string; readonly isGroundChecked: boolean },
  lease: Lease,
): Promise<void> {
  const { facts, policy } = prepared;
  const { tree, parents, message, isGroundChecked, summary, validation, madeBy, resolved, patchId, answers, proof } =
    change;
  await planPush(
    deps,
    prepared,
    {
      ...{ tree, parents, message, isGroundChecked },
      judgedBy: toJudgedBy(facts.baseRef, policy),
      outcome: {
        ...{ summary, validation, madeBy, resolved, patchId, answers },
        ...(proof === null ? {} : { proof }),
      },
    },
    lease,
  );
}

function toSubject(
  { goal, facts }: Pick<PreparedFixup, 'facts'> & { readonly goal: Exclude<FixupGoal, { readonly kind: 'accepted' }> },
  { resolved }: Pick<Change, 'resolved'>,
): Parameters<typeof toCommitMessage>[2] {
  switch (goal.kind) {
    case 'ci':
      if (goal.failing.length === 0) return { kind: 'findings', count: goal.findings.length };
      return { kind: 'ci', failingChecks: goal.failing.map(({ name }) => name) };
    case 'review':
      return { kind: 'review', items: goal.review.actionable.length };
    case 'merge':
      return { kind: 'merge', baseRef: facts.baseRef, headRef: facts.headRef, resolved };
  }
}

function withDiff({ outcome }: Ended, { tree }: Change): Ended {
  if (outcome.kind !== 'rejected') return { kind: 'ended', outcome };
  return { kind: 'ended', outcome: { ...outcome, diff: toDiffStat(tree.changes) } };
}
