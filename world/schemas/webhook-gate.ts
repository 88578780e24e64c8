import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import {
  entriesOf,
  isJsonArray,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  parseJson,
  stringAt,
  toObject,
} from '../json.ts';
import { renderErrors } from './render-errors.ts';

/** Validates a webhook payload by GitHub's published schemas. Returns its problems; empty if it is valid. */
export type WebhookGate = (event: string, payload: JsonObject) => readonly string[];

const SCHEMA_ID = 'https://github.test/webhooks.json';

/**
 * The published schemas are older than GitHub's payloads, so unknown fields are allowed. `oneOf` becomes `anyOf`,
 * because two branches may match without `additionalProperties: false`. Newer conclusions (`startup_failure`, a job's
 * `timed_out`) are added.
 */
function relax(value: Json): Json {
  if (isJsonArray(value)) return value.map(relax);
  if (!isObject(value)) return value;
  return toObject(
    entriesOf(value)
      .filter(([key, child]) => !(key === 'additionalProperties' && child === false))
      .map(([key, child]) => [
        key === 'oneOf' ? 'anyOf' : key,
        key === 'enum' ? withLaterConclusions(child) : relax(child),
      ]),
  );
}

function withLaterConclusions(values: Json): Json {
  const isOfConclusions = isJsonArray(values) && values.includes('failure') && values.includes('cancelled');
  return isOfConclusions ? [...new Set([...values, 'startup_failure', 'timed_out'])] : values;
}

/** Creates the validator from `@octokit/webhooks-schemas`. Each event's schema is compiled on first use. */
export function createWebhookGate(): WebhookGate {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-schemas');
  const definitions = objectAt(parseJson(readFileSync(file, 'utf8')), 'definitions');
  const ajv = formats.default(new Ajv({ strict: false, allErrors: true, logger: false, inlineRefs: false }));
  ajv.addSchema({ $id: SCHEMA_ID, definitions: relax(definitions) });
  const compiled = new Map<string, ValidateFunction>();

  return (event, payload) => {
    const name = `${event}$${stringAt(payload, 'action') ?? 'event'}`;
    if (!(name in definitions)) return [`webhook ${name} is not a GitHub event`];
    const validate = compiled.get(name) ?? ajv.compile({ $ref: `${SCHEMA_ID}#/definitions/${name}` });
    compiled.set(name, validate);
    return validate(payload) ? [] : renderErrors(`webhook ${name}`, validate.errors);
  };
}
