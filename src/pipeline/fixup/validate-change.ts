import type { ValidationRun } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';
import type { OrEnded } from '../prepare/or-ended.ts';
import type { Change, PreparedAttempt } from './fixup-session.ts';
import { validateTree } from './validate-tree.ts';

/**
 * Proves the change with the validation commands. A merge is held to be no worse than the head was: a command that fails there
 * too says nothing about the merge (a pull request may be in conflict and red at once, and CI is looked at next).
 */
export async function validateChange(
  deps: Pick<Deps, 'clock' | 'files' | 'log' | 'redact' | 'sites'>,
  prepared: PreparedAttempt,
  change: Change,
  signal: AbortSignal,
): Promise<OrEnded<readonly ValidationRun[]>> {
  const { commands } = prepared.validation;
  const validation = { treeSha: change.tree.treeSha, name: 'validate', commands };
  if (prepared.goal.kind !== 'merge') return validateTree(deps, prepared, validation, signal);
  let compared = 0;
  const failedBefore = async (command: string): Promise<boolean> => {
    compared += 1;
    const head = { treeSha: prepared.session.fixup.headSha, name: `validate-before-${String(compared)}` };
    const before = await validateTree(deps, prepared, { ...head, commands: [command] }, signal);
    return before.kind === 'ended' && before.outcome.kind === 'rejected' && before.outcome.code === 'VALIDATION_FAILED';
  };
  return validateTree(deps, prepared, { ...validation, excuses: failedBefore }, signal);
}
