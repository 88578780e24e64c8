import type { TestChangePolicy, TestChangeVerdict } from '../../core/model/test-change.ts';
import { judgeTestChange } from '../../core/tamper/judge-test-change.ts';
import type { ReadFile } from '../../core/tamper/test-change.ts';
import type { ChangedTexts, FileTexts } from '../../ports/test-judge.ts';
import { UNREADABLE } from './collector.ts';
import { createSourceReader } from './read-source.ts';

/** Judges what a change of these files does to tests, for each side that it started from. */
export function examineSides({ before, after, policy }: ChangedTexts): readonly TestChangeVerdict[] {
  const read = createReader();
  const readAfter = read(after);
  return before.map((side) => judgeTestChange({ before: read(side), after: readAfter, policy }));
}

/** The same for a change that started from one side. */
export function examineOne(before: FileTexts, after: FileTexts, policy: TestChangePolicy): TestChangeVerdict {
  const read = createReader();
  return judgeTestChange({ before: read(before), after: read(after), policy });
}

/** Reads a file that several sides have once. */
function createReader(): (texts: FileTexts) => ReadonlyMap<string, ReadFile> {
  const known = new Map<string, ReadFile>();
  const readSource = createSourceReader();
  return (texts) =>
    new Map(
      Object.entries(texts).map(([path, text]) => {
        if (text === null) return [path, toUnread()];
        const earlier = known.get(path);
        const file = earlier?.text === text ? earlier : { text, facts: readSource(path, text) };
        known.set(path, file);
        return [path, file];
      }),
    );
}

/** Never equal to another one: what was not read may have changed. */
function toUnread(): ReadFile {
  unread += 1;
  return { text: `\0${String(unread)}`, facts: UNREADABLE };
}

let unread = 0;
