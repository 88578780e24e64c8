import { type CommandEnd, EXCEEDED_LIMITS, type ExceededLimit } from '../model/command-end.ts';
import type { RejectCode } from '../model/session.ts';

/** The reject code of an exceeded limit, and what the command did, for a sentence about it. */
export interface ExceededLimitWords {
  readonly code: Extract<RejectCode, 'MEMORY_LIMIT' | 'PROCESS_LIMIT' | 'DISK_QUOTA'>;
  readonly did: string;
}

export const EXCEEDED_LIMIT_WORDS: Readonly<Record<ExceededLimit, ExceededLimitWords>> = {
  memory_limit: { code: 'MEMORY_LIMIT', did: 'used more memory than it may and was killed' },
  process_limit: { code: 'PROCESS_LIMIT', did: 'started more processes than it may and was killed' },
  disk_quota: { code: 'DISK_QUOTA', did: 'wrote more to the disk than it may and was killed' },
};

/** Whether a command ended because of a limit of its site. */
export function isExceededLimit(kind: string): kind is ExceededLimit {
  return EXCEEDED_LIMITS.some((limit) => limit === kind);
}

/** null: the command did not end because of a limit of its site. */
export function findExceededLimit(kind: CommandEnd['kind']): ExceededLimitWords | null {
  return isExceededLimit(kind) ? EXCEEDED_LIMIT_WORDS[kind] : null;
}
