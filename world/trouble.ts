import type { Json } from './json.ts';

/** A GraphQL answer that replaces the normal one, or null. */
export type GraphqlTrouble = { readonly body: Json; readonly headers: Readonly<Record<string, string>> };

/** What the world asks about the troubles that are on. */
export type TroubleReaders = {
  /** Returns and uses up an answer for a query that may return `nodes` nodes. */
  readonly takeGraphqlTrouble: (nodes: number) => GraphqlTrouble | null;
  /** How much GitHub's clock is ahead of ours. */
  readonly clockSkewMs: () => number;
  /** How a token of this age is refused; null if it is known everywhere. */
  readonly youngTokenStatus: (ageMs: number) => 401 | 404 | null;
  /** Returns and uses up a lag of the refs of `owner/name`. */
  readonly takeRefLag: (repo: string) => RefLag | null;
  /** Returns and uses up a reason that rejects a push to `owner/name`. */
  readonly takeRejection: (repo: string) => string | null;
  readonly areForkRefsHidden: () => boolean;
};

/** Refs that git does not show yet. */
export type RefLag = {
  readonly refs: readonly string[];
  /** Whether commits can be fetched by their SHA all the same. */
  readonly hasCommits: boolean;
};

/** Troubles of GitHub itself, as its users report them. */
export type TroubleSwitches = {
  /**
   * The next `times` GraphQL requests hit the primary limit: status 200, no `data`, and requests remaining by the
   * headers.
   */
  readonly limitGraphql: (options: { readonly times: number; readonly retryAfterSeconds?: number }) => void;
  /** The next `times` GraphQL requests fail as GitHub does by itself: status 200 and no `data`. */
  readonly failQueries: (options: { readonly times: number }) => void;
  /** Queries that may return more nodes get a partial answer; null turns this off. */
  readonly limitQueryNodes: (maxNodes: number | null) => void;
  /** GitHub's clock is this much ahead of ours; negative: behind. */
  readonly skewClock: (ms: number) => void;
  /** A new token is not known anywhere for this long: 401, then 404, also for git. */
  readonly hideNewTokens: (ms: number) => void;
  /** The next `times` reads of the refs of `owner/name` do not show these. */
  readonly lagRefs: (repo: string, lag: RefLag & { readonly times: number }) => void;
  /** The next `times` pushes to `owner/name` are rejected for this reason, and nothing is written. */
  readonly rejectPushes: (repo: string, options: { readonly times: number; readonly reason: string }) => void;
  /** Below the head branch of a fork's pull request everything is FORBIDDEN. */
  readonly hideForkRefs: (isOn: boolean) => void;
};

type Counted<Value> = { readonly value: Value; readonly remaining: number };

type State = {
  queries: Counted<GraphqlTrouble> | null;
  maxNodes: number | null;
  skewMs: number;
  youngMs: number;
  areForkRefsHidden: boolean;
  readonly lags: Map<string, Counted<RefLag>>;
  readonly rejections: Map<string, Counted<string>>;
};

function noTroubles(): State {
  const none = { queries: null, maxNodes: null, skewMs: 0, youngMs: 0, areForkRefsHidden: false };
  return { ...none, lags: new Map(), rejections: new Map() };
}

function takeFrom<Value>(counted: Map<string, Counted<Value>>, repo: string): Value | null {
  const found = counted.get(repo);
  if (found === undefined) return null;
  if (found.remaining > 1) counted.set(repo, { ...found, remaining: found.remaining - 1 });
  else counted.delete(repo);
  return found.value;
}

function toTooLarge(): GraphqlTrouble {
  const message = 'Resource limits for this query exceeded.';
  const error = { type: 'RESOURCE_LIMITS_EXCEEDED', path: ['repository'], message };
  return { body: { data: { repository: null }, errors: [error] }, headers: {} };
}

function createReaders(state: State): TroubleReaders {
  return {
    takeGraphqlTrouble(nodes) {
      const { queries, maxNodes } = state;
      if (queries !== null) {
        state.queries = queries.remaining > 1 ? { ...queries, remaining: queries.remaining - 1 } : null;
        return queries.value;
      }
      return maxNodes !== null && nodes > maxNodes ? toTooLarge() : null;
    },
    clockSkewMs: () => state.skewMs,
    youngTokenStatus(ageMs) {
      if (ageMs >= state.youngMs) return null;
      return ageMs < state.youngMs / 2 ? 401 : 404;
    },
    takeRefLag: (repo) => takeFrom(state.lags, repo),
    takeRejection: (repo) => takeFrom(state.rejections, repo),
    areForkRefsHidden: () => state.areForkRefsHidden,
  };
}

function createSwitches(state: State): TroubleSwitches {
  return {
    limitGraphql({ times, retryAfterSeconds }) {
      const error = {
        type: 'RATE_LIMIT',
        code: 'graphql_rate_limit',
        message: 'API rate limit already exceeded for installation ID 1.',
      };
      const headers: Readonly<Record<string, string>> =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      state.queries = { value: { body: { errors: [error] }, headers }, remaining: times };
    },
    failQueries({ times }) {
      const message =
        'Something went wrong while executing your query. Please include `ABCD:1234` when reporting this issue.';
      state.queries = { value: { body: { errors: [{ message }] }, headers: {} }, remaining: times };
    },
    limitQueryNodes(maxNodes) {
      state.maxNodes = maxNodes;
    },
    skewClock(ms) {
      state.skewMs = ms;
    },
    hideNewTokens(ms) {
      state.youngMs = ms;
    },
    lagRefs(repo, { times, ...value }) {
      state.lags.set(repo, { value, remaining: times });
    },
    rejectPushes(repo, { times, reason }) {
      state.rejections.set(repo, { value: reason, remaining: times });
    },
    hideForkRefs(isOn) {
      state.areForkRefsHidden = isOn;
    },
  };
}

/** The switches of `Faults` that are GitHub's own troubles. `clearTroubles` turns all off. */
export function createTroubles(): TroubleReaders & TroubleSwitches & { readonly clearTroubles: () => void } {
  const state = noTroubles();
  return {
    ...createReaders(state),
    ...createSwitches(state),
    clearTroubles() {
      Object.assign(state, noTroubles());
    },
  };
}
