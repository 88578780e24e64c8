import type { GitHubError } from '../model/errors.ts';
import { bad, type DoctorCheck, good, warn } from './doctor-check.ts';

/** Work that waits for longer is a sign that something hangs. */
const LONG_WAIT_MS = 15 * 60_000;
const REFUSALS: ReadonlySet<GitHubError['code']> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND']);

/** The database of a running service. `problem` null: it can be written. */
export function checkWritable(problem: string | null): DoctorCheck {
  if (problem === null) return good('database', 'it can be written');
  return bad('database', problem, 'See "Artifacts, and what is on disk" in docs/operating.md.');
}

/** What waits in the queues. */
export function checkQueues(
  queues: readonly { readonly waiting: number; readonly oldestAt: number | null }[],
  now: number,
): DoctorCheck {
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const waitedMs = Math.max(0, ...queues.map(({ oldestAt }) => now - (oldestAt ?? now)));
  const detail = `${String(waiting)} waiting, the first for ${String(Math.round(waitedMs / 1000))} s`;
  if (waitedMs < LONG_WAIT_MS) return good('queue', detail);
  return warn(
    'queue',
    detail,
    'Look at the log for what hangs, or raise RATCHET_EVALUATE_CONCURRENCY or RATCHET_FIXUP_CONCURRENCY.',
  );
}

/** Redis carries hints only. A refusal lasts until somebody acts, and an outage does not. */
export function checkRedis(failure: string | null): DoctorCheck {
  if (failure === null) return good('redis', 'it answers');
  const fix = 'Check REDIS_URL. Without Redis nothing is lost, and Ratchet goes on by itself.';
  return /WRONGPASS|NOAUTH|NOPERM/u.test(failure) ? bad('redis', failure, fix) : warn('redis', failure, fix);
}

/** Whether GitHub knows the App. An outage ends by itself; a refusal lasts until somebody acts. */
export function checkGitHub(answer: { readonly slug: string } | Pick<GitHubError, 'code' | 'message'>): DoctorCheck {
  if ('slug' in answer) return good('github', `GitHub knows the App as ${JSON.stringify(answer.slug)}`);
  const { code, message } = answer;
  if (!REFUSALS.has(code)) return warn('github', message, 'Ratchet waits for GitHub, and goes on by itself.');
  return bad('github', `GitHub refuses the App: ${message}`, 'Check APP_ID, the private key and GHE_HOST.');
}

/** Of a part that was not looked at yet. */
export function notYet(name: string): DoctorCheck {
  return warn(name, 'it was not looked at yet', 'Ask again in a few seconds.');
}
