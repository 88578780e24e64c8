import { z } from 'zod';
import type { Payload } from '../core/model/engine.ts';
import type { StoredInvocation as Invocation } from '../ports/engine-cache.ts';
import { StoredCoverage, StoredExit, StoredParsedFinding, StoredTests } from './stored-engine-run.ts';

const StoredPayload: z.ZodType<Payload> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('parsed'),
    findings: z.array(StoredParsedFinding),
    partial: z.string().nullable(),
    unparsed: z.array(z.string()).exactOptional(),
    notes: z.array(z.string()).exactOptional(),
    toolFailure: z.string().nullable(),
    tests: StoredTests.nullable(),
    coverage: StoredCoverage.nullable(),
  }),
  z.strictObject({ kind: z.literal('empty') }),
  z.strictObject({ kind: z.literal('missing') }),
  z.strictObject({ kind: z.literal('invalid'), why: z.string() }),
]);

/** Stored form of a raw invocation, so that it can be judged again (003.R24). */
export const StoredInvocation: z.ZodType<Invocation> = z.strictObject({
  argv: z.array(z.string()),
  version: z.string().nullable(),
  exit: StoredExit,
  payload: StoredPayload,
  stderr: z.string(),
  category: z.string(),
  classifierVersion: z.number(),
});

/** Parses the JSON text of a cached invocation. Null if it is damaged or another version wrote it in another form. */
export function parseStoredInvocation(text: string): Invocation | null {
  try {
    return StoredInvocation.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
