import { judgeCircuit } from '../../core/agents/judge-circuit.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import type { Session } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';

/** Opens or closes the circuit of a model by what a session has seen of it. */
export function recordTrial(
  { clock, log, store }: Pick<Deps, 'clock' | 'log' | 'store'>,
  { key, startedAt }: Pick<Session, 'key' | 'startedAt'>,
  seen: { readonly fingerprint: string; readonly agent: string; readonly use: ModelUse },
): void {
  const { fingerprint, agent } = seen;
  const known = store.circuit(fingerprint);
  const judged = judgeCircuit(known, { ...seen, startedAt, now: clock.now() });
  if (judged === known) return;
  if (judged === null) {
    store.closeCircuit(fingerprint);
    log.info({ key, agent }, 'model works again');
    return;
  }
  store.saveCircuit(judged);
  const { fault, failures, until } = judged;
  log.warn({ key, agent, fault, failures, until }, 'model is not called for a while');
}
