import { describeTimeBudget } from '../../core/decide/agent-hold.ts';
import { toError } from '../../core/model/errors.ts';
import type { TimeBudget } from '../../core/model/spend.ts';
import type { LogFields } from '../../ports/log.ts';
import type { SiteOutcome } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import type { AgentAccount } from './with-model.ts';

/** The parts of `Deps` that the time of an agent needs. */
export type TimeDeps = Pick<Deps, 'clock' | 'log'> & {
  readonly store: Pick<Deps['store'], 'reserveTime' | 'endAgentRun'>;
};

/** Whose time it is, and how long the agent may work if no budget allows it less. */
export interface TimeOf {
  readonly account: AgentAccount;
  readonly agent: string;
  readonly timeoutMs: number;
  /** Fields that name it in the log. */
  readonly logged: LogFields;
}

/** How the agent ended. `boundBy`: the budget that left it less than its time limit; null: none did. */
type Timed<Ran> = Ran & { readonly boundBy: TimeBudget | null };

/**
 * Reserves an agent's time limit in all budgets, or what they leave of it, and charges what it took. If that is not known, the
 * whole reservation is charged.
 */
export async function withTime<Ran extends { readonly outcome: SiteOutcome }>(
  deps: TimeDeps,
  of: TimeOf,
  work: (timeoutMs: number) => Promise<Ran>,
): Promise<OrEnded<Timed<Ran>>> {
  const { clock, store } = deps;
  const { limits, sessionId, key, repositoryId, installationId } = of.account;
  const wantedMs = Math.max(of.timeoutMs, 0);
  const run = { sessionId, key, repositoryId, installationId, agent: of.agent, startedAt: clock.now(), wantedMs };
  const reservation = store.reserveTime(run, limits);
  if (reservation.kind === 'refused') return rejected('AGENT_HELD', describeTimeBudget(reservation));
  let tookMs: number | null = null;
  try {
    const ran = await work(reservation.timeMs);
    tookMs = ran.outcome.durationMs;
    return ok({ ...ran, boundBy: reservation.boundBy });
  } finally {
    charge(deps, of, { runId: reservation.runId, tookMs });
  }
}

/** Never throws: a row that could not be written keeps its reservation, which is never too little. */
function charge(
  { clock, log, store }: TimeDeps,
  { account: { limits, repositoryId, installationId }, logged }: TimeOf,
  { runId, tookMs: timeMs }: { readonly runId: number; readonly tookMs: number | null },
): void {
  try {
    for (const alert of store.endAgentRun(runId, { endedAt: clock.now(), timeMs }, limits)) {
      log.warn({ ...logged, ...alert, repositoryId, installationId }, 'a budget for agents is nearly used up');
    }
  } catch (error) {
    log.error({ ...logged, error: toError(error) }, 'the time of an agent could not be stored; its reservation stays');
  }
}
