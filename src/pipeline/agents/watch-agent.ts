import type { FinalEvent } from '../../core/agents/judge-agent-run.ts';
import { toUsed } from '../../core/agents/to-agent-use.ts';
import type { AgentProgress } from '../../core/model/agent-progress.ts';
import { toError } from '../../core/model/errors.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import type { ShownStep } from '../../core/model/shown-step.ts';
import type { AgentEvent } from '../../ports/agent.ts';
import type { Deps } from '../deps.ts';
import type { TakenAgent } from './take-agent.ts';
import type { OpenModel } from './with-model.ts';

const MAX_DETAIL = 160;

/** Follows one run of an agent. */
export interface AgentWatch {
  /** Takes the output of the agent as it arrives. Never throws. */
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onUse: (use: ModelUse) => void;
  /** The last event; null: there was none. `not_printed`: agents of this kind print none. */
  readonly final: () => FinalEvent | null | 'not_printed';
  /** The steps of the agent's own plan. Empty: it told of none. */
  readonly steps: () => readonly ShownStep[];
  /** Ends the report of progress. */
  readonly end: () => void;
}

/** Reads the events of an agent and the use of its model. `report` gets each change. */
export function watchAgent(
  deps: Pick<Deps, 'log' | 'redact'>,
  { taken, opened }: { readonly taken: TakenAgent; readonly opened: OpenModel | null },
  report: (progress: AgentProgress) => void,
): AgentWatch {
  const { agent } = taken;
  const reader = agent.newEventReader();
  let final: FinalEvent | null = null;
  let progress: AgentProgress = {
    ...{ agent: agent.name, model: opened?.model.model ?? null, doing: null },
    ...toUsed(null),
  };
  let steps: readonly ShownStep[] = [];
  let hasEnded = false;

  function update(change: Partial<AgentProgress>): void {
    if (hasEnded) return;
    progress = { ...progress, ...change };
    report(progress);
  }

  function take(event: AgentEvent): void {
    if (event.kind === 'plan') {
      steps = event.steps;
      return;
    }
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
        deps.log.warn({ error: toError(error) }, 'events were not read');
      }
    },
    final: () => (agent.kind === 'command' || agent.kind === 'fake' ? 'not_printed' : final),
    steps: () => steps,
    end: () => {
      hasEnded = true;
    },
  };
}
