import { BUGSWARM, listPairs } from '../data/bugswarm.ts';
import type { EvalRow } from '../row.ts';
import { type ClassifiedCase, classify, toClassLines, toClassMisses } from './class-lines.ts';

/** Failures that were reproduced, and repaired by a change of the code: each is a failure of code. */
export const classesCode: EvalRow = {
  name: 'classes-code',
  about: 'classes of real code failures',
  measure: async ({ open, select }) => {
    const repository = await open(BUGSWARM);
    const pairs = select(await listPairs(repository));
    const cases: ClassifiedCase[] = [];
    for (const { name, failing } of pairs) {
      const log = failing === undefined ? null : await repository.read(failing);
      if (log !== null) cases.push(classify({ item: name, is: 'code', cause: '', log }));
    }
    const lines = toClassLines(classesCode.name, 'BugSwarm-dissection', cases, { falseRerun: { atMost: 1 } });
    return { lines: lines.filter(({ data }) => !data.includes('precision')), misses: toClassMisses(cases), notes: [] };
  },
};
