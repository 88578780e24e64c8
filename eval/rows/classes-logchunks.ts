import { LOGCHUNKS, listLabelledLogs } from '../data/logchunks.ts';
import type { EvalRow } from '../row.ts';
import { type ClassifiedCase, classify, type LabelledCase, toClassLines, toClassMisses } from './class-lines.ts';

const OUTSIDE =
  /timed? ?out|E(?:SOCKET)?TIMEDOUT|ECONNRE|connection (?:reset|refused|closed)|could not (?:resolve host|connect|transfer|download|get lock)|network is unreachable|failed to (?:fetch|download|connect)|temporary failure|\b50[0234] (?:bad|service|gateway|internal)|no output has been received|maximum time limit|hash sum mismatch|certificate|rate limit|no space left|\bkilled\b|hung up|returned error: [45]\d\d|unable to access|RPC failed/i;
const IN_THE_CODE =
  /assert|expected|\bFAIL|✖|✗|panicked|error TS\d|: error:|undefined|offenses?\b|not ok \d|examples?, [1-9]/i;

/** Real logs, by the lines that people labelled as the reason. */
export const classesLogchunks: EvalRow = {
  name: 'classes-logchunks',
  about: 'classes of labelled logs whose label speaks clearly',
  measure: async ({ open, select }) => {
    const repository = await open(LOGCHUNKS);
    const logs = select(await listLabelledLogs(repository));
    const cases: ClassifiedCase[] = [];
    for (const { item, label, log } of logs) {
      const is = toClass(label);
      const content = is === null ? null : await repository.read(log);
      if (is === null || content === null) continue;
      const [cause = ''] = label.trim().split('\n');
      cases.push(classify({ item, is, cause, log: content }));
    }
    return {
      lines: toClassLines(classesLogchunks.name, 'LogChunks', cases, {
        recall: { atLeast: 90 },
        precision: { atLeast: 95 },
        falseRerun: { atMost: 1 },
      }),
      misses: toClassMisses(cases),
      notes: [`${logs.length - cases.length} of ${logs.length} labels speak of both or of neither, and are left out`],
    };
  },
};

/** What a label says by its words; null if it says both or neither. */
export function toClass(label: string): LabelledCase['is'] | null {
  const isOutside = OUTSIDE.test(label);
  if (isOutside === IN_THE_CODE.test(label)) return null;
  return isOutside ? 'outside' : 'code';
}
