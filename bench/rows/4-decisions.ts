import { toCiVerdict } from '../../src/core/ci/ci-verdict.ts';
import { determineFixupAction } from '../../src/core/decide/determine-fixup-action.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import type { CheckResult } from '../../src/core/model/pull-request.ts';
import type { Snapshot } from '../../src/core/model/snapshot.ts';
import { aCheck, aSnapshot, fakeSha } from '../../test/support/builders.ts';
import type { Metric, OpenRow, Row, RowContext, Turn } from '../row.ts';
import { spin } from '../spin.ts';

const SIZES = [1, 10, 100, 1_000] as const;
const PEER = 'JSON.parse of all that it was decided on';

/** Row 4: the pure decision, against parsing its input from JSON. */
export const decisions: Row = {
  number: 4,
  name: 'decisions',
  metrics: [
    ...SIZES.map((size) => toMetric('determineFixupAction', 'decide', size)),
    ...SIZES.map((size) => toMetric('CI verdict and determineFixupAction', 'both', size)),
    {
      ...{ kind: 'time', name: 'growth of both, 1,000 check runs / 100', ours: 'both-1000', target: 12 },
      peer: { side: 'both-100', name: 'the same with 100 check runs' },
    },
  ],
  open: openRow,
};

function toMetric(what: string, side: string, size: number): Metric {
  return {
    ...{ kind: 'rate', name: `${what}, ${size} check runs`, ours: `${side}-${size}`, target: 20 },
    peer: { side: `parse-${size}`, name: PEER },
  };
}

const HEAD = fakeSha('head');
const NOW = Date.parse('2026-11-27T12:00:00Z');

/** A look at a pull request that leads to one kind of decision. */
interface Case {
  readonly snapshot: Snapshot;
  readonly checks: readonly CheckResult[];
  /** Snapshot and checks as JSON. */
  readonly json: string;
}

async function openRow({ quick }: RowContext): Promise<OpenRow> {
  const cases = new Map(SIZES.map((size) => [size, toCases(size)]));
  const forMs = quick ? 20 : 150;
  return {
    notes: [
      'the input holds four pull requests in turn: red, running, green, with conflict; every hundredth check run is red where it is red',
      'a snapshot holds the verdict, not the check runs: only "CI verdict and determineFixupAction" goes over all of them',
    ],
    takeTurn: async (index) => {
      let turn: Turn = {};
      for (const size of index % 2 === 0 ? SIZES : SIZES.toReversed()) {
        turn = { ...turn, ...takeSize(size, cases.get(size) ?? [], { forMs, isPeerFirst: index % 2 === 1 }) };
      }
      return turn;
    },
    explain: async () => [],
    close: async () => undefined,
  };
}

function takeSize(
  size: number,
  cases: readonly Case[],
  { forMs, isPeerFirst }: { readonly forMs: number; readonly isPeerFirst: boolean },
): Turn {
  const options = { forMs, batch: cases.length };
  const sides = [
    [`decide-${size}`, inTurn(cases, ({ snapshot }) => determineFixupAction(snapshot))],
    [`both-${size}`, inTurn(cases, decideFromChecks)],
    [`parse-${size}`, inTurn(cases, ({ json }): unknown => JSON.parse(json))],
  ] as const;
  return Object.fromEntries(
    (isPeerFirst ? sides.toReversed() : sides).map(([name, work]) => [name, spin(work, options)]),
  );
}

/** Cycles through the cases, one per call. */
function inTurn(cases: readonly Case[], work: (one: Case) => unknown): () => unknown {
  let next = 0;
  return () => {
    const one = cases[next];
    next = (next + 1) % cases.length;
    return one === undefined ? undefined : work(one);
  };
}

function decideFromChecks({ snapshot, checks }: Case): unknown {
  const { status, runId } = judge(checks);
  return determineFixupAction({ ...snapshot, ci: { ...snapshot.ci, status, runId } });
}

function judge(checks: readonly CheckResult[]): ReturnType<typeof toCiVerdict> {
  return toCiVerdict({
    ...{ headSha: HEAD, headPushedAt: NOW - 600_000, now: NOW, ownAppId: 4242, checks, noCiProven: false },
    policy: DEFAULT_POLICY.ci,
  });
}

function toCases(size: number): readonly Case[] {
  return [
    toCase(toChecks(size, { conclusion: 'failure' }), {}),
    toCase(toChecks(size, { status: 'in_progress', conclusion: null }), {}),
    toCase(toChecks(size, {}), {}),
    toCase(toChecks(size, {}), { merge: 'conflict' }),
  ];
}

/** All checks are green, except every hundredth, starting with the first, which gets `odd`. */
function toChecks(size: number, odd: Partial<CheckResult>): readonly CheckResult[] {
  return Array.from({ length: size }, (_, index) =>
    aCheck({
      ...{ id: index + 1, name: `test (${index % 20}, shard ${index})`, headSha: HEAD, conclusion: 'success' },
      ...{ startedAt: NOW - 300_000 + index, completedAt: NOW - 200_000 + index },
      ...(index % 100 === 0 ? odd : {}),
    }),
  );
}

function toCase(checks: readonly CheckResult[], change: Partial<Snapshot>): Case {
  const { status, runId } = judge(checks);
  const base = aSnapshot(change);
  const snapshot = { ...base, ci: { ...base.ci, status, runId } };
  return { snapshot, checks, json: JSON.stringify({ ...snapshot, checks }) };
}
