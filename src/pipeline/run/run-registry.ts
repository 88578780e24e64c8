import type { AgentProgress } from '../../core/model/agent-progress.ts';
import type { PullRequestKey, RunId, Sha } from '../../core/model/ids.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { SupersededBy } from '../../core/model/session.ts';
import type { WaitForGitHub } from '../../core/model/wait-for-github.ts';
import { findLostGround } from '../../core/runs/interruption.ts';
import type { Deps, RunRegistry, Told } from '../deps.ts';

/** Creates an empty registry. */
export function createRunRegistry(): RunRegistry {
  const runs = new Map<RunId, { readonly controller: AbortController; why: SupersededBy | null }>();
  const waiting = new Map<RunId, WaitForGitHub>();
  const progress = new Map<RunId, AgentProgress>();
  const tellings = new Map<PullRequestKey, Told>();
  return {
    open(id) {
      const entry: { readonly controller: AbortController; why: SupersededBy | null } = {
        controller: new AbortController(),
        why: null,
      };
      runs.set(id, entry);
      return { signal: entry.controller.signal, stoppedBy: () => entry.why, close: () => void runs.delete(id) };
    },
    stop(id, why) {
      const entry = runs.get(id);
      if (entry === undefined) return false;
      entry.why ??= why;
      entry.controller.abort();
      return true;
    },
    isRunning: (id) => runs.has(id),
    waitingOf: (id) => waiting.get(id) ?? null,
    setWaiting: (id, wait) => setOrDelete(waiting, id, wait),
    progressOf: (id) => progress.get(id) ?? null,
    setProgress: (id, made) => setOrDelete(progress, id, made),
    toldOf: (key) => tellings.get(key) ?? null,
    setTold: (key, told) => setOrDelete(tellings, key, told),
  };
}

function setOrDelete<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

/**
 * Stops a working run whose pull request is closed, gone or at another head (resolution S9). A run with a planned effect is not
 * affected: its work is done, and the effect checks the pull request itself.
 */
export function stopOffGround(
  { log, running }: Pick<Deps, 'log' | 'running'>,
  run: { readonly id: RunId; readonly key: PullRequestKey; readonly headSha: Sha },
  facts: Pick<PullRequestFacts, 'state' | 'headSha'> | null,
): void {
  const why = findLostGround(facts, run.headSha);
  if (why === null || !running.stop(run.id, why)) return;
  log.info({ runId: run.id, key: run.key, why }, 'run stopped');
}
