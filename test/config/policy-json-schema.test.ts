import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { toPolicyJsonSchema } from '../../src/config/policy-json-schema.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';

const HOW_TO_RENEW = 'docs/ratchet.schema.json is stale: npm run docs';

function toProperties(schema: unknown): readonly (readonly [string, unknown])[] {
  const properties: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'properties') : null;
  return typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
}

function valueOf(schema: unknown, keyword: string): unknown {
  return typeof schema === 'object' && schema !== null ? Reflect.get(schema, keyword) : undefined;
}

/** The values that hold where a file sets nothing, as the schema tells them. */
function toDefaults(schema: unknown): object {
  return Object.fromEntries(
    toProperties(schema).map(([key, inner]) => [
      key,
      toProperties(inner).length > 0 ? toDefaults(inner) : valueOf(inner, 'default'),
    ]),
  );
}

function findUndescribed(schema: unknown, prefix = ''): readonly string[] {
  return toProperties(schema).flatMap(([key, inner]) => [
    ...(typeof valueOf(inner, 'description') === 'string' ? [] : [`${prefix}${key}`]),
    ...findUndescribed(inner, `${prefix}${key}.`),
  ]);
}

describe('the JSON Schema of the policy file', () => {
  const schema = toPolicyJsonSchema();
  const isValid = new Ajv({ strict: false }).compile({ ...schema });

  it('is the published one', () => {
    const published: unknown = JSON.parse(
      readFileSync(new URL('../../docs/ratchet.schema.json', import.meta.url), 'utf8'),
    );

    expect(published, HOW_TO_RENEW).toEqual(schema);
  });

  it('is of the draft that YAML language servers read', () => {
    expect(schema).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' });
  });

  it('describes each key', () => {
    expect(findUndescribed(schema)).toEqual([]);
  });

  it('tells the built-in value of every setting', () => {
    expect(toDefaults(schema)).toEqual({ version: 1, ...DEFAULT_POLICY });
    expect(isValid(DEFAULT_POLICY)).toBe(true);
  });

  it.each([
    ['a single command', { validate: 'npm test' }, true],
    ['a list of commands', { validate: ['a', 'b'] }, true],
    ['an unknown key', { maxAttempt: 1 }, false],
    ['an unknown key of a section', { ci: { ignored: [] } }, false],
    ['too much', { maxAttempts: 21 }, false],
    ['an unknown mode', { mode: 'force' }, false],
    ['engines: auto', { engines: 'auto' }, true],
    ['an engine by name', { engines: { auto: true, eslint: true, tsc: null, mypy: { args: ['x'] } } }, true],
    ['an unknown key of an engine', { engines: { eslint: { arg: [] } } }, false],
    ['an unknown level', { engines: { failLevel: 'bad' } }, false],
    ['an entry that lacks a key', { merge: { regenerate: [{ path: 'a' }] } }, false],
  ])('judges %s as the server does', (_what, value, expected) => {
    expect(isValid(value)).toBe(expected);
  });
});
