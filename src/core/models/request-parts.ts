import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';
import type { GatewayRefusal } from '../model/model-use.ts';

/** A request as it may be sent, or why it may not. */
export type RewrittenRequest =
  | {
      readonly kind: 'send';
      readonly body: JsonObject;
      /** The output limit that the body sets, in tokens. */
      readonly outputTokens: number;
      /** Images and documents, whose tokens their bytes say nothing about. */
      readonly media: MediaCount;
      /** Fields that are not known and were left out. Untrusted. */
      readonly dropped: readonly string[];
    }
  | { readonly kind: 'refused'; readonly why: GatewayRefusal; readonly detail: string };

export interface MediaCount {
  readonly images: number;
  /** PDFs, sound and films. */
  readonly documents: number;
}

export interface RequestLimits {
  /** The one model that may be used. */
  readonly model: string;
  readonly maxOutputTokens: number;
}

/** How one part of a conversation is judged. */
export interface PartJudge {
  /** Keys whose values are data of tools, and never read by the provider. */
  readonly opaque: ReadonlySet<string>;
  /** What in an object reaches beyond the model; null: nothing. */
  readonly findRefused: (object: JsonObject) => string | null;
  readonly mediaOf: (object: JsonObject) => 'image' | 'document' | null;
}

/** Judges all objects of a conversation. */
export function judgeParts(
  value: unknown,
  judge: PartJudge,
): { readonly refused: string | null; readonly media: MediaCount } {
  let images = 0;
  let documents = 0;
  for (const object of objectsIn(value, judge.opaque)) {
    const refused = judge.findRefused(object);
    if (refused !== null) return { refused, media: { images, documents } };
    const media = judge.mediaOf(object);
    if (media === 'image') images += 1;
    if (media === 'document') documents += 1;
  }
  return { refused: null, media: { images, documents } };
}

/** All objects in a value, however deep, without those below keys in `opaque`. */
function* objectsIn(value: unknown, opaque: ReadonlySet<string>): Generator<JsonObject> {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else if (isJsonObject(next)) {
      yield next;
      for (const [key, inner] of Object.entries(next)) if (!opaque.has(key)) open.push(inner);
    }
  }
}

/** The fields of `body` that are known, and the names of the others. */
export function keepFields(
  body: JsonObject,
  known: ReadonlySet<string>,
): { readonly kept: JsonObject; readonly dropped: readonly string[] } {
  const entries = Object.entries(body);
  return {
    kept: Object.fromEntries(entries.filter(([name]) => known.has(name))),
    dropped: entries.map(([name]) => name).filter((name) => !known.has(name)),
  };
}

/** The first of `names` that the body sets to something; null: none. */
export function findSetField(body: JsonObject, names: readonly string[]): string | null {
  return names.find((name) => isSet(body[name])) ?? null;
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** A list, or an empty one for null and undefined; null: another value. */
export function toList(value: unknown): readonly unknown[] | null {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : null;
}

/** A limit that is a whole number and not above `max`; `max` for anything else. */
export function lowerTo(value: unknown, max: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, max) : max;
}

/** An untrusted name for a message. */
export function toShownName(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : 'without a name';
}

export function refuseModel(model: unknown): RewrittenRequest {
  return {
    kind: 'refused',
    why: 'model_not_allowed',
    detail: `the model ${toShownName(model)} is not the model of this session`,
  };
}

export function refuseHosted(what: string): RewrittenRequest {
  return { kind: 'refused', why: 'hosted_tool', detail: `${what} is not allowed: it does not stay with the model` };
}

export function refuseMalformed(detail: string): RewrittenRequest {
  return { kind: 'refused', why: 'malformed', detail };
}
