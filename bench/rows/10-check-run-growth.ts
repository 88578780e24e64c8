import { toCiVerdict } from '../../src/core/ci/ci-verdict.ts';
import { determineFixupAction } from '../../src/core/decide/determine-fixup-action.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { aSnapshot } from '../../test/support/builders.ts';
import { type RecordedRead, recordReads } from '../recorded-reads.ts';
import type { OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

/** Row 10: how the cost of a look grows with the number of check runs at the head. */
export const checkRunGrowth: Row = {
  number: 10,
  name: 'growth with check runs',
  metrics: [
    {
      ...{ kind: 'time', name: 'a check run of 1,000 / the only one', ours: 'look-1000', target: 1.2 },
      peer: { side: 'look-1', name: 'a look with 1 check run' },
    },
    {
      ...{ kind: 'time', name: 'a check run of 1,000 / one of 100', ours: 'look-1000', target: 1.2 },
      peer: { side: 'look-100', name: 'a look with 100 check runs' },
    },
  ],
  open: openRow,
};

const SIZES = [1, 100, 1_000] as const;

async function openRow({ quick }: RowContext): Promise<OpenRow> {
  const reads = await recordReads(SIZES);
  const forMs = quick ? 50 : 400;
  return {
    notes: [
      'a look without the network: JSON of the answers, their schema, the facts, the CI verdict, the snapshot and its JSON, the decision',
      `answers of the local GitHub, recorded: ${reads.map(({ checkRuns, queries }) => `${checkRuns} check runs in ${queries} queries`).join(', ')}`,
    ],
    takeTurn: async (index) => {
      let turn: Turn = {};
      for (const read of index % 2 === 0 ? reads : reads.toReversed()) {
        turn = { ...turn, [`look-${read.checkRuns}`]: await look(read, forMs) };
      }
      return turn;
    },
    explain: async () => [],
    close: async () => undefined,
  };
}

/** Repeats looks for about `forMs`. One check run is one operation. */
async function look({ checkRuns, read }: RecordedRead, forMs: number): Promise<Sample> {
  let looks = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  while (performance.now() - startedAt < forMs) {
    decide(await read());
    looks += 1;
  }
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, operations: looks * checkRuns, cpuUs: user + system };
}

function decide(facts: PullRequestFacts): string {
  const now = Date.now();
  const { status, runId } = toCiVerdict({
    ...{ headSha: facts.headSha, headPushedAt: now - 600_000, now, ownAppId: 4242, noCiProven: false },
    ...{ checks: facts.checks, policy: DEFAULT_POLICY.ci },
  });
  const snapshot = aSnapshot({ ci: { status, runId }, now });
  return JSON.stringify({ snapshot, decision: determineFixupAction(snapshot) });
}
