import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { isObject, type Json, type JsonObject, objectAt, objectsAt, parseJson, stringAt, toObject } from '../json.ts';
import { OPERATIONS, type OperationKey } from './operations.ts';
import { renderErrors } from './render-errors.ts';

/** The operation for a method and path, with decoded path parameters. */
export type MatchedOperation = { readonly key: OperationKey; readonly params: Readonly<Record<string, string>> };

/** A request to validate. */
export type GateRequest = { readonly query: URLSearchParams; readonly body: Json | null };

/** Validates REST requests and answers by GitHub's OpenAPI description. */
export type OpenApiGate = {
  /** The operation of `method path` (without the `/api/v3` prefix), or null. */
  readonly match: (method: string, path: string) => MatchedOperation | null;
  /** Problems of a request; empty if it is valid. */
  readonly checkRequest: (key: OperationKey, request: GateRequest) => readonly string[];
  /** Problems of an answer; empty if it is valid. */
  readonly checkAnswer: (key: OperationKey, status: number, body: Json | null) => readonly string[];
};

type Template = { readonly key: OperationKey; readonly method: string; readonly pattern: RegExp };

const SCHEMA_ID = 'https://github.test/openapi.json';

/** Errors that GitHub may return on any route, even if the description does not list them. */
const ALWAYS_ALLOWED = new Set([401, 403, 404, 422, 429, 500, 502, 503]);

/** Path parameters that may contain slashes. */
const GREEDY = new Set(['path', 'ref', 'basehead', 'branch']);

function toTemplate(key: OperationKey): Template {
  const [method = '', path = ''] = key.split(' ');
  const source = path.replace(/\{(\w+)\}/gu, (_match, name: string) => {
    return `(?<${name}>${GREEDY.has(name) ? '.+' : '[^/]+'})`;
  });
  return { key, method, pattern: new RegExp(`^${source}$`, 'u') };
}

/** Tries templates with more segments first, so that `commits/{ref}/status` wins over `commits/{ref}`. */
function createMatch(): OpenApiGate['match'] {
  const depth = (template: Template): number => template.key.split('/').length;
  const templates = OPERATIONS.map(toTemplate).sort((a, b) => depth(b) - depth(a));
  return (method, path) => {
    for (const template of templates) {
      const groups = template.method === method ? template.pattern.exec(path)?.groups : undefined;
      const isMatch = groups !== undefined || (template.method === method && template.pattern.test(path));
      if (!isMatch) continue;
      return { key: template.key, params: decodeAll(groups ?? {}) };
    }
    return null;
  };
}

function decodeAll(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const decoded: Record<string, string> = {};
  for (const [name, value] of Object.entries(groups)) decoded[name] = decodeURIComponent(value);
  return decoded;
}

function querySchema(operation: JsonObject): JsonObject {
  const declared = objectsAt(operation, 'query');
  const name = (parameter: JsonObject): string => stringAt(parameter, 'name') ?? '';
  return {
    type: 'object',
    properties: toObject(declared.map((parameter) => [name(parameter), parameter['schema'] ?? {}])),
    required: declared.filter((parameter) => parameter['required'] === true).map(name),
    additionalProperties: false,
  };
}

/** Ajv resolves `#/components/…` relative to the schema itself, so the references get the shared schema's id. */
function withAbsoluteRefs(schema: Json | undefined): JsonObject {
  const text = JSON.stringify(schema ?? {}).replaceAll('"#/components/', `"${SCHEMA_ID}#/components/`);
  return parseJson(text);
}

/** Creates the validator from `openapi-subset.json`. Schemas are compiled on first use. */
export function createOpenApiGate(): OpenApiGate {
  const subset = parseJson(readFileSync(new URL('openapi-subset.json', import.meta.url), 'utf8'));
  const operations = objectAt(subset, 'operations');
  const options = { strict: false, allErrors: true, logger: false, inlineRefs: false } as const;
  const ajv = formats.default(new Ajv(options)).addSchema({ $id: SCHEMA_ID, components: subset['components'] });
  const queryAjv = formats.default(new Ajv({ ...options, coerceTypes: true }));
  const compiled = new Map<string, ValidateFunction>();

  function validator(name: string, create: () => ValidateFunction): ValidateFunction {
    const validate = compiled.get(name) ?? create();
    compiled.set(name, validate);
    return validate;
  }

  function checkRequest(key: OperationKey, request: GateRequest): readonly string[] {
    const operation = objectAt(operations, key);
    const validateQuery = validator(`${key} query`, () => queryAjv.compile(querySchema(operation)));
    const query = Object.fromEntries(request.query);
    const problems = validateQuery(query) ? [] : renderErrors(`${key} query`, validateQuery.errors);
    if (!isObject(operation['body'])) return problems;
    if (request.body === null && operation['bodyRequired'] !== true) return problems;
    const validateBody = validator(`${key} body`, () => ajv.compile(withAbsoluteRefs(operation['body'])));
    return validateBody(request.body) ? problems : [...problems, ...renderErrors(`${key} body`, validateBody.errors)];
  }

  function checkAnswer(key: OperationKey, status: number, body: Json | null): readonly string[] {
    const responses = objectAt(objectAt(operations, key), 'responses');
    const schema = responses[String(status)];
    if (schema === undefined) return ALWAYS_ALLOWED.has(status) ? [] : [`${key} answer ${status} is not in the spec`];
    if (schema === null) return body === null ? [] : [`${key} answer ${status} must have no body`];
    const validate = validator(`${key} ${status}`, () => ajv.compile(withAbsoluteRefs(schema)));
    return validate(body) ? [] : renderErrors(`${key} answer ${status}`, validate.errors);
  }

  return { match: createMatch(), checkRequest, checkAnswer };
}
