import { type PullRequestKey, parsePullRequestKey, parseSessionId, toPullNumber } from '../core/model/ids.ts';
import type { LogFields } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';

type Names = Pick<Store, 'repository' | 'session' | 'workspace'>;

/** Adds owner, name and number to the fields of a log line that names a pull request, a session of one, or a repository. */
export interface PullRequestNames {
  readonly of: (fields: LogFields) => LogFields;
  /** Before this no name is known. */
  readonly lookIn: (store: Names) => void;
}

/** A line is written whatever happens to the database, so without names if need be. */
export function createPullRequestNames(): PullRequestNames {
  let store: Names | null = null;
  return {
    lookIn: (opened) => {
      store = opened;
    },
    of: (fields) => {
      if (store === null) return {};
      try {
        return findNames(store, fields);
      } catch {
        return {};
      }
    },
  };
}

function findNames(store: Names, { key, sessionId, repositoryId }: LogFields): LogFields {
  const pullRequest = findKey(store, key) ?? findKey(store, sessionId);
  const workspace = pullRequest === null ? null : store.workspace(pullRequest);
  const id = typeof repositoryId === 'number' ? repositoryId : null;
  const repository = workspace?.repository ?? (id === null ? null : store.repository(id));
  if (repository === null) return {};
  const { owner, name } = repository;
  return { owner, name, ...(pullRequest === null ? {} : { number: toPullNumber(pullRequest) }) };
}

/** Queues name a fixup by its session. */
function findKey(store: Names, value: LogFields[string]): PullRequestKey | null {
  if (typeof value !== 'string') return null;
  if (value.includes('#')) return parsePullRequestKey(value);
  return store.session(parseSessionId(value))?.key ?? null;
}
