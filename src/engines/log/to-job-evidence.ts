import type { LogDigest } from '../../core/evidence/read-log.ts';
import type { ResolvePath } from '../../core/evidence/resolve-path.ts';
import { toFailuresJson } from '../../core/evidence/to-failures-json.ts';
import { toExcerpt } from '../../core/evidence/to-log-excerpt.ts';
import { toByteLength } from '../../core/text/cut-bytes.ts';
import { readSigns } from './read-signs.ts';

/** The share of the list of failures, and its limit. The rest is for the excerpt. */
const LIST_SHARE = 0.25;
const MAX_LIST_BYTES = 16 * 1024;

export interface JobEvidenceInput {
  /** Of the whole log, read for at least `maxBytes`. */
  readonly digest: LogDigest;
  /** The last lines of the log, clean. */
  readonly lines: readonly string[];
  /** Texts of the problem matchers that the job registers. */
  readonly definitions: readonly string[];
  readonly resolve: ResolvePath;
  readonly maxBytes: number;
}

/** What the log of a job shows an agent, in at most `maxBytes` bytes. Secrets are not redacted. */
export interface JobEvidence {
  readonly excerpt: string;
  /** The failures that the log names, as JSON; empty if it names none. */
  readonly failures: string;
}

export function toJobEvidence({ digest, lines, definitions, resolve, maxBytes }: JobEvidenceInput): JobEvidence {
  const signs = readSigns({ groups: digest.failures, lines, definitions });
  const failures = toFailuresJson(signs, resolve, Math.min(MAX_LIST_BYTES, Math.floor(maxBytes * LIST_SHARE)));
  return { excerpt: toExcerpt(digest, { maxBytes: maxBytes - toByteLength(failures), resolve }), failures };
}
