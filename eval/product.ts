import { toLogExcerpt } from '../src/core/evidence/to-log-excerpt.ts';

/** The only file of the evaluation that calls the product's reading of logs. */

/** How much of a log the App reads for an agent, from its end. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;

/** The excerpt that an agent would get of a whole log. */
export function excerptOf(log: Buffer, maxBytes: number): string {
  return toLogExcerpt(log.subarray(Math.max(0, log.length - MAX_LOG_BYTES)).toString('utf8'), { maxBytes });
}
