import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';

/** A payload that GitHub sent once, from `@octokit/webhooks-examples`. */
export interface RecordedPayload {
  readonly eventName: string;
  readonly index: number;
  readonly action: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

const Examples = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));

/**
 * All recorded payloads. Those recorded by a repository's own webhook have no `installation`; an App's deliveries always
 * do, so it is put in.
 */
export function readRecordedPayloads(): readonly RecordedPayload[] {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
  return Examples.parse(JSON.parse(readFileSync(file, 'utf8'))).flatMap(({ name, examples }) =>
    examples.map((example, index) => ({
      eventName: name,
      index,
      action: typeof example['action'] === 'string' ? example['action'] : null,
      payload: { installation: { id: 7 }, ...example },
    })),
  );
}

/** The first recorded payload of `eventName`, with `action` where one is asked for. */
export function recorded(eventName: string, action: string | null = null): RecordedPayload {
  const found = readRecordedPayloads().find(
    (candidate) => candidate.eventName === eventName && (action === null || candidate.action === action),
  );
  if (found === undefined) throw new Error(`no recorded payload of ${eventName} ${String(action)}`);
  return found;
}
