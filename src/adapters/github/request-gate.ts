import { GitHubError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { Clock } from '../../ports/clock.ts';

/** Waits. Rejects with the signal's reason on abort. Injected, so that tests need no real time. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Pacing of the requests of one installation. */
export interface Pacing {
  /** Minimum time between two writes. GitHub asks for one second. */
  readonly writeSpacingMs: number;
  /** The longest wait inside a call. If the gate stays closed longer, the call fails at once. */
  readonly maxInlineWaitMs: number;
}

/** Holds back an installation's requests while GitHub asks it to wait (F14). */
export interface RequestGate {
  /** Resolves when the request may be sent. @throws GitHubError RATE_LIMITED (with seconds) if the wait is too long. */
  readonly pass: (request: GatedRequest, signal: AbortSignal) => Promise<void>;
  /**
   * Blocks the installation for `seconds` from now, or only its GraphQL requests. Does not shorten an existing block.
   */
  readonly close: (installationId: number, seconds: number, limited: 'graphql' | 'all') => void;
}

/** A request that is about to be made. */
export interface GatedRequest {
  readonly installationId: number;
  readonly kind: 'read' | 'write';
  readonly api: 'rest' | 'graphql';
}

interface Lane {
  readonly blockedUntil: Record<'graphql' | 'all', EpochMs>;
  nextWriteAt: EpochMs;
}

const maxLanes = 10_000;

/**
 * One gate for all installations of the process. It replaces octokit's throttling plugin, which sleeps inside the call
 * for long waits, counts every GraphQL read as a write, and comes with a retry plugin that repeats POSTs.
 */
export function createRequestGate(clock: Clock, sleep: Sleep, pacing: Pacing): RequestGate {
  const lanes = new Map<number, Lane>();

  function laneOf(installationId: number): Lane {
    const existing = lanes.get(installationId);
    if (existing !== undefined) return existing;
    if (lanes.size >= maxLanes) dropIdle(lanes, clock.now());
    const lane = { blockedUntil: { graphql: 0, all: 0 }, nextWriteAt: 0 };
    lanes.set(installationId, lane);
    return lane;
  }

  async function waitForWindow({ blockedUntil }: Lane, api: GatedRequest['api'], signal: AbortSignal): Promise<void> {
    const until = api === 'graphql' ? Math.max(blockedUntil.graphql, blockedUntil.all) : blockedUntil.all;
    const leftMs = until - clock.now();
    if (leftMs <= 0) return;
    if (leftMs > pacing.maxInlineWaitMs) {
      const retryAfterSeconds = Math.ceil(leftMs / 1000);
      const message = `GitHub asked to wait for ${retryAfterSeconds} s more; no request was made`;
      throw new GitHubError('RATE_LIMITED', message, { retry: 'later', retryAfterSeconds });
    }
    await sleep(leftMs, signal);
  }

  return {
    pass: async ({ installationId, kind, api }, signal) => {
      const lane = laneOf(installationId);
      await waitForWindow(lane, api, signal);
      if (kind === 'read') return;
      const writeAt = Math.max(clock.now(), lane.nextWriteAt);
      lane.nextWriteAt = writeAt + pacing.writeSpacingMs;
      if (writeAt > clock.now()) await sleep(writeAt - clock.now(), signal);
      // The gate may have closed while this write waited for its turn.
      await waitForWindow(lane, api, signal);
    },
    close: (installationId, seconds, limited) => {
      const { blockedUntil } = laneOf(installationId);
      blockedUntil[limited] = Math.max(blockedUntil[limited], clock.now() + seconds * 1000);
    },
  };
}

function dropIdle(lanes: Map<number, Lane>, now: EpochMs): void {
  for (const [installationId, lane] of lanes) {
    const { graphql, all } = lane.blockedUntil;
    if (Math.max(graphql, all, lane.nextWriteAt) <= now) lanes.delete(installationId);
  }
}
