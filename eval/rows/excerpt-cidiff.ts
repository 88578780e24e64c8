import { compareNames } from '../data/compare-names.ts';
import { toLabelledLines } from '../labelled-lines.ts';
import { measureRecall, type RecallCase, toLimitLines, toMisses, toToolLines } from '../recall.ts';
import type { EvalRow } from '../row.ts';

const CIDIFF = 'labri-progress/cidiff';
const FOLDER = 'data/breakages';
/** `<job>\t<step>\t` before each line, as `gh run view --log` prints it. */
const COLUMNS = /^[^\t]+\t[^\t]+\t(?=\uFEFF?\d{4}-)/u;

/** The lines that people labelled in logs of GitHub Actions. */
export const excerptCidiff: EvalRow = {
  name: 'excerpt-cidiff',
  about: 'labelled lines found in the excerpt, mean of the logs',
  measure: async ({ open, select }) => {
    const repository = await open(CIDIFF);
    const byItem = Map.groupBy(await repository.list(FOLDER), ({ path }) => path.split('/')[2] ?? '');
    const items = select(
      [...byItem.keys()].filter((item) => (byItem.get(item)?.length ?? 0) > 1).toSorted(compareNames),
    );
    const cases: RecallCase[] = [];
    for (const item of items) {
      const find = (name: string) => byItem.get(item)?.find(({ path }) => path === `${FOLDER}/${item}/${name}`);
      const log = find('fail.log');
      const labels = find('groundtruth2') ?? find('groundtruth');
      if (log === undefined || labels === undefined) continue;
      const [content, truth] = [await repository.read(log), await repository.read(labels)];
      if (content === null || truth === null) continue;
      const lines = content
        .toString('utf8')
        .split('\n')
        .map((line) => line.replace(COLUMNS, ''));
      const labelled = parseRanges(truth.toString('utf8')).flatMap(([from, to]) => lines.slice(from - 1, to));
      const wanted = toLabelledLines(item, Buffer.from(lines.join('\n')), labelled);
      if (wanted !== null) cases.push(...measureRecall(wanted));
    }
    const asTail = { asGoodAs: 'tail' };
    return {
      lines: [
        ...toLimitLines(excerptCidiff.name, 'cidiff', cases, { 8: asTail, 32: asTail, 512: asTail }),
        ...toToolLines(excerptCidiff.name, 'cidiff', cases),
      ],
      misses: toMisses(cases, (_item, line) => line),
      notes: [`${items.length} labelled logs, ${cases.length} with a label that stands in them`],
    };
  },
};

/** Ranges of 1-based line numbers: `E 12`, `12-15`. */
export function parseRanges(text: string): readonly (readonly [number, number])[] {
  return text.split('\n').flatMap((line) => {
    const match = /^E?\s*(\d+)(?:-(\d+))?$/u.exec(line.trim());
    return match === null ? [] : [[Number(match[1]), Number(match[2] ?? match[1])] as const];
  });
}
