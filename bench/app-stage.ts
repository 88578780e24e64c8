import { setup as buildBundle } from '../test/support/build-bundle.ts';
import { setStage } from '../test/support/e2e.ts';
import type { Ratchet } from '../test/support/ratchet-process.ts';
import type { CallCounts } from '../world/calls.ts';
import type { World } from '../world/start-world.ts';

/** A local GitHub with the real App on it, as a process of its own. */
export interface AppStage {
  readonly world: World;
  readonly ratchet: Ratchet;
  readonly close: () => Promise<void>;
}

/** Calls of the App by what they cost; git's traffic and the minting of tokens have no part in the limits that count here. */
export interface ApiCalls {
  readonly reads: number;
  readonly writes: number;
  readonly tokens: number;
  readonly points: number;
}

/** A query of ours is called by what it reads, a mutation by what it does. */
const MUTATION = /^graphql (?:Add|Delete|Disable|Mark|Resolve|Start|Submit|Update)/;

/** Bundles the App as it is now, and starts it on an empty local GitHub. */
export async function startApp(script: object): Promise<AppStage> {
  await buildBundle();
  const stage = await setStage();
  const ratchet = await stage.start({ script, env: { LOG_LEVEL: 'info' } });
  return { world: stage.world, ratchet, close: stage.close };
}

/** What was asked since the last reset: a mutation, and any REST call but GET, is a write. */
export function toApiCalls({ byOperation, graphqlPoints }: CallCounts): ApiCalls {
  const totals = { reads: 0, writes: 0, tokens: 0 };
  for (const [operation, { calls }] of byOperation) totals[toKind(operation)] += calls;
  return { ...totals, points: graphqlPoints };
}

function toKind(operation: string): 'reads' | 'writes' | 'tokens' {
  if (/access_tokens|installation\/token|^GET \/app$/.test(operation)) return 'tokens';
  if (operation.startsWith('graphql')) return MUTATION.test(operation) ? 'writes' : 'reads';
  return operation.startsWith('GET ') ? 'reads' : 'writes';
}

/** `GET /x 3, …`, the most called first. */
export function renderOperations({ byOperation }: CallCounts): string {
  return Array.from(byOperation, ([operation, { calls }]) => `${operation} ${calls}`).join(', ');
}
