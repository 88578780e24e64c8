import { assertNever, RepositoryError } from '../model/errors.ts';
import type { QualityStop } from '../render/render-quality.ts';
import type { Interruption } from './interruption.ts';

/**
 * What the check run reports about an interrupted run of the engines. null if the interruption says nothing about the head: the
 * run then stays open, and the next look at the pull request closes and repeats it.
 */
export function toQualityStop(interruption: Interruption, limitMs: number): QualityStop | null {
  switch (interruption.kind) {
    case 'crashed':
      return { kind: 'interrupted' };
    case 'stopped':
      return interruption.why === 'shutdown' ? null : { kind: 'superseded', headSha: null };
    case 'timed_out':
      return { kind: 'timed_out', limitMs };
    case 'failed':
      return toFailure(interruption.error);
    default:
      return assertNever(interruption);
  }
}

function toFailure(error: unknown): QualityStop | null {
  if (!(error instanceof RepositoryError)) return null;
  if (error.retry !== 'never') return null;
  return { kind: 'not_possible', why: `The files of the head could not be prepared (${error.code}).` };
}
