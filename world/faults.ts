import { createTroubles, type TroubleReaders, type TroubleSwitches } from './trouble.ts';

/** A request, as passed to a fault's condition. */
export type FaultRequest = { readonly method: string; readonly path: string };

/** A delivery, as passed to a fault's condition. */
export type FaultDelivery = { readonly event: string; readonly action: string | null; readonly attempt: number };

/** Selects requests or deliveries for a fault. Without a condition all match. */
export type Matches<T> = (subject: T) => boolean;

/** What replaces the normal answer to a request. */
export type RequestFault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly message: string;
    }
  /** A page of the servers in front of GitHub. */
  | { readonly kind: 'page'; readonly status: number }
  | { readonly kind: 'hang' };

type PlannedRequestFault = {
  readonly fault: RequestFault;
  readonly matches: Matches<FaultRequest>;
  readonly remaining: number;
};

/** Deliveries held back by `holdDeliveries`. */
export type HeldDeliveries = {
  readonly count: () => number;
  /** Sends the held deliveries in the given order (default: as emitted) and stops holding. */
  readonly release: (order?: 'as-emitted' | 'reversed') => void;
};

/** Faults of a job that are not caused by its code. */
export type JobFaultKind = 'infrastructure' | 'shutdown' | 'timeout' | 'network' | 'billing';

/** A fault planned for the next job with a given name. */
export type JobFault = {
  /** The job's check run name, e.g. `test` or `test (20)`. */
  readonly name: string;
  readonly kind: JobFaultKind;
  /** How many of the next jobs with that name it affects; default 1. */
  readonly times?: number;
  /** Default: GitHub's conclusion for such a fault. A job over its time limit is `cancelled`. */
  readonly conclusion?: 'failure' | 'cancelled' | 'timed_out';
  /** The time limit in a `timeout` message; default 360, as on GitHub. */
  readonly minutes?: number;
};

type PlannedJobFault = { readonly repo: string; readonly fault: JobFault; readonly remaining: number };

/** How a workflow run without jobs ends: its file is invalid, or it needs approval first. */
export type StartConclusion = 'startup_failure' | 'action_required';

type Switches = {
  requestFaults: readonly PlannedRequestFault[];
  drop: Matches<FaultDelivery>;
  duplicate: Matches<FaultDelivery>;
  deliveryDelayMs: number;
  held: { readonly matches: Matches<FaultDelivery>; readonly sends: (() => void)[] } | null;
  unknownMergeabilityReads: number;
  staleConflicts: Set<string>;
  ciRegistrationDelayMs: number;
  isCiPaused: boolean;
  refusals: Map<string, string>;
  jobFaults: readonly PlannedJobFault[];
  startConclusions: Map<string, StartConclusion>;
  unexpanded: Set<string>;
  withdrawals: readonly Withdrawal[];
};

/** Re-runs of a repository that are held back. */
type Withdrawal = { readonly repo: string; readonly starts: (() => Promise<void>)[] };

/** A re-run held back by `withdrawOnRerun`. */
export type HeldRerun = {
  readonly count: () => number;
  /** Starts what was held, and holds no more. */
  readonly release: () => Promise<void>;
};

function never(): boolean {
  return false;
}

function always(): boolean {
  return true;
}

function noFaults(): Switches {
  return {
    requestFaults: [],
    drop: never,
    duplicate: never,
    deliveryDelayMs: 0,
    held: null,
    unknownMergeabilityReads: 0,
    staleConflicts: new Set(),
    ciRegistrationDelayMs: 0,
    isCiPaused: false,
    refusals: new Map(),
    jobFaults: [],
    startConclusions: new Map(),
    unexpanded: new Set(),
    withdrawals: [],
  };
}

/** Used by the world to read which faults are on. */
export type FaultReaders = {
  readonly takeRequestFault: (request: FaultRequest) => RequestFault | null;
  readonly takeUnknownMergeability: () => boolean;
  /** Whether pull requests of `owner/name` are reported as conflicting, regardless of git. */
  readonly isConflictClaimed: (repo: string) => boolean;
  readonly isDropped: Matches<FaultDelivery>;
  readonly isDuplicated: Matches<FaultDelivery>;
  /** Stores `send` and returns true if the delivery is held; false if it should be sent now. */
  readonly hold: (delivery: FaultDelivery, send: () => void) => boolean;
  readonly deliveryDelayMs: () => number;
  readonly ciRegistrationDelayMs: () => number;
  readonly isCiPaused: () => boolean;
  readonly refusal: (repo: string) => string | null;
  /** Returns and uses up the fault planned for the next job `name` of `owner/name`. */
  readonly takeJobFault: (repo: string, name: string) => JobFault | null;
  readonly startConclusion: (repo: string) => StartConclusion | null;
  /** Whether the new run of `owner/name` stays without jobs; uses the fault up. */
  readonly takeUnexpanded: (repo: string) => boolean;
  /** Keeps `start` and returns true if re-runs of `owner/name` are held back. */
  readonly withdrawUntilReleased: (repo: string, start: () => Promise<void>) => boolean;
};

