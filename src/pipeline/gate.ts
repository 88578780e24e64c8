import { addedLines, findSecrets } from '../core/judge/find-secrets.ts';
import { judgeChange } from '../core/judge/judge-change.ts';
import { toDiffStat } from '../core/judge/to-diff-stat.ts';
import type { Sha } from '../core/model/ids.ts';
import type { SessionOutcome, ValidationRun } from '../core/model/session.ts';
import { toCommitMessage } from '../core/sessions/commit-message.ts';
import { findWeakenedValidation, toDefinitionPaths } from '../core/validation/find-weakened-validation.ts';
import { checkGround } from './check-ground.ts';
import { type Deps, FIXUP_QUEUE, type Lease } from './deps.ts';
import { ok, type PreparedAttempt, rejected, type Step } from './fixup-session.ts';
import type { AgentWork } from './run-agent.ts';
import { validateTree } from './validate-tree.ts';

const MAX_DEFINITION_BYTES = 256 * 1024;
const SHOWN_VIOLATIONS = 5;

/**
 * The write gate, in its fixed order: (sandbox dead and tree imported, by `runAgent`) policy on the raw diff → validation in a
 * fresh sandbox without network → secret scan → the ground again → commit and intent. Nothing is pushed here: an intent is
 * written, and the push follows from it.
 */
export async function gate(deps: Deps, prepared: PreparedAttempt, work: AgentWork, lease: Lease): Promise<Step<null>> {
  const judged = await judge(deps, prepared, work, lease.signal);
  if (judged.kind === 'ended') return judged;
  const validated = await validateTree(deps, prepared, work.tree.treeSha, lease.signal);
  if (validated.kind === 'ended') return withDiff(validated, work);
  deps.log.info({ sessionId: prepared.session.id, key: prepared.session.key }, 'gate: validation passed');
  const secrets = findSecrets(addedLines(work.tree.patch), deps.settings.liveSecrets);
  if (secrets.length > 0) {
    return rejected(
      'SECRET_FOUND',
      `The change adds what looks like a secret: ${secrets.slice(0, SHOWN_VIOLATIONS).join(', ')}.`,
      {
        diff: toDiffStat(work.tree.changes),
      },
    );
  }
  const ground = await checkGround(deps, prepared.session, lease.signal);
  if (ground.kind === 'gone') return { kind: 'ended', outcome: ground.outcome };
  await planPush(deps, prepared, { ...work, validation: validated.value }, lease);
  return ok(null);
}

/** Policy on the raw diff, then on what the validation is made of. */
async function judge(deps: Deps, prepared: PreparedAttempt, work: AgentWork, signal: AbortSignal): Promise<Step<null>> {
  const { policy, session } = prepared;
  const violations = judgeChange({
    changes: work.tree.changes,
    patch: work.tree.patch,
    patchTruncated: work.tree.patchTruncated,
    policy: policy.changes,
    headPaths: prepared.tracked,
  });
  const diff = toDiffStat(work.tree.changes);
  const first = violations[0];
  if (first !== undefined) {
    const shown = violations.slice(0, SHOWN_VIOLATIONS).map(({ message }) => message);
    deps.log.info({ sessionId: session.id, key: session.key, code: first.code }, 'gate: refused by policy');
    return rejected(first.code, shown.join(' '), { diff });
  }
  const weakened = await findWeakened(deps, prepared, work.tree, signal);
  if (weakened !== null) {
    deps.log.info({ sessionId: session.id, key: session.key, code: 'PROTECTED_PATH' }, 'gate: refused by policy');
    return rejected('PROTECTED_PATH', `The change touches ${weakened.path}: ${weakened.what}.`, { diff });
  }
  deps.log.info({ sessionId: session.id, key: session.key, files: diff.files }, 'gate: policy passed');
  return ok(null);
}

async function findWeakened(
  deps: Pick<Deps, 'git'>,
  prepared: PreparedAttempt,
  { treeSha, changes }: AgentWork['tree'],
  signal: AbortSignal,
): Promise<ReturnType<typeof findWeakenedValidation>> {
  const changed = changes.map(({ path }) => path);
  const paths = toDefinitionPaths(changed);
  const read = async (treeish: Sha): Promise<Readonly<Record<string, string>>> =>
    deps.git.readFiles(prepared.repository, { treeish, paths, maxBytes: MAX_DEFINITION_BYTES }, signal);
  const before = await read(prepared.session.fixup.headSha);
  const after = await read(treeSha);
  return findWeakenedValidation(prepared.validation, { before, after, changed });
}

/** Builds the commit, keeps it alive, and writes the intent: from here on a restart finishes the push. */
async function planPush(
  deps: Deps,
  prepared: PreparedAttempt,
  work: AgentWork & { readonly validation: readonly ValidationRun[] },
  lease: Lease,
): Promise<void> {
  const { session, repository, failingChecks } = prepared;
  const { fixup } = session;
  const now = deps.clock.now();
  const commitSha = await deps.git.createCommit(
    repository,
    {
      treeSha: work.tree.treeSha,
      message: toCommitMessage(session.id, fixup, failingChecks),
      parents: [fixup.headSha],
      at: now,
    },
    lease.signal,
  );
  await deps.git.keepCommit(repository, commitSha, lease.signal);
  lease.signal.throwIfAborted();
  if (!deps.store.holdsLease(FIXUP_QUEUE, session.id, lease.leaseId))
    throw new Error('the lease was lost before the push was planned');
  deps.store.openIntent({
    uniqueKey: session.id,
    key: session.key,
    sessionId: session.id,
    effect: {
      kind: 'push',
      commitSha,
      branch: fixup.headRef,
      oldSha: fixup.headSha,
      outcome: {
        kind: 'pushed',
        commitSha,
        diff: toDiffStat(work.tree.changes),
        files: work.tree.changes.map(({ path }) => path),
        summary: work.summary,
        validation: work.validation,
      },
    },
    createdAt: now,
  });
  deps.log.info({ sessionId: session.id, key: session.key, commitSha }, 'push planned');
}

function withDiff(ended: { readonly kind: 'ended'; readonly outcome: SessionOutcome }, work: AgentWork): Step<null> {
  if (ended.outcome.kind !== 'rejected') return ended;
  return { kind: 'ended', outcome: { ...ended.outcome, diff: toDiffStat(work.tree.changes) } };
}
