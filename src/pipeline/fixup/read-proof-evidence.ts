import { createPathResolver } from '../../core/evidence/resolve-path.ts';
import { toAloneCommands, toPackagePaths } from '../../core/proof/alone-command.ts';
import {
  type NamedFailure,
  type ProofEvidence,
  toCiEvidence,
  toReviewProofEvidence,
} from '../../core/proof/proof-evidence.ts';
import { MAX_DEFINITION_BYTES } from '../../core/validation/plan-validation.ts';
import type { Deps } from '../deps.ts';
import type { FixupGoal, PreparedFixup } from './fixup-session.ts';

type Evidenced = Pick<PreparedFixup, 'repository' | 'session' | 'tracked' | 'validation'>;

/** What names a test or a command that is red; null: a review that names none. */
export function readProofEvidence(
  { store }: Pick<Deps, 'store'>,
  {
    session,
    goal,
    tracked,
  }: Pick<PreparedFixup, 'session' | 'tracked'> & {
    readonly goal: Extract<FixupGoal, { readonly kind: 'ci' | 'review' }>;
  },
): ProofEvidence | null {
  if (goal.kind === 'ci') {
    const failing = goal.failing.map(({ name }) => name);
    return toCiEvidence(store.workspace(session.key)?.diagnosis ?? null, failing);
  }
  return toReviewProofEvidence(goal.review.actionable, createPathResolver(tracked));
}

/** Commands that run these failures alone, as far as their runners are known. */
export async function toAlone(
  { git }: Pick<Deps, 'git'>,
  { prepared, signal }: { readonly prepared: Evidenced; readonly signal: AbortSignal },
  failures: readonly NamedFailure[],
): Promise<readonly string[]> {
  const { repository, session, tracked, validation } = prepared;
  const paths = toPackagePaths(failures, tracked);
  const want = { treeish: session.fixup.headSha, paths, maxBytes: MAX_DEFINITION_BYTES };
  const packages = paths.length === 0 ? {} : await git.readFiles(repository, want, signal);
  return toAloneCommands(failures, { tracked, packages, commands: validation.commands });
}

/** Commands that the evidence leads to, beside those of the validation. */
export async function toOtherCommands(
  deps: Pick<Deps, 'git'>,
  work: { readonly prepared: Evidenced; readonly evidence: ProofEvidence; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { prepared, evidence } = work;
  const alone = await toAlone(deps, work, evidence.failures);
  const ran = new Set(prepared.validation.commands);
  return [...new Set([...alone, ...evidence.commands])].filter((command) => !ran.has(command));
}
