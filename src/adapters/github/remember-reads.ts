import { toSignal } from '../../core/ci/check-signal.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { CheckResult, PullRequestFacts, PullRequestRef, RepositoryRef } from '../../core/model/pull-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GitHub } from '../../ports/github.ts';

/** The reads without a cache. */
export interface LiveReads
  extends Pick<
    GitHub,
    'readPullRequest' | 'readPermission' | 'readAllAnnotations' | 'readJobLog' | 'readMergeBase' | 'readChecksAt'
  > {
  /** In the order of `numbers`; null for one that must be read alone. */
  readonly readPullRequests: (
    repository: RepositoryRef,
    numbers: readonly number[],
    signal: AbortSignal,
  ) => Promise<readonly (PullRequestFacts | null)[]>;
}

type RememberedReads = Omit<LiveReads, 'readPullRequests'> & Pick<GitHub, 'readTogether' | 'forgetTogether'>;

/** Pull requests per query. Each has about 2,500 nodes, and GitHub stops a query after ten seconds. */
const MAX_TOGETHER = 10;
/** How long the other pull requests of such a query are kept. They are evaluated right after the first. */
const TOGETHER_MS = 60_000;
/** How long pull requests of a repository are read one by one after a query for several failed. */
const NOT_TOGETHER_MS = 60 * 60_000;
/** The output of a finished job does not change: a re-run is a new job. */
const EVIDENCE_MS = 30 * 60_000;
/** The finished results of a commit change only with a re-run, and green ones are not run again. */
const CHECKS_MS = 10 * 60_000;

/**
 * Caches responses of GitHub in memory. One is reused only if the caller accepts its age or it cannot change any more.
 * The cache is bounded and safe to lose.
 */
export function rememberReads(live: LiveReads, clock: Clock): RememberedReads {
  return { ...rememberPullRequests(live, clock), ...rememberPermissions(live, clock), ...rememberCi(live, clock) };
}

function rememberPullRequests(
  live: LiveReads,
  clock: Clock,
): Pick<RememberedReads, 'readPullRequest' | 'readTogether' | 'forgetTogether'> {
  const recent = createMemory<PullRequestFacts>(clock, 100);
  const together = createMemory<Promise<PullRequestFacts | null>>(clock, 1_000);
  const apart = createMemory<true>(clock, 1_000);

  async function readLive(ref: PullRequestRef, signal: AbortSignal): Promise<PullRequestFacts | null> {
    const at = clock.now();
    // A later look must not get older facts than this one.
    together.forget(toPullKey(ref));
    const facts = await live.readPullRequest(ref, signal);
    if (facts === null) recent.forget(toPullKey(ref));
    else recent.keep(toPullKey(ref), facts, at);
    return facts;
  }

  async function readAll(
    refs: readonly PullRequestRef[],
    signal: AbortSignal,
  ): Promise<readonly (PullRequestFacts | null)[]> {
    const [first] = refs;
    if (first === undefined) return [];
    try {
      const answers = await live.readPullRequests(
        first.repository,
        refs.map(({ number }) => number),
        signal,
      );
      if (answers.every((facts) => facts === null)) apart.keep(toRepositoryKey(first.repository), true);
      return answers;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (error.code !== 'RATE_LIMITED') apart.keep(toRepositoryKey(first.repository), true);
      return refs.map(() => null);
    }
  }

  function startTogether(refs: readonly PullRequestRef[], signal: AbortSignal): Promise<PullRequestFacts | null> {
    const answers = readAll(refs, signal);
    const at = clock.now();
    const own = refs.map(async (_ref, index) => (await answers)[index] ?? null);
    for (const [index, ref] of refs.entries()) {
      if (index > 0) together.keep(toPullKey(ref), orNull(own[index] ?? Promise.resolve(null)), at);
    }
    return own[0] ?? Promise.resolve(null);
  }

  return {
    readPullRequest: async (ref, signal, maxAgeMs = 0) => recent.get(toPullKey(ref), maxAgeMs) ?? readLive(ref, signal),
    readTogether: async (ref, others, signal) => {
      const kept = together.take(toPullKey(ref), TOGETHER_MS);
      const missing = others.filter((other) => together.get(toPullKey(other), TOGETHER_MS) === undefined);
      const isAlone = missing.length === 0 || apart.get(toRepositoryKey(ref.repository), NOT_TOGETHER_MS) === true;
      const reading = kept ?? (isAlone ? null : startTogether([ref, ...missing].slice(0, MAX_TOGETHER), signal));
      return (await reading) ?? readLive(ref, signal);
    },
    forgetTogether: (repositoryId) => together.forgetAll(`${repositoryId}#`),
  };
}

function rememberPermissions(live: LiveReads, clock: Clock): Pick<RememberedReads, 'readPermission'> {
  const writers = createMemory<Awaited<ReturnType<GitHub['readPermission']>>>(clock, 5_000);
  return {
    readPermission: async (repository, login, signal, maxAgeMs = 0) => {
      const key = `${toRepositoryKey(repository)}${login.toLowerCase()}`;
      const known = writers.get(key, maxAgeMs);
      if (known !== undefined) return known;
      const at = clock.now();
      writers.forget(key);
      const found = await live.readPermission(repository, login, signal);
      // Denials are not cached, so a newly granted right takes effect at once.
      if (found.permission === 'write' || found.permission === 'admin') writers.keep(key, found, at);
      else writers.forget(key);
      return found;
    },
  };
}

