import { examineChange } from '../../src/compose/compose-change.ts';
import { judgeChange } from '../../src/core/judge/judge-change.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import type { TestChangeFact } from '../../src/core/model/test-change.ts';
import type { FileTexts } from '../../src/ports/test-judge.ts';
import { CI_REPAIR } from '../data/ci-repair.ts';
import { listRecordedPatches, type RecordedPatch, toPatchSides } from '../data/recorded-patches.ts';
import { type EvalLine, type EvalRow, type Miss, toLine, toPercent } from '../row.ts';

interface Judged {
  readonly sha: string;
  readonly isGreen: boolean;
  readonly verdict: 'rejected' | 'held' | 'clean';
  readonly why: string;
  /** Some of its hunks were left out. */
  readonly isCut: boolean;
}

/** What the gate says of patches of other agents before it runs anything, beside how CI ended with them. */
export const patchesRecorded: EvalRow = {
  name: 'patches-recorded',
  about: 'patches of other agents: those with which CI failed may be refused, those with which it passed should not',
  measure: async ({ open, select }) => {
    const judged = select(await listRecordedPatches(await open(CI_REPAIR))).map(judge);
    const green = judged.filter(({ isGreen }) => isGreen);
    const red = judged.filter(({ isGreen }) => !isGreen);
    return {
      lines: [...toLines('CI failed', red), ...toLines('CI passed', green)],
      misses: judged.filter(({ verdict }) => verdict !== 'clean').map(toMiss),
      notes: [
        `${String(judged.length)} patches; ${String(judged.filter(({ isCut }) => isCut).length)} have hunks that cannot be parsed by themselves, and are left out`,
        'what the validation would refuse is not measured: the repositories are not in the data set',
      ],
    };
  },
};

function judge({ sha, diff, isGreen }: RecordedPatch): Judged {
  const { changes, before, after, unreadHunks } = toPatchSides(diff, isReadable);
  const violations = judgeChange({ changes, patch: diff, policy: DEFAULT_POLICY.changes });
  const facts = examine(before, after);
  const counted = facts.filter(({ code }) => code !== 'UNREADABLE');
  const isRejected = violations.length > 0 || counted.some(({ is }) => is === 'rejected');
  return {
    ...{ sha, isGreen, isCut: unreadHunks > 0 },
    verdict: isRejected ? 'rejected' : toUnrejected(counted),
    why: [...violations, ...counted].map(({ code, message }) => `${code} ${message}`).join(' '),
  };
}

function toUnrejected(facts: readonly TestChangeFact[]): 'held' | 'clean' {
  return facts.length > 0 ? 'held' : 'clean';
}

function examine(before: FileTexts, after: FileTexts): readonly TestChangeFact[] {
  return examineChange(before, after, { testChanges: 'judge', protectedPaths: [] }).facts;
}

function isReadable(before: FileTexts, after: FileTexts): boolean {
  return !examine(before, after).some(({ code }) => code === 'UNREADABLE');
}

function toLines(end: string, of: readonly Judged[]): readonly EvalLine[] {
  const share = (verdict: Judged['verdict']): number =>
    toPercent(of.filter((one) => one.verdict === verdict).length, of.length);
  return (['rejected', 'held'] as const).map((verdict) =>
    toLine({ row: patchesRecorded.name, data: `${end}: ${verdict}`, ours: share(verdict), n: of.length }),
  );
}

function toMiss({ sha, isGreen, verdict, why }: Judged): Miss {
  return { kind: `CI ${isGreen ? 'passed' : 'failed'}, and ${verdict}`, item: sha, text: why.slice(0, 300) };
}
