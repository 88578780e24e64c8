import { InvariantError } from '../../core/model/errors.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import { describeOutcome } from '../../core/runs/fixup-end.ts';
import { toUsd } from '../../core/spend/session-limits.ts';
import type { Deps, Lease } from '../deps.ts';
import { beginPlanRun } from '../execution/plan-journal.ts';
import { runWork, type WorkStep } from '../execution/run-work.ts';
import type { OrEnded } from '../prepare/or-ended.ts';

/** How many steps of a fixup run at the same time. */
const MAX_CONCURRENT = 4;

/** A step of a fixup ended it. */
class FixupEnded extends Error {
  readonly outcome: SessionOutcome;

  constructor(outcome: SessionOutcome) {
    super(describeOutcome(outcome));
    this.outcome = outcome;
  }
}

/** A step, and what it makes for those that come after it. */
export interface FixupStep<Value> extends WorkStep {
  /** @throws InvariantError before the step has completed. */
  readonly made: () => Value;
  readonly isDone: () => boolean;
}

/** A step whose work may end the fixup. */
export function toFixupStep<Value>(
  { store }: Pick<Deps, 'store'>,
  session: FixupSession,
  step: Pick<WorkStep, 'id' | 'description'> & {
    readonly actionType: 'prepare' | 'change' | 'integrate';
    readonly after: readonly WorkStep[];
    readonly work: (signal: AbortSignal) => Promise<OrEnded<Value>>;
  },
): FixupStep<Value> {
  const { after, work, ...named } = step;
  const spent = (): number => store.spent({ scope: 'fixup', sessionId: session.id }).microUsd;
  let end: OrEnded<Value> | null = null;
  return {
    ...named,
    after: after.map(({ id }) => id),
    act: async (signal) => {
      const before = spent();
      end = await work(signal);
      if (end.kind === 'ended') throw new FixupEnded(end.outcome);
      // Only the agent costs money, and only one step at a time has one.
      return toUsd(spent() - before);
    },
    made: () => {
      if (end?.kind !== 'ok') throw new InvariantError(`the step ${named.id} has made nothing`);
      return end.value;
    },
    isDone: () => end?.kind === 'ok',
  };
}

/** Runs the steps of a fixup on the executor of plans, which keeps for people how each one ended. Returns the outcome that ended it, if any. */
export async function runFixupSteps(
  deps: Pick<Deps, 'clock' | 'newId' | 'store'>,
  { id, key }: FixupSession,
  { steps, last }: { readonly steps: readonly WorkStep[]; readonly last: FixupStep<unknown> },
  { signal }: Pick<Lease, 'signal'>,
): Promise<SessionOutcome | null> {
  try {
    await runWork(steps, {
      ...{ clock: deps.clock, maxConcurrent: MAX_CONCURRENT, signal },
      openJournal: async (plan) => (await beginPlanRun(deps, { plan, owner: key, place: id })).journal,
    });
    return null;
  } catch (error) {
    if (error instanceof FixupEnded) return error.outcome;
    // The push is planned: that its steps could not be kept for people changes nothing.
    if (last.isDone()) return null;
    throw error;
  }
}
