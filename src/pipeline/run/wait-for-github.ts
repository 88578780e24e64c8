import { toRunId } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Session } from '../../core/model/session.ts';
import type { GitHubTrouble } from '../../core/runs/github-trouble.ts';
import type { Deps } from '../deps.ts';

/** Records that a session waits for GitHub, and wakes its pull request to report it. The queue runs the session again. */
export async function waitForGitHub(
  deps: Pick<Deps, 'clock' | 'evaluateQueue' | 'redact' | 'running' | 'store'>,
  { id, key }: Pick<Session, 'id' | 'key'>,
  { message }: GitHubTrouble,
): Promise<void> {
  const known = deps.running.waitingOf(toRunId(id));
  const why = deps.redact(message);
  if (known?.why === why) return;
  deps.running.setWaiting(toRunId(id), { why, since: known?.since ?? deps.clock.now() });
  deps.store.markWakeup(EVALUATE_QUEUE, key, null);
  await deps.evaluateQueue.announce([key]);
}

/** Records that GitHub works again for a session. */
export function goOn({ running }: Pick<Deps, 'running'>, { id }: Pick<Session, 'id'>): void {
  running.setWaiting(toRunId(id), null);
}