/** Faults of requests: errors, rate limits, no answer. */
export type RequestFaultSwitches = {
  /** The next `times` matching requests get a 5xx (or another status) and have no effect. */
  readonly failRequests: (options: {
    readonly times: number;
    readonly status?: number;
    /** Default: what GitHub's API says in JSON. */
    readonly as?: 'json' | 'page';
    readonly matches?: Matches<FaultRequest>;
  }) => void;
  /** The next `times` matching requests hit GitHub's secondary rate limit. */
  readonly rateLimit: (options: {
    readonly times: number;
    readonly status?: 403 | 429;
    readonly retryAfterSeconds: number;
    readonly matches?: Matches<FaultRequest>;
  }) => void;
  /** The next `times` matching requests get no answer. */
  readonly hangRequests: (options: { readonly times: number; readonly matches?: Matches<FaultRequest> }) => void;
};

/** Faults of webhook deliveries. Without a condition a fault affects every delivery. */
export type DeliveryFaultSwitches = {
  /** Matching deliveries are sent twice with the same delivery id. */
  readonly duplicateDeliveries: (matches?: Matches<FaultDelivery>) => void;
  /** Matching deliveries are never sent; `redeliver` can send them later. */
  readonly dropDeliveries: (matches?: Matches<FaultDelivery>) => void;
  /** Every delivery is delayed by this much. */
  readonly delayDeliveries: (ms: number) => void;
  /** Holds matching deliveries back until `release`, which may reorder them. */
  readonly holdDeliveries: (matches?: Matches<FaultDelivery>) => HeldDeliveries;
};

/** Faults of CI. */
export type CiFaultSwitches = {
  /** Workflow runs and checks appear this long after the push. */
  readonly delayCiRegistration: (ms: number) => void;
  /** Jobs are registered as queued but do not start until `resumeCi`. */
  readonly pauseCi: () => void;
  readonly resumeCi: () => void;
  /** The next job with that name in `owner/name` fails, not because of its code. Later ones run normally. */
  readonly failJobOnce: (repo: string, fault: JobFault) => void;
  /** Workflow runs of `owner/name` end at once without jobs; `null` turns this off. */
  readonly stopRunsAtStart: (repo: string, conclusion: StartConclusion | null) => void;
  /** The next workflow run of `owner/name` gets no jobs: its matrix is not expanded before it is cancelled. */
  readonly leaveUnexpanded: (repo: string) => void;
  /**
   * A re-run of `owner/name` withdraws the old results, and the new ones come only after `release`. The suite keeps its
   * old conclusion meanwhile.
   */
  readonly withdrawOnRerun: (repo: string) => HeldRerun;
};

/** The fault switches of a world. All are off at the start. */
export type Faults = FaultReaders &
  TroubleReaders &
  TroubleSwitches &
  RequestFaultSwitches &
  DeliveryFaultSwitches &
  CiFaultSwitches & {
    /** `mergeable` is null / UNKNOWN for the next `reads` reads. */
    readonly lateMergeability: (reads: number) => void;
    /** Simulates a stale answer: pull requests of `owner/name` conflict, even if git merges them cleanly. */
    readonly claimConflicts: (repo: string, isOn: boolean) => void;
    /** Pushes to `owner/name` are refused with `message`; `null` turns this off. */
    readonly refusePush: (repo: string, message: string | null) => void;
    /** Invalidates every installation token now. */
    readonly expireTokens: () => void;
    /** Turns every fault off. Held deliveries stay held until released. */
    readonly clear: () => void;
  };

function createFaultReaders(switches: Switches): FaultReaders {
  return {
    takeRequestFault(request: FaultRequest): RequestFault | null {
      const planned = switches.requestFaults.find((candidate) => candidate.matches(request));
      if (planned === undefined) return null;
      switches.requestFaults = switches.requestFaults
        .map((entry) => (entry === planned ? { ...entry, remaining: entry.remaining - 1 } : entry))
        .filter((entry) => entry.remaining > 0);
      return planned.fault;
    },
    takeUnknownMergeability(): boolean {
      if (switches.unknownMergeabilityReads === 0) return false;
      switches.unknownMergeabilityReads -= 1;
      return true;
    },
    isConflictClaimed: (repo: string): boolean => switches.staleConflicts.has(repo),
    isDropped: (delivery: FaultDelivery): boolean => switches.drop(delivery),
    isDuplicated: (delivery: FaultDelivery): boolean => switches.duplicate(delivery),
    hold(delivery: FaultDelivery, send: () => void): boolean {
      if (switches.held === null || !switches.held.matches(delivery)) return false;
      switches.held.sends.push(send);
      return true;
    },
    deliveryDelayMs: (): number => switches.deliveryDelayMs,
    ciRegistrationDelayMs: (): number => switches.ciRegistrationDelayMs,
    isCiPaused: (): boolean => switches.isCiPaused,
    refusal: (repo: string): string | null => switches.refusals.get(repo) ?? null,
    takeJobFault(repo: string, name: string): JobFault | null {
      const planned = switches.jobFaults.find((entry) => entry.repo === repo && entry.fault.name === name);
      if (planned === undefined) return null;
      switches.jobFaults = switches.jobFaults
        .map((entry) => (entry === planned ? { ...entry, remaining: entry.remaining - 1 } : entry))
        .filter((entry) => entry.remaining > 0);
      return planned.fault;
    },
    startConclusion: (repo: string): StartConclusion | null => switches.startConclusions.get(repo) ?? null,
    takeUnexpanded: (repo: string): boolean => switches.unexpanded.delete(repo),
    withdrawUntilReleased(repo, start): boolean {
      const held = switches.withdrawals.find((entry) => entry.repo === repo);
      held?.starts.push(start);
      return held !== undefined;
    },
  };
}

