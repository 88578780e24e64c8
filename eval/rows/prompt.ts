import { median } from '../../bench/measure.ts';
import { BUGSWARM, listPairs } from '../data/bugswarm.ts';
import { promptOf } from '../product.ts';
import { type EvalRow, toLine, toPercent } from '../row.ts';

/** The most that a prompt may have. */
const MAX_KIB = 48;
const BYTES_PER_KIB = 1024;

/** The prompt for an agent that fixes CI, for one red job whose log is known. */
export const prompt: EvalRow = {
  name: 'prompt',
  about: 'bytes of the prompt for CI, and the share of evidence in it',
  measure: async ({ open, select }) => {
    const repository = await open(BUGSWARM);
    const bytes: number[] = [];
    const shares: number[] = [];
    for (const { failing } of select(await listPairs(repository))) {
      const log = failing === undefined ? null : await repository.read(failing);
      if (log === null) continue;
      const text = promptOf(log);
      bytes.push(Buffer.byteLength(text) / BYTES_PER_KIB);
      shares.push(toPercent(toEvidenceBytes(text), Buffer.byteLength(text)));
    }
    const common = { row: prompt.name, n: bytes.length };
    return {
      lines: [
        toLine({ ...common, data: 'bytes, most', ours: Math.max(...bytes), unit: 'KiB', goal: { atMost: MAX_KIB } }),
        toLine({ ...common, data: 'bytes, median', ours: median(bytes), unit: 'KiB' }),
        toLine({ ...common, data: 'share of evidence, median', ours: median(shares) }),
        toLine({ ...common, data: 'share of evidence, least', ours: Math.min(...shares) }),
      ],
      misses: [],
      notes: [],
    };
  },
};

/** Lines of evidence begin with a bar. */
export function toEvidenceBytes(text: string): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
