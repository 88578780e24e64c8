import type { RequestRecord } from './world-context.ts';

/** Calls of one operation; `points` are GraphQL points, 0 for REST. */
export type OperationCalls = { readonly calls: number; readonly points: number };

/** Calls that the App made to GitHub with its JWT or an installation token. Git requests are counted separately. */
export type CallCounts = {
  readonly rest: number;
  readonly graphql: number;
  readonly graphqlPoints: number;
  readonly git: number;
  /** By REST operation (`GET /repos/{owner}/{repo}`) or `graphql NAME`, most calls first. */
  readonly byOperation: ReadonlyMap<string, OperationCalls>;
};

/** Counts the App's calls since the start or the last reset. */
export type Calls = {
  readonly read: () => CallCounts;
  readonly reset: () => void;
};

/** Creates a counter over the world's growing list of requests. */
export function createCalls(requests: readonly RequestRecord[]): Calls {
  let start = 0;
  return {
    read: () => countCalls(requests.slice(start)),
    reset: () => {
      start = requests.length;
    },
  };
}

function countCalls(requests: readonly RequestRecord[]): CallCounts {
  const own = requests.filter(({ caller }) => caller === 'app' || caller === 'installation');
  const ofKind = (kind: RequestRecord['kind']): readonly RequestRecord[] => own.filter((row) => row.kind === kind);
  const byOperation = new Map<string, OperationCalls>();
  for (const { operation, points } of [...ofKind('rest'), ...ofKind('graphql')]) {
    const before = byOperation.get(operation) ?? { calls: 0, points: 0 };
    byOperation.set(operation, { calls: before.calls + 1, points: before.points + points });
  }
  return {
    rest: ofKind('rest').length,
    graphql: ofKind('graphql').length,
    graphqlPoints: ofKind('graphql').reduce((sum, row) => sum + row.points, 0),
    git: ofKind('git').length,
    byOperation: new Map([...byOperation].sort(([, a], [, b]) => b.calls - a.calls)),
  };
}
