import type { LogDigest } from '../../core/evidence/read-log.ts';
import type { ResolvePath } from '../../core/evidence/resolve-path.ts';
import { toFailuresJson } from '../../core/evidence/to-failures-json.ts';
import { toExcerpt } from '../../core/evidence/to-log-excerpt.ts';
import { toByteLength } from '../../core/text/cut-bytes.ts';
import { readSigns, type SignedJob } from './read-signs.ts';

/** The share of the list of failures, and its limit. The rest is for the excerpt. */
const LIST_SHARE = 0.25;
const MAX_LIST_BYTES = 16 * 1024;

/** `lines`: the last ones of its log. */
export interface JobEvidenceInput extends Omit<SignedJob, 'groups'> {
  /** Of the whole log, read for at least `maxBytes`; null: it could not be read. */
  readonly digest: LogDigest | null;
  readonly resolve: ResolvePath;
  readonly maxBytes: number;
}

/** What a job shows an agent, in at most `maxBytes` bytes. Secrets are not redacted. */
export interface JobEvidence {
  /** Of the log; null: it could not be read. */
  readonly excerpt: string | null;
  /** The failures that log and annotations name, as JSON; empty if they name none. */
  readonly failures: string;
}

export function toJobEvidence({ digest, resolve, maxBytes, ...job }: JobEvidenceInput): JobEvidence {
  const signs = readSigns({ ...job, groups: digest?.failures ?? [] });
  const failures = toFailuresJson(signs, resolve, Math.min(MAX_LIST_BYTES, Math.floor(maxBytes * LIST_SHARE)));
  const left = maxBytes - toByteLength(failures);
  return { excerpt: digest === null ? null : toExcerpt(digest, { maxBytes: left, resolve }), failures };
}
