import { GitHubError } from '../../core/model/errors.ts';
import type { Deps } from '../deps.ts';

/** What a closer look at red CI reads; null if GitHub does not give it. A rate limit is thrown: all later calls would fail too. */
export async function orNull<Value>({ log }: Pick<Deps, 'log'>, reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof GitHubError) || error.code === 'RATE_LIMITED') throw error;
    log.warn({ error, code: error.code }, 'a closer look at red CI could not read something');
    return null;
  }
}
