import { z } from 'zod';
import type { FolderEntry } from '../core/model/folder-state.ts';
import type { StoredParts } from '../ports/plan-folders.ts';
import { parseBySchema } from './invalid-input.ts';

const Mode = z.int().min(0).max(0o777);
const Entry: z.ZodType<FolderEntry> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file'), mode: Mode, hash: z.string() }),
  z.strictObject({ kind: z.literal('link'), target: z.string() }),
  z.strictObject({ kind: z.literal('folder'), mode: Mode }),
]);
const Paths = z.array(z.string());

const PARTS: { readonly [Name in keyof StoredParts]: z.ZodType<StoredParts[Name]> } = {
  before: z.array(z.tuple([z.string(), Entry])).transform((entries) => new Map(entries)),
  changes: z.array(z.strictObject({ path: z.string(), before: Entry.nullable(), after: Entry.nullable() })),
  notes: z.strictObject({ kept: Paths, remarks: z.array(z.string()), isWhole: z.boolean() }),
  end: z.strictObject({ written: Paths, conflicts: Paths }),
};

/** @throws InvalidInputError */
export function parseStoredPart<Name extends keyof StoredParts>(name: Name, json: unknown): StoredParts[Name] {
  return parseBySchema(PARTS[name], json);
}

/** The JSON that `parseStoredPart` reads. */
export function toStoredPart(value: StoredParts[keyof StoredParts]): unknown {
  return value instanceof Map ? [...value] : value;
}
