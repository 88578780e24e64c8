import type { CiQueue } from './ci/ci-queue.ts';
import type { Faults } from './faults.ts';
import type { Gates } from './gates.ts';
import type { State } from './state.ts';
import type { DeliveryQueue } from './webhooks/delivery-queue.ts';

/** The App under test, as its owner would have it after registration. */
export type AppIdentity = {
  readonly id: number;
  readonly slug: string;
  /** PKCS#1 PEM, the form GitHub hands out. */
  readonly privateKey: string;
  readonly webhookSecret: string;
};

/** A request the world answered. `route` is the OpenAPI operation, or the raw path for git and unknown routes. */
export type RequestRecord = {
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly kind: 'rest' | 'graphql' | 'git' | 'other';
  /** What was asked for: the OpenAPI operation, `graphql NAME`, or the raw path. */
  readonly operation: string;
  /** GraphQL points by GitHub's formula; 0 for everything else. */
  readonly points: number;
  readonly caller: 'app' | 'installation' | 'user' | 'anonymous' | 'refused';
  readonly status: number;
  readonly atMs: number;
};

/** A branch or tag that moved. */
export type PushRecord = {
  readonly repo: string;
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly login: string;
  readonly at: string;
};

/** Everything the parts of the world share. */
export type WorldContext = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Temporary folder that holds the repositories and CI check-outs. */
  readonly root: string;
  readonly app: AppIdentity;
  readonly state: State;
  readonly gates: Gates;
  readonly faults: Faults;
  readonly deliveries: DeliveryQueue;
  readonly ci: CiQueue;
  readonly violations: string[];
  readonly requests: RequestRecord[];
  readonly pushes: PushRecord[];
  /** A new id, unique across all kinds, below 2^31 because GraphQL's `databaseId` is an Int. */
  readonly nextId: () => number;
  /** The present instant, ISO 8601 UTC with second precision, as GitHub writes it. */
  readonly now: () => string;
  /** Wakes whoever waits with `until`. */
  readonly changed: () => void;
};
