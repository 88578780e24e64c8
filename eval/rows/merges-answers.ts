import { judgeMerge } from '../../src/core/judge/judge-merge.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import { listMergeAnswers, MERGE_BENCH, type MergeAnswer } from '../data/merge-answers.ts';
import { type EvalRow, toLine, toPercent } from '../row.ts';

/** Any run of seven marks at the beginning of a line, whatever follows. */
const MARK = /^[ \t]*(?:<{7}|>{7}|\|{7}|={7}(?:\r?$| ))/mu;
const PATH = 'src/answer';

/** Answers of models to conflicts. Neither the conflicts nor what people made of them is recorded with the answers. */
export const mergesAnswers: EvalRow = {
  name: 'merges-answers',
  about: 'recorded answers of models to conflicts: those that are still marked may not pass',
  measure: async ({ open, select }) => {
    const answers = select(await listMergeAnswers(await open(MERGE_BENCH)));
    const marked = answers.filter(({ code }) => MARK.test(code));
    const others = answers.filter(({ code }) => !MARK.test(code));
    const row = mergesAnswers.name;
    const refused = (of: readonly MergeAnswer[]): number => toPercent(of.filter(isRefused).length, of.length);
    return {
      lines: [
        toLine({ row, data: 'still marked: refused', ours: refused(marked), n: marked.length, goal: { atLeast: 100 } }),
        toLine({ row, data: 'not marked: refused', ours: refused(others), n: others.length, goal: { atMost: 0 } }),
      ],
      misses: [
        ...marked.filter((answer) => !isRefused(answer)).map((answer) => toMiss('marked, and passed', answer)),
        ...others.filter(isRefused).map((answer) => toMiss('refused without a mark', answer)),
      ],
      notes: ['which of the others are wrong cannot be measured: the data has no right resolutions'],
    };
  },
};

function toMiss(kind: string, { name, code }: MergeAnswer): { kind: string; item: string; text: string } {
  return { kind, item: name, text: code.split('\n').find((line) => /[<>|=]{7}/u.test(line)) ?? '' };
}

/** Whether the gate refuses the answer for marks that are left. All its other lines are taken from a side. */
function isRefused({ code }: MergeAnswer): boolean {
  const side = code
    .split('\n')
    .filter((line) => !MARK.test(line))
    .join('\n');
  const file = { path: PATH, base: null, ours: side, theirs: side, merged: code, result: code, isUnreadable: false };
  const resolution = { files: [file], beside: [], named: [PATH], differing: [], regenerated: [] };
  const modes = { oldMode: '100644', newMode: '100644' };
  const change = { kind: 'modified', path: PATH, ...modes, insertions: 1, deletions: 1, newBytes: 0 } as const;
  const violations = judgeMerge({ changes: [change], patch: '', policy: DEFAULT_POLICY.changes, resolution });
  return violations.some(({ code: why }) => why === 'MERGE_NOT_RESOLVED');
}
