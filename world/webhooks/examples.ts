import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { entriesOf, isObject, type Json, type JsonObject, objectsAt, parseJson, stringAt, toObject } from '../json.ts';

/** Recorded payloads by event, oldest format first. */
type Examples = ReadonlyMap<string, readonly JsonObject[]>;

function readExamples(): Examples {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
  const events = parseJson(`{"list":${readFileSync(file, 'utf8')}}`);
  return new Map(
    objectsAt(events, 'list').map((event) => [stringAt(event, 'name') ?? '', objectsAt(event, 'examples')]),
  );
}

/** The newest recorded payload of an event, preferably with the same action; empty for an unknown event. */
export type ExampleOf = (event: string, action: string | null) => JsonObject;

/** Reads the recorded payloads of `@octokit/webhooks-examples` on first use. */
export function createExampleOf(): ExampleOf {
  let examples: Examples | null = null;
  return (event, action) => {
    examples ??= readExamples();
    const recorded = examples.get(event) ?? [];
    return recorded.findLast((example) => stringAt(example, 'action') === action) ?? recorded.at(-1) ?? {};
  };
}

/** Names from the recordings. Values with one of them are not sent. */
const RECORDED_NAMES = /codertocat|octocat|octo-org|hello-world|github\.com|githubusercontent/iu;

/**
 * Merges `ours` into the recorded value. Arrays and nulls of ours replace the recorded ones. Recorded keys that we do
 * not set are kept, except values with names from the recordings.
 */
export function overlay(recorded: Json | undefined, ours: Json): Json {
  if (!isObject(recorded) || !isObject(ours)) return ours;
  const kept = entriesOf(recorded).filter(
    ([key, value]) => !(key in ours) && !RECORDED_NAMES.test(JSON.stringify(value)),
  );
  const merged = entriesOf(ours).map(([key, value]) => [key, overlay(recorded[key], value)] as const);
  return toObject([...kept, ...merged]);
}
