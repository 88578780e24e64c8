import { asc, eq, sql } from 'drizzle-orm';
import type { AgentSwitch } from '../../core/model/spend.ts';
import type { SwitchStore } from '../../ports/spend-store.ts';
import type { Database } from './database.ts';
import { agentSwitches } from './schema.ts';

/** Stands for all repositories. GitHub gives no repository this number. */
const ALL = 0;

/** Creates the writer of `agent_switches` on `db`. */
export function createAgentSwitches(db: Database): SwitchStore {
  // The global one has the lowest number.
  const nearest = db
    .select()
    .from(agentSwitches)
    .where(sql`repository_id in (${ALL}, ${sql.placeholder('repositoryId')})`)
    .orderBy(asc(agentSwitches.repositoryId))
    .limit(1)
    .prepare();
  return {
    agentSwitch: (repositoryId) => {
      const row = nearest.get({ repositoryId });
      return row === undefined ? null : toSwitch(row);
    },
    agentSwitches: () => db.select().from(agentSwitches).orderBy(asc(agentSwitches.repositoryId)).all().map(toSwitch),
    switchAgentsOff: ({ repositoryId, ...off }) => {
      db.insert(agentSwitches)
        .values({ repositoryId: repositoryId ?? ALL, ...off })
        .onConflictDoUpdate({ target: agentSwitches.repositoryId, set: off })
        .run();
    },
    switchAgentsOn: (repositoryId) => {
      db.delete(agentSwitches)
        .where(eq(agentSwitches.repositoryId, repositoryId ?? ALL))
        .run();
    },
  };
}

function toSwitch({ repositoryId, ...off }: typeof agentSwitches.$inferSelect): AgentSwitch {
  return { repositoryId: repositoryId === ALL ? null : repositoryId, ...off };
}
