import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EpochMs } from '../../core/model/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FigureStore, GitHubRequest, Metrics } from '../../ports/metrics.ts';

/** From a re-run of git to the longest fixup, in seconds. */
const DURATIONS = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600];
/** The window of GitHub's limits is an hour: an older number says nothing. */
const LIMIT_WINDOW_MS = 3_600_000;
const MAX_LIMITS = 10_000;
const MICRO = 1_000_000;

/** Options of `createMetrics`. */
export interface MetricsOptions {
  readonly store: FigureStore;
  readonly clock: Clock;
  readonly version: string;
}

/**
 * Creates the metrics. What the database knows is read from it when somebody asks: queues, sessions, spending, and the lines of the
 * transition log that were written since the start. The rest is counted since the start. Names are those of Prometheus' conventions.
 */
export function createMetrics({ store, clock, version }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counter = createCounter(registry);
  const registers = [registry];
  new Gauge({ name: 'ratchet_build_info', help: 'The running version; always 1.', labelNames: ['version'], registers })
    .labels(version)
    .set(1);
  const deliveries = counter('ratchet_webhooks_total', 'Deliveries by event and by what became of them.', [
    'event',
    'result',
  ]);
  const launches = counter('ratchet_attempts_total', 'Fixups that were launched.', ['kind', 'agent']);
  const runs = counter('ratchet_runs_total', 'Fixups that ended.', ['kind', 'outcome', 'code', 'agent']);
  const durations = new Histogram({
    ...{ name: 'ratchet_run_duration_seconds', help: 'How long fixups took.', registers },
    ...{ labelNames: ['kind', 'outcome'], buckets: DURATIONS },
  });
  const requests = counter('ratchet_github_requests_total', 'Requests to GitHub by API and result.', ['api', 'result']);
  const limits = createLimits(clock);
  createLimitGauge(registry, limits.lowest);
  const readStore = createStoreMetrics(registry, { store, clock });
  return {
    countDelivery: (event, result) => deliveries.inc({ event: event ?? 'other', result }),
    countLaunch: ({ kind, agent }) => launches.inc({ kind, agent }),
    countEnd: ({ kind, agent, outcome, code, durationMs }) => {
      runs.inc({ kind, outcome, code, agent });
      durations.observe({ kind, outcome }, durationMs / 1000);
    },
    countRequest: (request) => {
      requests.inc({ api: request.api, result: request.result });
      limits.note(request);
    },
    render: async () => {
      readStore();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function createCounter(registry: Registry) {
  return <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name, help: `${help} Counted since the start.`, labelNames: [...labelNames], registers: [registry] });
}

/** What the newest answer about each installation says. Installations are no label: there may be many. */
function createLimits(clock: Clock): {
  readonly note: (request: GitHubRequest) => void;
  readonly lowest: () => ReadonlyMap<string, number>;
} {
  const seen = new Map<string, { readonly api: string; readonly remaining: number; readonly at: EpochMs }>();
  return {
    note: ({ api, installationId, remaining }) => {
      if (remaining === null) return;
      const key = `${api} ${String(installationId)}`;
      seen.delete(key);
      seen.set(key, { api, remaining, at: clock.now() });
      const [oldest] = seen.keys();
      if (seen.size > MAX_LIMITS && oldest !== undefined) seen.delete(oldest);
    },
    lowest: () => {
      const lowest = new Map<string, number>();
      for (const { api, remaining, at } of seen.values()) {
        if (clock.now() - at < LIMIT_WINDOW_MS) lowest.set(api, Math.min(remaining, lowest.get(api) ?? remaining));
      }
      return lowest;
    },
  };
}

function createLimitGauge(registry: Registry, lowest: () => ReadonlyMap<string, number>): void {
  new Gauge({
    name: 'ratchet_github_rate_remaining',
    help: 'What is left of the limit of the installation that has least, as its newest answer of the last hour says.',
    labelNames: ['api'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [api, remaining] of lowest()) this.set({ api }, remaining);
    },
  });
}

/** Returns what brings them up to date. */
function createStoreMetrics(registry: Registry, { store, clock }: Pick<MetricsOptions, 'store' | 'clock'>): () => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
  const depth = gauge('ratchet_queue_depth', 'Keys that wait for a run.', ['queue']);
  const age = gauge('ratchet_queue_oldest_seconds', 'How long the first of them has waited.', ['queue']);
  const sessions = gauge('ratchet_sessions', 'Sessions that have not ended.', ['kind']);
  // Read from the ledger, so they go on after a restart. In a month each only grows.
  const cost = gauge('ratchet_agent_cost_usd_total', 'What agents cost in that UTC month.', ['month']);
  const calls = gauge('ratchet_agent_calls_total', 'Calls of agents to models in that UTC month.', ['month']);
  const tokens = gauge('ratchet_agent_tokens_total', 'Tokens of agents in that UTC month.', ['month', 'type']);
  const decisions = createCounter(registry)('ratchet_decisions_total', 'Lines of the transition log.', [
    'action',
    'code',
  ]);
  let counted = store.newestTransition();
  return () => {
    for (const metric of [depth, age, sessions, cost, calls, tokens]) metric.reset();
    const now = clock.now();
    const figures = store.figures(now);
    for (const { queue, waiting, oldestAt } of figures.queues) {
      depth.set({ queue }, waiting);
      age.set({ queue }, Math.max(now - (oldestAt ?? now), 0) / 1000);
    }
    for (const { kind, count } of figures.sessions) sessions.set({ kind }, count);
    for (const { month, microUsd, calls: made, tokens: used } of figures.spent) {
      cost.set({ month }, microUsd / MICRO);
      calls.set({ month }, made);
      for (const [type, number] of Object.entries(used)) tokens.set({ month, type }, number);
    }
    const newest = store.newestTransition();
    for (const { action, code, count } of store.countTransitions(counted, newest))
      decisions.inc({ action, code }, count);
    counted = newest;
  };
}
