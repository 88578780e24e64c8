import type { Fixup } from '../core/model/session.ts';
import type { Metrics, RunLabels } from '../ports/metrics.ts';
import type { Store } from '../ports/store.ts';

/** The store, with each launch and each end of a fixup counted once it is stored. */
export function countSessions(store: Store, metrics: Pick<Metrics, 'countLaunch' | 'countEnd'>): Store {
  return {
    ...store,
    launchSession: (launch) => {
      const isLaunched = store.launchSession(launch);
      if (isLaunched) metrics.countLaunch(toLabels(launch.session.fixup));
      return isLaunched;
    },
    endSession: (id, end) => {
      const isEnded = store.endSession(id, end);
      const session = isEnded ? store.session(id) : null;
      if (session?.fixup !== null && session?.fixup !== undefined) {
        const code = end.outcome.kind === 'rejected' ? end.outcome.code : '';
        const durationMs = Math.max(end.at - session.startedAt, 0);
        metrics.countEnd({ ...toLabels(session.fixup), outcome: end.outcome.kind, code, durationMs });
      }
      return isEnded;
    },
  };
}

function toLabels({ action, agent, undo }: Fixup): RunLabels {
  return { kind: undo === undefined ? action : 'UNDO', agent };
}
