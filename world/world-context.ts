import type { CiQueue } from './ci/ci-queue.ts';
import type { Faults } from './faults.ts';
import type { Gates } from './gates.ts';
import type { State } from './state.ts';
import type { DeliveryQueue } from './webhooks/delivery-queue.ts';

/** The App under test, as registered. */
export type AppIdentity = {
  readonly id: number;
  readonly slug: string;
  /** PKCS#1 PEM, as GitHub provides it. */
  readonly privateKey: string;
  readonly webhookSecret: string;
};

/** An answered request. `route` is the OpenAPI operation, or the raw path for git and unknown routes. */
export type RequestRecord = {
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly kind: 'rest' | 'graphql' | 'git' | 'other';
  /** The OpenAPI operation, `graphql NAME`, or the raw path. */
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

/** Everything that the parts of the world share. */
export type WorldContext = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Temporary folder with the repositories and CI checkouts. */
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
  /** A new id, unique across all kinds. Below 2^31, because GraphQL's `databaseId` is an Int. */
  readonly nextId: () => number;
  /** The current time in GitHub's format: ISO 8601 UTC with seconds. */
  readonly now: () => string;
  /** Wakes everyone who waits with `until`. */
  readonly changed: () => void;
};
