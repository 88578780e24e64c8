import { type ModelUse, UPSTREAM_FAULTS, type UpstreamFault } from '../model/model-use.ts';

/** Why the model did not do its work for a session; null: its last call succeeded, or none reached it. */
export function findFault({ lastCall, stoppedBy, faults }: ModelUse): UpstreamFault | null {
  // Without a key that can be used, no call is sent.
  if (stoppedBy?.why === 'misconfigured') return 'auth';
  if (lastCall !== null && lastCall !== 'ok') return lastCall;
  return stoppedBy?.why === 'failing' ? toMostFrequent(faults) : null;
}

function toMostFrequent(faults: ModelUse['faults']): UpstreamFault {
  let most: UpstreamFault = 'overloaded';
  for (const fault of UPSTREAM_FAULTS) if ((faults[fault] ?? 0) > (faults[most] ?? 0)) most = fault;
  return most;
}