function createRequestFaults(switches: Switches): RequestFaultSwitches {
  function plan(times: number, fault: RequestFault, matches: Matches<FaultRequest>): void {
    switches.requestFaults = [...switches.requestFaults, { fault, matches, remaining: times }];
  }
  return {
    failRequests(options) {
      const status = options.status ?? 502;
      const fault: RequestFault =
        options.as === 'page'
          ? { kind: 'page', status }
          : { kind: 'answer', status, headers: {}, message: 'Server Error' };
      plan(options.times, fault, options.matches ?? always);
    },
    rateLimit(options) {
      const headers = { 'retry-after': String(options.retryAfterSeconds) };
      const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
      plan(
        options.times,
        { kind: 'answer', status: options.status ?? 403, headers, message },
        options.matches ?? always,
      );
    },
    hangRequests(options) {
      plan(options.times, { kind: 'hang' }, options.matches ?? always);
    },
  };
}

function createDeliveryFaults(switches: Switches): DeliveryFaultSwitches {
  return {
    duplicateDeliveries(matches = always) {
      switches.duplicate = matches;
    },
    dropDeliveries(matches = always) {
      switches.drop = matches;
    },
    delayDeliveries(ms) {
      switches.deliveryDelayMs = ms;
    },
    holdDeliveries(matches = always) {
      const sends: (() => void)[] = [];
      const held = { matches, sends };
      switches.held = held;
      return {
        count: () => held.sends.length,
        release(order = 'as-emitted') {
          if (switches.held === held) switches.held = null;
          const released = held.sends.splice(0);
          for (const send of order === 'reversed' ? released.reverse() : released) send();
        },
      };
    },
  };
}

function createCiFaults(switches: Switches, effects: FaultEffects): CiFaultSwitches {
  return {
    delayCiRegistration(ms) {
      switches.ciRegistrationDelayMs = ms;
    },
    pauseCi() {
      switches.isCiPaused = true;
    },
    resumeCi() {
      switches.isCiPaused = false;
      effects.onCiResumed();
    },
    failJobOnce(repo, fault) {
      switches.jobFaults = [...switches.jobFaults, { repo, fault, remaining: fault.times ?? 1 }];
    },
    stopRunsAtStart(repo, conclusion) {
      if (conclusion === null) switches.startConclusions.delete(repo);
      else switches.startConclusions.set(repo, conclusion);
    },
    leaveUnexpanded: (repo) => void switches.unexpanded.add(repo),
    withdrawOnRerun(repo) {
      const held: Withdrawal = { repo, starts: [] };
      switches.withdrawals = [...switches.withdrawals, held];
      return {
        count: () => held.starts.length,
        async release() {
          switches.withdrawals = switches.withdrawals.filter((entry) => entry !== held);
          for (const start of held.starts.splice(0)) await start();
        },
      };
    },
  };
}

/** Effects of the switches on the world. */
export type FaultEffects = {
  /** Called when CI may continue. */
  readonly onCiResumed: () => void;
  readonly expireTokens: () => void;
};

export function createFaults(effects: FaultEffects): Faults {
  const switches = noFaults();
  const { clearTroubles, ...troubles } = createTroubles();
  return {
    ...createFaultReaders(switches),
    ...troubles,
    ...createRequestFaults(switches),
    ...createDeliveryFaults(switches),
    ...createCiFaults(switches, effects),
    lateMergeability(reads) {
      switches.unknownMergeabilityReads = reads;
    },
    claimConflicts(repo, isOn) {
      if (isOn) switches.staleConflicts.add(repo);
      else switches.staleConflicts.delete(repo);
    },
    refusePush(repo, message) {
      if (message === null) switches.refusals.delete(repo);
      else switches.refusals.set(repo, message);
    },
    expireTokens: effects.expireTokens,
    clear() {
      Object.assign(switches, noFaults());
      clearTroubles();
      effects.onCiResumed();
    },
  };
}
