import { setup as buildBundle } from '../test/support/build-bundle.ts';
import { setStage } from '../test/support/e2e.ts';
import type { Ratchet } from '../test/support/ratchet-process.ts';
import type { CallCounts } from '../world/calls.ts';
import type { World } from '../world/start-world.ts';

/** A local GitHub with the real App, which runs as a separate process. */
export interface AppStage {
  readonly world: World;
  readonly ratchet: Ratchet;
  readonly close: () => Promise<void>;
}

/** The App's calls by kind; without git requests. Requests for tokens are neither reads nor writes. */
export interface ApiCalls {
  readonly reads: number;
  readonly writes: number;
  readonly tokens: number;
  readonly points: number;
}

/** Our queries are named after what they read, mutations after what they do. */
const MUTATION = /^graphql (?:Add|Delete|Disable|Mark|Resolve|Start|Submit|Update)/;

/** Bundles the current App and starts it on an empty local GitHub. */
export async function startApp(script: object): Promise<AppStage> {
  await buildBundle();
  const stage = await setStage();
  const ratchet = await stage.start({ script, env: { LOG_LEVEL: 'info' } });
  return { world: stage.world, ratchet, close: stage.close };
}

/** Calls since the last reset. Mutations and REST calls other than GET are writes. */
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

/** `GET /x 3, …`, most calls first. */
export function renderOperations({ byOperation }: CallCounts): string {
  return Array.from(byOperation, ([operation, { calls }]) => `${operation} ${calls}`).join(', ');
}
