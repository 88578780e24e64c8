import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import autocannon from 'autocannon';
import { z } from 'zod';
import { NotMeasuredError } from './measure.ts';
import { createRandom, randomInteger } from './random.ts';

/** A delivery that is signed before the measurement. */
export interface SignedDelivery {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The pull request that every delivery of the load is about. */
export interface WatchedPullRequest {
  readonly installationId: number;
  readonly repositoryId: number;
  readonly owner: string;
  readonly name: string;
  readonly number: number;
  readonly headSha: string;
  readonly headRef: string;
}

const INSTALLATION_ID = 690857;

const Example = z.looseObject({
  action: z.string(),
  repository: z.looseObject({ id: z.number(), name: z.string(), owner: z.looseObject({ login: z.string() }) }),
  check_run: z.looseObject({
    id: z.number(),
    head_sha: z.string(),
    check_suite: z.looseObject({ head_branch: z.string() }),
  }),
});

const Recorded = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));

/** `count` deliveries of the recorded `check_run` payload, each with its own GUID, check run id, body and signature. */
export function signDeliveries(options: { readonly count: number; readonly secret: string; readonly seed: number }): {
  readonly deliveries: readonly SignedDelivery[];
  readonly watched: WatchedPullRequest;
} {
  const example = readExample();
  const random = createRandom(options.seed);
  const deliveries = Array.from({ length: options.count }, (_, index) => {
    const run = { ...example.check_run, id: example.check_run.id + index };
    const payload = { ...example, check_run: run, installation: { id: INSTALLATION_ID, node_id: 'MDIzOg==' } };
    const body = Buffer.from(JSON.stringify(payload));
    const signature = createHmac('sha256', options.secret).update(body).digest('hex');
    return { body, headers: toHeaders(signature, toGuid(random)) };
  });
  const { repository, check_run: run } = example;
  const watched = {
    ...{ installationId: INSTALLATION_ID, repositoryId: repository.id, number: 1, headSha: run.head_sha },
    ...{ owner: repository.owner.login, name: repository.name, headRef: run.check_suite.head_branch },
  };
  return { deliveries, watched };
}

function readExample(): z.infer<typeof Example> {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
  const recorded = Recorded.parse(JSON.parse(readFileSync(file, 'utf8')));
  const all = recorded.find(({ name }) => name === 'check_run')?.examples ?? [];
  return Example.parse(all.find((example) => example['action'] === 'completed'));
}

function toHeaders(signature: string, guid: string): SignedDelivery['headers'] {
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/bench',
    'x-github-delivery': guid,
    'x-github-event': 'check_run',
    'x-hub-signature-256': `sha256=${signature}`,
  };
}

function toGuid(random: () => number): string {
  const hex = Array.from({ length: 4 }, () => randomInteger(random, 0, 0xffff_ffff).toString(16).padStart(8, '0')).join(
    '',
  );
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const CONNECTIONS = 50;

/**
 * Posts each delivery once, over 50 connections. Resolves with the milliseconds from the first request to the last
 * answer.
 * @throws NotMeasuredError unless every delivery was acknowledged with a 2xx.
 */
export async function postAll(url: string, deliveries: readonly SignedDelivery[]): Promise<number> {
  const share = Math.ceil(deliveries.length / CONNECTIONS);
  if (share * CONNECTIONS !== deliveries.length) throw new NotMeasuredError(`deliveries must come in fifties`);
  let clients = 0;
  let startedAt = performance.now();
  let endedAt = startedAt;
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const options: autocannon.Options = {
    ...{ url, method: 'POST', connections: CONNECTIONS, amount: deliveries.length, sampleInt: 100 },
    // Called before the client connects, so building the requests here is not timed.
    setupClient: (client) => {
      const from = clients * share;
      clients += 1;
      const own = deliveries.slice(from, from + share);
      client.setRequests(own.map(({ body, headers }) => ({ method: 'POST', body, headers: { ...headers } })));
    },
  };
  const load = autocannon(options, (error: unknown, outcome) => {
    if (error instanceof Error) reject(error);
    else resolve(outcome);
  });
  load.on('start', () => {
    startedAt = performance.now();
  });
  load.on('response', () => {
    endedAt = performance.now();
  });
  const result = await promise;
  if (result['2xx'] !== deliveries.length || result.non2xx > 0 || result.errors > 0) {
    const got = `${result['2xx']} of ${deliveries.length} acknowledged, ${result.non2xx} refused, ${result.errors} errors`;
    throw new NotMeasuredError(`webhooks were lost: ${got}`);
  }
  return endedAt - startedAt;
}
