import { MADE_PAIRS } from '../data/made-pairs.ts';
import { signatureOf } from '../product.ts';
import { type EvalRow, toLine } from '../row.ts';
import { type SignedPair, toSignatureLines, toSignatureMisses } from './signature-lines.ts';

/** Of 57 pairs, 55 have to be right; other numbers of pairs by the same share. */
const RIGHT_SHARE = 55 / 57;

/** Pairs that were made by hand. */
export const signaturesMade: EvalRow = {
  name: 'signatures-made',
  about: 'signatures of pairs of logs that were made by hand',
  measure: async ({ select }) => {
    const pairs = select(MADE_PAIRS).map(({ what, left, right, isSame }): SignedPair => {
      const [one, other] = [left, right].map((lines) => signatureOf(Buffer.from(lines.join('\n'))));
      return { item: what, isSame, isEqual: one === other };
    });
    const row = signaturesMade.name;
    const right = pairs.filter(({ isSame, isEqual }) => isSame === isEqual).length;
    const goal = { atLeast: Math.floor(pairs.length * RIGHT_SHARE) };
    return {
      lines: [
        toLine({ row, data: 'made pairs: right', ours: right, n: pairs.length, goal, unit: 'pairs' }),
        ...toSignatureLines(row, 'made pairs', pairs, {}),
      ],
      misses: toSignatureMisses(pairs),
      notes: [],
    };
  },
};
