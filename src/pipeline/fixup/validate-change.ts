import type { ValidationRun } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, rejected } from '../prepare/or-ended.ts';
import type { Change, PreparedFixup } from './fixup-session.ts';
import { isMadeByTool } from './resolve-conflict.ts';
import { isExcusable, validateTree } from './validate-tree.ts';

/**
 * Runs the validation commands on the change. A merge must be no worse than the head: a command that fails on the head too is
 * excused, because a pull request may both conflict and be red. CI is fixed after the merge. What only a merge tool made needs a
 * command that passes: nobody has looked at it.
 */
export async function validateChange(
  deps: Pick<Deps, 'clock' | 'files' | 'log' | 'redact' | 'sites'>,
  prepared: PreparedFixup,
  change: Change,
  signal: AbortSignal,
): Promise<OrEnded<readonly ValidationRun[]>> {
  const { commands } = prepared.validation;
  const validation = { treeSha: change.tree.treeSha, name: 'validate', commands };
  if (prepared.start.merge === null) return validateTree(deps, prepared, validation, signal);
  let compared = 0;
  const failedBefore = async (command: string): Promise<boolean> => {
    compared += 1;
    const head = { treeSha: prepared.session.fixup.headSha, name: `validate-before-${String(compared)}` };
    const before = await validateTree(deps, prepared, { ...head, commands: [command] }, signal);
    return before.kind === 'ended' && before.outcome.kind === 'rejected' && isExcusable(before.outcome.code);
  };
  const validated = await validateTree(deps, prepared, { ...validation, excuses: failedBefore }, signal);
  if (validated.kind === 'ended' || !isMadeByTool(change)) return validated;
  if (validated.value.some(({ failedBefore: isExcused }) => isExcused !== true)) return validated;
  const detail = 'Every validation command fails on the head too, so nothing proves what the merge tool made.';
  return rejected('VALIDATION_FAILED', detail, { validation: validated.value });
}
