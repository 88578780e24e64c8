import type { Clock } from '../ports/clock.ts';
import { toShareKey } from './share-key.ts';

/** How many bodies, and how many of their bytes, are in memory at most. */
export interface RoomLimits {
  readonly maxBytes: number;
  readonly maxBodies: number;
}

/** A body that is about to arrive. */
export interface Arrival {
  /** IP address of the peer; null if the connection is gone. */
  readonly address: string | null;
  /** Content-Length; null for a chunked body. */
  readonly declaredBytes: number | null;
  /** Called when the body loses its place to another one. Its bytes are free by then. */
  readonly onEvicted: () => void;
}

/** The place of one body. */
export interface Place {
  /** Takes memory for bytes that arrived. False: the body has to go, and its place is free. */
  readonly take: (bytes: number) => boolean;
  /** Frees the place. Idempotent. */
  readonly leave: () => void;
}

/** Memory for the bodies of requests. */
export interface BodyRoom {
  /** Returns null if no place can be made. */
  readonly enter: (arrival: Arrival) => Place | null;
}

/** An address may hold this part of a room; beyond it, its bodies are the first to go. */
const SHARE = 1 / 4;
/** Half-life of the rate: two round trips of a distant sender. */
const HALF_LIFE_MS = 100;
/** A younger body goes only if all others are as young: its rate says little. */
const GRACE_MS = 500;

interface Body extends Arrival {
  readonly sharer: string;
  readonly since: number;
  bytes: number;
  /** Bytes that arrived lately, halved with each half-life. */
  rate: number;
  ratedAt: number;
}

/**
 * Creates a room that cannot be kept full by senders who stop in the middle. If it is full, the slowest unfinished body
 * loses its place: first among the addresses that hold more than their share, then among all. A complete body never
 * loses its place. Searches only while the room is full.
 */
export function createBodyRoom({ maxBytes, maxBodies }: RoomLimits, clock: Clock): BodyRoom {
  const bodies = new Set<Body>();
  let takenBytes = 0;

  function remove(body: Body): void {
    if (bodies.delete(body)) takenBytes -= body.bytes;
  }

  /** Evicts others until `body` fits. False: `body` itself has to go. */
  function makeRoom(body: Body): boolean {
    while (takenBytes > maxBytes || bodies.size > maxBodies) {
      const slowest = findSlowest(bodies, { maxBytes, maxBodies, now: clock.now() });
      if (slowest === null || slowest === body) return false;
      remove(slowest);
      slowest.onEvicted();
    }
    return true;
  }

  return {
    enter: (arrival) => {
      const now = clock.now();
      const sharer = toShareKey(arrival.address);
      const body: Body = { ...arrival, sharer, since: now, bytes: 0, rate: 0, ratedAt: now };
      bodies.add(body);
      if (!makeRoom(body)) {
        remove(body);
        return null;
      }
      return {
        take: (bytes) => {
          const takenAt = clock.now();
          body.rate = toRate(body, takenAt) + bytes;
          body.ratedAt = takenAt;
          body.bytes += bytes;
          takenBytes += bytes;
          if (makeRoom(body)) return true;
          remove(body);
          return false;
        },
        leave: () => remove(body),
      };
    },
  };
}

function toRate({ rate, ratedAt }: Body, now: number): number {
  return rate * 2 ** (Math.min(ratedAt - now, 0) / HALF_LIFE_MS);
}

/** The unfinished body that should go first; null if all are complete. */
function findSlowest(
  bodies: ReadonlySet<Body>,
  { maxBytes, maxBodies, now }: RoomLimits & { readonly now: number },
): Body | null {
  const shares = new Map<string, number>();
  for (const { sharer, bytes } of bodies) {
    shares.set(sharer, (shares.get(sharer) ?? 0) + Math.max(bytes / maxBytes, 1 / maxBodies));
  }
  const rank = (body: Body): readonly number[] => [
    (shares.get(body.sharer) ?? 0) > SHARE ? 0 : 1,
    now - body.since >= GRACE_MS ? 0 : 1,
    toRate(body, now),
  ];
  let slowest: { readonly body: Body; readonly rank: readonly number[] } | null = null;
  for (const body of bodies) {
    // That nothing has arrived yet does not make a new body the slowest.
    if (body.bytes === body.declaredBytes || (body.bytes === 0 && body.since === now)) continue;
    const own = rank(body);
    if (slowest === null || isBefore(own, slowest.rank)) slowest = { body, rank: own };
  }
  return slowest?.body ?? null;
}

/** Compares two lists of numbers of the same length, the first numbers first. */
function isBefore(left: readonly number[], right: readonly number[]): boolean {
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0;
    if (value !== other) return value < other;
  }
  return false;
}

/**
 * Creates a room with a part of its own for small bodies, which big ones cannot fill. A body of unknown length counts
 * as small until it has grown too big for that.
 */
export function createSplitRoom(
  limits: { readonly small: RoomLimits; readonly large: RoomLimits; readonly smallBodyBytes: number },
  clock: Clock,
): BodyRoom {
  const small = createBodyRoom(limits.small, clock);
  const large = createBodyRoom(limits.large, clock);
  return {
    enter: (arrival) => {
      if (arrival.declaredBytes !== null) {
        return (arrival.declaredBytes <= limits.smallBodyBytes ? small : large).enter(arrival);
      }
      let bytes = 0;
      let place = small.enter(arrival);
      let isSmall = true;
      return place === null
        ? null
        : {
            take: (more) => {
              bytes += more;
              if (!isSmall || bytes <= limits.smallBodyBytes) return place?.take(more) ?? false;
              isSmall = false;
              place?.leave();
              place = large.enter(arrival);
              return place?.take(bytes) ?? false;
            },
            leave: () => place?.leave(),
          };
    },
  };
}
