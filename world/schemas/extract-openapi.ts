/**
 * Reduces GitHub's OpenAPI description to the operations of `operations.ts` and writes
 * `openapi-subset.json`: plain JSON Schema (OpenAPI 3.0 `nullable` converted), without prose.
 *
 *   npm install --prefix /tmp/openapi @octokit/openapi@23.0.2     (385 MB, hence not a dependency)
 *   node world/schemas/extract-openapi.ts /tmp/openapi/node_modules/@octokit/openapi/generated/api.github.com.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  arrayAt,
  entriesOf,
  isJsonArray,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  parseJson,
  toObject,
} from '../json.ts';
import { OPERATIONS } from './operations.ts';

const PROSE = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'title', 'deprecated']);
const NAME_MAPS = new Set(['properties', 'schemas', 'parameters', 'responses', 'content', 'patternProperties']);
const STATUS = /^\d{3}$/u;

/** Removes prose and `x-*` keys, but keeps a *property* named `description`. */
function stripProse(value: Json, isNameMap = false): Json {
  if (isJsonArray(value)) return value.map((item) => stripProse(item));
  if (!isObject(value)) return value;
  const kept = entriesOf(value).filter(([key]) => isNameMap || !(PROSE.has(key) || key.startsWith('x-')));
  return toObject(
    kept.map(([key, child]) => [key, key === 'enum' ? child : stripProse(child, !isNameMap && NAME_MAPS.has(key))]),
  );
}

/** Converts OpenAPI 3.0's `nullable: true` to JSON Schema for Ajv. */
function convertNullable(value: Json): Json {
  if (isJsonArray(value)) return value.map(convertNullable);
  if (!isObject(value)) return value;
  const kept = entriesOf(value).filter(([key]) => key !== 'discriminator' && key !== 'nullable');
  const schema = toObject(kept.map(([key, child]) => [key, key === 'enum' ? child : convertNullable(child)]));
  return value['nullable'] === true ? { anyOf: [{ type: 'null' }, schema] } : schema;
}

function componentRefs(value: Json, found: Set<string>): void {
  if (isJsonArray(value)) {
    for (const item of value) componentRefs(item, found);
    return;
  }
  if (!isObject(value)) return;
  const ref = value['$ref'];
  if (typeof ref === 'string') found.add(ref);
  for (const [, child] of entriesOf(value)) componentRefs(child, found);
}

function resolveRef(document: JsonObject, ref: string): Json {
  let node: Json = document;
  for (const key of ref.replace(/^#\//u, '').split('/')) node = isObject(node) ? (node[key] ?? null) : null;
  return node;
}

/** Inlines a parameter, response or header behind a `$ref`. Schemas stay shared. */
function inline(document: JsonObject, value: Json): Json {
  const ref = isObject(value) ? value['$ref'] : undefined;
  return typeof ref === 'string' ? resolveRef(document, ref) : value;
}

function jsonSchemaOf(value: Json): Json {
  if (!isObject(value)) return null;
  const json = objectAt(objectAt(value, 'content'), 'application/json');
  return json['schema'] ?? null;
}

function toOperation(document: JsonObject, key: string): JsonObject {
  const [method = '', path = ''] = key.split(' ');
  const item = objectAt(objectAt(document, 'paths'), path);
  const operation = objectAt(item, method.toLowerCase());
  if (Object.keys(operation).length === 0) throw new Error(`GitHub's OpenAPI has no ${key}`);
  const declared = [...arrayAt(item, 'parameters'), ...arrayAt(operation, 'parameters')];
  const query = declared
    .map((parameter) => inline(document, parameter))
    .filter(isObject)
    .filter((parameter) => parameter['in'] === 'query')
    .map((parameter) => ({
      name: parameter['name'] ?? '',
      required: parameter['required'] ?? false,
      schema: parameter['schema'] ?? {},
    }));
  const responses = entriesOf(objectAt(operation, 'responses'))
    .filter(([status]) => STATUS.test(status))
    .map(([status, response]) => [status, jsonSchemaOf(inline(document, response))] as const);
  const body = objectAt(operation, 'requestBody');
  return {
    query,
    body: jsonSchemaOf(body),
    bodyRequired: body['required'] ?? false,
    responses: { ...toObject(responses), ...objectAt(CORRECTIONS, key) },
  };
}

/**
 * Corrects errors of the description. `GET /app/installations` requires an account that is a user and an enterprise at
 * once. The other installation routes are correct.
 */
const CORRECTIONS: JsonObject = {
  'GET /app/installations': { '200': { type: 'array', items: { $ref: '#/components/schemas/installation' } } },
};

function extract(document: JsonObject): JsonObject {
  const operations = toObject(OPERATIONS.map((key) => [key, toOperation(document, key)]));
  const refs = new Set<string>();
  componentRefs(stripProse(operations), refs);
  // A Set's iteration includes items added during it, so this reaches the transitive closure.
  for (const ref of refs) componentRefs(stripProse(resolveRef(document, ref)), refs);
  const schemas = [...refs].sort().map((ref) => {
    return [ref.replace('#/components/schemas/', ''), convertNullable(stripProse(resolveRef(document, ref)))] as const;
  });
  return {
    $id: 'https://github.test/openapi.json',
    source: '@octokit/openapi 23.0.2, api.github.com',
    operations: convertNullable(stripProse(operations)),
    components: { schemas: toObject(schemas) },
  };
}

const [, , source] = process.argv;
if (source === undefined) throw new Error('usage: node world/schemas/extract-openapi.ts <api.github.com.json>');
const subset = extract(parseJson(readFileSync(source, 'utf8')));
writeFileSync(new URL('openapi-subset.json', import.meta.url), `${JSON.stringify(subset)}\n`);
