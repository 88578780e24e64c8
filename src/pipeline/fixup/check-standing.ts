import { describeStanding } from '../../core/decide/agent-hold.ts';
import { readStanding } from '../agents/agent-standing.ts';
import type { TakenAgent } from '../agents/take-agent.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** Checks again, at the last moment, that the agent may be launched: a fixup may have waited for long. */
export function checkStanding(
  deps: Pick<Deps, 'clock' | 'settings' | 'store'>,
  { session, policy }: Pick<PreparedFixup, 'session' | 'policy'>,
  taken: TakenAgent,
): OrEnded<null> {
  const workspace = deps.store.workspace(session.key);
  if (workspace === null) return rejected('AGENT_HELD', 'The pull request is not known any more.');
  const standing = readStanding(deps, taken, { workspace, policy, now: deps.clock.now(), self: session.id });
  const why = describeStanding(standing);
  return why === null ? ok(null) : rejected('AGENT_HELD', why);
}
