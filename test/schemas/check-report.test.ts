import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CheckDocument, toCheckJsonSchemaText } from '../../src/schemas/check-report.ts';

const ERROR = { schemaVersion: 1, error: { exitCode: 2, problems: ['there is no a.ts'] } };

describe('the JSON Schema of ratchet check --json', () => {
  it('is the published one', () => {
    const published: unknown = JSON.parse(
      readFileSync(new URL('../../docs/check.schema.json', import.meta.url), 'utf8'),
    );

    expect(published, 'docs/check.schema.json is stale: npm run docs').toEqual(JSON.parse(toCheckJsonSchemaText()));
  });

  it('names every key', () => {
    expect(CheckDocument.safeParse(ERROR).success).toBe(true);
    expect(CheckDocument.safeParse({ ...ERROR, more: 1 }).success).toBe(false);
  });
});
