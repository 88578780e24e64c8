import type { EpochMs, PullRequestKey, SessionId } from '../model/ids.ts';
import type { SpendScope } from '../model/spend.ts';

/** The key of a scope's total: what it covers, and its UTC day or month. */
export function toScopeKey(scope: SpendScope): string {
  switch (scope.scope) {
    case 'fixup':
      return scope.sessionId;
    case 'pull_request':
      return scope.key;
    case 'day':
      return `${String(scope.repositoryId)}:${toUtcText(scope.at).slice(0, 'yyyy-mm-dd'.length)}`;
    case 'month':
      return `${String(scope.installationId)}:${toUtcText(scope.at).slice(0, 'yyyy-mm'.length)}`;
  }
}

/** The scopes that a call counts in. Day and month are those of its start. */
export function toScopesOf(call: {
  readonly sessionId: SessionId;
  readonly key: PullRequestKey;
  readonly repositoryId: number;
  readonly installationId: number;
  readonly startedAt: EpochMs;
}): readonly SpendScope[] {
  const { sessionId, key, repositoryId, installationId, startedAt: at } = call;
  return [
    { scope: 'fixup', sessionId },
    { scope: 'pull_request', key },
    { scope: 'day', repositoryId, at },
    { scope: 'month', installationId, at },
  ];
}

/** The beginning of the UTC month before that of `now`. */
export function toStartOfLastMonth(now: EpochMs): EpochMs {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1);
}

/** When the next UTC day begins. */
export function toStartOfNextDay(now: EpochMs): EpochMs {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
}

/** When the next UTC month begins. */
export function toStartOfNextMonth(now: EpochMs): EpochMs {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function toUtcText(at: EpochMs): string {
  return new Date(at).toISOString();
}