function rememberCi(
  live: LiveReads,
  clock: Clock,
): Pick<RememberedReads, 'readAllAnnotations' | 'readJobLog' | 'readMergeBase' | 'readChecksAt'> {
  const annotations = createMemory<readonly CheckAnnotation[]>(clock, 200);
  const logs = createMemory<string>(clock, 20);
  const mergeBases = createMemory<NonNullable<Awaited<ReturnType<GitHub['readMergeBase']>>>>(clock, 1_000);
  const checks = createMemory<readonly CheckResult[]>(clock, 50);
  return {
    readAllAnnotations: async (repository, of, limit, signal) => {
      const toKey = ({ id }: CheckResult): string => `${toRepositoryKey(repository)}${id}:${limit}`;
      const known = new Map(of.map((check) => [check.id, annotations.get(toKey(check), EVIDENCE_MS)]));
      const missing = of.filter(({ id }) => known.get(id) === undefined);
      const read = missing.length === 0 ? null : await live.readAllAnnotations(repository, missing, limit, signal);
      const found = new Map<number, readonly CheckAnnotation[]>();
      for (const check of of) {
        const list = known.get(check.id) ?? read?.get(check.id);
        if (list === undefined) continue;
        found.set(check.id, list);
        if (check.status === 'completed') annotations.keep(toKey(check), list);
      }
      return found;
    },
    readJobLog: async (repository, check, want, signal) => {
      const key = `${toRepositoryKey(repository)}${check.id}`;
      const known = logs.get(key, EVIDENCE_MS);
      if (known !== undefined && Buffer.byteLength(known) <= want.maxBytes) {
        want.take?.(Buffer.from(known));
        return known;
      }
      const log = await live.readJobLog(repository, check, want, signal);
      // Cache only a short, complete log: it serves every limit.
      if (log !== null && check.status === 'completed' && isWhole(log, want.maxBytes)) logs.keep(key, log);
      return log;
    },
    // The merge base of two commits never changes.
    readMergeBase: async (repository, base, head, signal) => {
      const key = `${toRepositoryKey(repository)}${base}...${head}`;
      const known = mergeBases.get(key, Number.POSITIVE_INFINITY);
      const found = known ?? (await live.readMergeBase(repository, base, head, signal));
      if (found !== null) mergeBases.keep(key, found);
      return found;
    },
    readChecksAt: async (repository, sha, signal) => {
      const key = `${toRepositoryKey(repository)}${sha}`;
      const known = checks.get(key, CHECKS_MS);
      if (known !== undefined) return known;
      const found = await live.readChecksAt(repository, sha, signal);
      // A commit without results may get them any moment, and a failure may be repaired by a re-run.
      if (found.length > 0 && found.every((result) => toSignal(result) === 'green')) checks.keep(key, found);
      return found;
    },
  };
}

const MAX_KEPT_LOG_BYTES = 256 * 1024;

function isWhole(log: string, maxBytes: number): boolean {
  // Cutting inside a character drops up to 3 more bytes.
  return Buffer.byteLength(log) < Math.min(maxBytes, MAX_KEPT_LOG_BYTES) - 4;
}

async function orNull<Value>(reading: Promise<Value | null>): Promise<Value | null> {
  try {
    return await reading;
  } catch {
    return null;
  }
}

function toRepositoryKey({ repositoryId }: Pick<RepositoryRef, 'repositoryId'>): string {
  return `${repositoryId}#`;
}

function toPullKey({ repository, number }: PullRequestRef): string {
  return `${toRepositoryKey(repository)}${number}`;
}

interface Memory<Value> {
  /** Undefined if there is no value or it is too old. */
  readonly get: (key: string, maxAgeMs: number) => Value | undefined;
  /** Like `get`, and removes the value. */
  readonly take: (key: string, maxAgeMs: number) => Value | undefined;
  /** `at` is when the read began; the default is now. */
  readonly keep: (key: string, value: Value, at?: EpochMs) => void;
  readonly forget: (key: string) => void;
  readonly forgetAll: (prefix: string) => void;
}

/** A cache that drops its oldest entry when it has more than `max`. */
function createMemory<Value>(clock: Clock, max: number): Memory<Value> {
  const kept = new Map<string, { readonly value: Value; readonly at: EpochMs }>();
  const get = (key: string, maxAgeMs: number): Value | undefined => {
    const found = kept.get(key);
    return found !== undefined && clock.now() - found.at < maxAgeMs ? found.value : undefined;
  };
  return {
    get,
    take: (key, maxAgeMs) => {
      const value = get(key, maxAgeMs);
      kept.delete(key);
      return value;
    },
    keep: (key, value, at = clock.now()) => {
      kept.delete(key);
      kept.set(key, { value, at });
      if (kept.size > max) kept.delete(kept.keys().next().value ?? key);
    },
    forget: (key) => void kept.delete(key),
    forgetAll: (prefix) => {
      for (const key of kept.keys()) if (key.startsWith(prefix)) kept.delete(key);
    },
  };
}
