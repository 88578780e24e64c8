import { z } from 'zod';
import { examineChange } from '../compose/compose-change.ts';
import type { TestChangeFact, TestChangeVerdict } from '../core/model/test-change.ts';
import { parseBySchema } from '../schemas/invalid-input.ts';

/** Files on each side. */
const MAX_FILES = 2000;
/** Characters of all files of one side: what is parsed takes time. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

const Files = z
  .record(z.string().min(1), z.string())
  .refine((files) => Object.keys(files).length <= MAX_FILES, `at most ${MAX_FILES} files`)
  .refine((files) => toLength(files) <= MAX_CHARACTERS, `at most ${MAX_CHARACTERS} characters in all files`);

const ExplainChangeInput = z.strictObject({
  before: Files,
  after: Files,
  policy: z
    .strictObject({
      testChanges: z.enum(['judge', 'hold']).default('judge'),
      protectedPaths: z.array(z.string().min(1).max(500)).max(100).default([]),
    })
    .default({ testChanges: 'judge', protectedPaths: [] }),
});

function toLength(files: Readonly<Record<string, string>>): number {
  return Object.values(files).reduce((sum, text) => sum + text.length, 0);
}

/** Answers `explain change`. @throws InvalidInputError */
export function explainChange(json: unknown): {
  readonly verdict: TestChangeVerdict['verdict'];
  readonly facts: readonly Omit<TestChangeFact, 'is'>[];
} {
  const { before, after, policy } = parseBySchema(ExplainChangeInput, json);
  const { verdict, facts } = examineChange(before, after, policy);
  return { verdict, facts: facts.map(({ code, path, line, message }) => ({ code, path, line, message })) };
}
