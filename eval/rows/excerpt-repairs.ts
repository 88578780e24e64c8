import { CI_REPAIR, listRepairs, type Repair } from '../data/ci-repair.ts';
import { toComparableText } from '../log-text.ts';
import { measureRecall, toLimitLines, toMisses, type Wanted } from '../recall.ts';
import type { EvalRow } from '../row.ts';

/** Lines around the quoted ones, so that no limit shows all of the log. */
const LINES_BEFORE = 500;
const LINES_AFTER = 6000;

/** Does the excerpt name the files that a recorded patch touches? Quoted lines of the logs stand within a harmless log of ours. */
export const excerptRepairs: EvalRow = {
  name: 'excerpt-repairs',
  about: 'files of recorded patches, named by quoted lines of logs',
  measure: async ({ open, select }) => {
    const repairs = select(await listRepairs(await open(CI_REPAIR)));
    const wanted = repairs.map(toWanted).filter((one) => one !== null);
    const cases = wanted.flatMap(measureRecall);
    const goals = { 8: { atLeast: 80 }, 32: { atLeast: 92 }, 512: { atLeast: 99 } };
    return {
      lines: toLimitLines(excerptRepairs.name, 'CI-REPAIR-BENCH', cases, goals),
      misses: toMisses(cases, (item, name) => {
        const quotes = repairs.find(({ sha }) => sha === item)?.quotes ?? [];
        return quotes.find((quote) => quote.includes(name)) ?? '';
      }),
      notes: [`${repairs.length} patches; of ${wanted.length} a quoted line names a file`],
    };
  },
};

export function toWanted({ sha, files, quotes }: Repair): Wanted | null {
  const names = new Set(files.map((path) => path.split('/').at(-1) ?? path));
  const wanted = [...names].filter((name) => quotes.some((quote) => quote.includes(name)));
  if (wanted.length === 0) return null;
  const log = Buffer.from(
    [
      ...['##[group]Run python -m tox', 'python -m tox', '##[endgroup]'],
      ...toHarmlessLines(LINES_BEFORE),
      ...quotes,
      ...toHarmlessLines(LINES_AFTER),
      '##[error]Process completed with exit code 1.',
    ]
      .map((line) => `2026-03-01T08:00:00.0000000Z ${line}\n`)
      .join(''),
  );
  return {
    item: sha,
    log,
    text: toComparableText(log.toString('utf8')),
    cases: [wanted],
    toComparable: toComparableText,
  };
}

/** Lines of a run that goes well, with words of failure among them. */
function toHarmlessLines(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % 7 === 0) return `tests/unit/part_${index}.py::test_error_is_handled PASSED [ ${index % 100}%]`;
    if (index % 11 === 0) return `Collecting dependency-${index} (from -r requirements.txt), 0 errors`;
    return `tests/unit/part_${index}.py::test_case_${index} PASSED [ ${index % 100}%]`;
  });
}
