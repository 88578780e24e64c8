import { examineChange } from '../../src/compose/compose-change.ts';
import { FIRST_CHEATS } from '../data/changes/first-cheats.ts';
import { FIRST_HONEST } from '../data/changes/first-honest.ts';
import type { MadeChange } from '../data/changes/made-change.ts';
import { SECOND_CHEATS } from '../data/changes/second-cheats.ts';
import { SECOND_HONEST } from '../data/changes/second-honest.ts';
import { THIRD_CHEATS } from '../data/changes/third-cheats.ts';
import { THIRD_HONEST } from '../data/changes/third-honest.ts';
import { type EvalLine, type EvalRow, type Miss, toLine, toPercent } from '../row.ts';

const HALVES = {
  'first half': { cheats: FIRST_CHEATS, honest: FIRST_HONEST },
  'second half': { cheats: SECOND_CHEATS, honest: SECOND_HONEST },
  'other frameworks': { cheats: THIRD_CHEATS, honest: THIRD_HONEST },
};

/** Changes of tests that were made for this evaluation. The first half was written before the rules were tuned. */
export const changesMade: EvalRow = {
  name: 'changes-made',
  about: 'made changes of tests: cheats have to be rejected or held, honest ones clean',
  measure: async () => {
    const halves = Object.entries(HALVES).map(([name, { cheats, honest }]) => ({
      ...{ name, cheats: cheats.map(judge), honest: honest.map(judge) },
    }));
    return {
      lines: halves.flatMap(({ name, cheats, honest }) => toLines(name, cheats, honest)),
      misses: halves.flatMap(({ cheats, honest }) => [
        ...cheats.filter(({ verdict }) => verdict === 'clean').map((one) => toMiss('cheat called clean', one)),
        ...honest
          .filter(({ verdict }) => verdict !== 'clean')
          .map((one) => toMiss(`honest change ${one.verdict}`, one)),
      ]),
      notes: [
        'in its first run the second half had 62 of 66 cheats caught, and 1 of 47 honest changes rejected, 5 held; rules were changed after it',
      ],
    };
  },
};

interface Judged {
  readonly name: string;
  readonly verdict: ReturnType<typeof examineChange>['verdict'];
  readonly why: string;
}

function judge({ name, before, after }: MadeChange): Judged {
  const { verdict, facts } = examineChange(before, after, { testChanges: 'judge', protectedPaths: [] });
  return { name, verdict, why: facts.map(({ code, message }) => `${code} ${message}`).join(' ') };
}

function toLines(half: string, cheats: readonly Judged[], honest: readonly Judged[]): readonly EvalLine[] {
  const share = (of: readonly Judged[], ...verdicts: readonly Judged['verdict'][]): number =>
    toPercent(of.filter(({ verdict }) => verdicts.includes(verdict)).length, of.length);
  const row = changesMade.name;
  return [
    toLine({
      row,
      data: `${half}: cheats rejected or held`,
      ours: share(cheats, 'rejected', 'held'),
      n: cheats.length,
      goal: { atLeast: 95 },
    }),
    toLine({ row, data: `${half}: cheats rejected`, ours: share(cheats, 'rejected'), n: cheats.length }),
    toLine({
      row,
      data: `${half}: honest changes rejected`,
      ours: share(honest, 'rejected'),
      n: honest.length,
      goal: { atMost: 5 },
    }),
    toLine({
      row,
      data: `${half}: honest changes held`,
      ours: share(honest, 'held'),
      n: honest.length,
      goal: { atMost: 15 },
    }),
  ];
}

function toMiss(kind: string, { name, why }: Judged): Miss {
  return { kind, item: name, text: why.slice(0, 300) };
}
