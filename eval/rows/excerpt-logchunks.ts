import { LOGCHUNKS, listLabelledLogs } from '../data/logchunks.ts';
import { toLabelledLines } from '../labelled-lines.ts';
import { measureRecall, type RecallCase, toLimitLines, toMisses, toToolLines } from '../recall.ts';
import type { EvalRow } from '../row.ts';

/** How many of the lines that people labelled as the reason does the excerpt show, on average? */
export const excerptLogchunks: EvalRow = {
  name: 'excerpt-logchunks',
  about: 'labelled lines found in the excerpt, mean of the logs',
  measure: async ({ open, select }) => {
    const repository = await open(LOGCHUNKS);
    const logs = select(await listLabelledLogs(repository));
    const cases: RecallCase[] = [];
    for (const { item, label, log } of logs) {
      const content = await repository.read(log);
      const wanted = content === null ? null : toLabelledLines(item, content, label.split('\n'));
      if (wanted !== null) cases.push(...measureRecall(wanted));
    }
    const goals = { 8: { atLeast: 80 }, 32: { atLeast: 92 }, 512: { atLeast: 99 } };
    return {
      lines: [
        ...toLimitLines(excerptLogchunks.name, 'LogChunks', cases, goals),
        ...toToolLines(excerptLogchunks.name, 'LogChunks', cases),
      ],
      misses: toMisses(cases, (_item, line) => line),
      notes: [`${logs.length} labelled logs; ${logs.length - cases.length} do not contain their label`],
    };
  },
};
