import type { FinalEvent } from '../../core/agents/judge-agent-run.ts';
import { toUsed } from '../../core/agents/to-agent-use.ts';
import type { AgentProgress } from '../../core/model/agent-progress.ts';
import { toError } from '../../core/model/errors.ts';
import { type EpochMs, toRunId } from '../../core/model/ids.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { AgentEvent } from '../../ports/agent.ts';
import type { Deps } from '../deps.ts';
import type { TakenAgent } from './take-agent.ts';
import type { OpenModel } from './with-model.ts';

/** Shortest time between two reports of progress. */
const REPORT_MS = 30_000;
const MAX_DETAIL = 160;

/** Follows one run of an agent. */
export interface AgentWatch {
  /** Takes the output of the agent as it arrives. Never throws. */
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onUse: (use: ModelUse) => void;
  /** The last event; null: there was none. `not_printed`: agents of this kind print none. */
  readonly final: () => FinalEvent | null | 'not_printed';
  /** Ends the report of progress. */
  readonly end: () => void;
}

/**
 * Reads the events of an agent and the use of its model, and has the pull request report them, at most every 30 seconds. Only the
 * evaluation of the pull request writes its check run.
 */
export function watchAgent(
  deps: Pick<Deps, 'clock' | 'log' | 'redact' | 'running' | 'store'>,
  session: FixupSession,
  { taken, opened }: { readonly taken: TakenAgent; readonly opened: OpenModel | null },
): AgentWatch {
  const { agent } = taken;
  const runId = toRunId(session.id);
  const reader = agent.newEventReader();
  let final: FinalEvent | null = null;
  let progress: AgentProgress = {
    ...{ agent: agent.name, model: opened?.model.model ?? null, doing: null },
    ...toUsed(null),
  };
  let hasEnded = false;
  let plannedAt: EpochMs = Number.NEGATIVE_INFINITY;

  function update(change: Partial<AgentProgress>): void {
    if (hasEnded) return;
    progress = { ...progress, ...change };
    deps.running.setProgress(runId, progress);
    const now = deps.clock.now();
    if (plannedAt > now) return;
    plannedAt = Math.max(now, plannedAt + REPORT_MS);
    deps.store.markWakeup(EVALUATE_QUEUE, session.key, plannedAt);
  }

  function take(event: AgentEvent): void {
    const detail = deps.redact(event.detail).slice(0, MAX_DETAIL).toWellFormed();
    if (event.kind === 'doing') update({ doing: { what: event.what, detail } });
    else final = { isError: event.isError, detail };
  }

  return {
    onUse: (use) => update(toUsed(use)),
    onStdout: (chunk) => {
      try {
        for (const event of reader.push(chunk)) take(event);
      } catch (error) {
        deps.log.warn({ sessionId: session.id, key: session.key, error: toError(error) }, 'events were not read');
      }
    },
    final: () => (agent.kind === 'command' || agent.kind === 'fake' ? 'not_printed' : final),
    end: () => {
      hasEnded = true;
      deps.running.setProgress(runId, null);
    },
  };
}
