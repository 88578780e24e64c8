import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StructuredPlan, StructuredStep } from '../../src/core/model/structured-plan.ts';
import { executePlan } from '../../src/pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../../src/pipeline/execution/execution-tool-registry.ts';
import type { ActionAdapter } from '../../src/ports/execution.ts';
import type { Metric, OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

const SIZES = [10, 1000, 10_000] as const;
const PEER = 'Promise.all over the same work';
const CONCURRENT = 64;
const MEGABYTE = 1024 * 1024;

/** Row 22: the executor's overhead per step. The work of a step is one small file, read from memory. */
export const planSteps: Row = {
  number: 22,
  name: 'steps of a plan',
  metrics: [
    ...SIZES.map(
      (size): Metric => ({
        ...{ kind: 'time', name: `a step, plan of ${size} steps`, ours: `plan-${size}`, target: 5 },
        peer: { side: `all-${size}`, name: PEER },
      }),
    ),
    {
      ...{ kind: 'time', name: 'growth, 10,000 steps / 1,000', ours: 'plan-10000', target: 2 },
      peer: { side: 'plan-1000', name: 'the same with 1,000 steps' },
    },
    { kind: 'amount', name: 'heap after 10,000 steps', ours: 'heap', unit: 'MB' },
  ],
  open: openRow,
};

async function openRow({ quick, memoryDir }: RowContext): Promise<OpenRow> {
  const path = join(memoryDir, 'step.txt');
  await writeFile(path, 'x'.repeat(1024));
  const work = (): Promise<string> => readFile(path, 'utf8');
  const registry = createExecutionToolRegistry([toAdapter(work)]);
  // As many steps for each size.
  const total = quick ? 10_000 : 40_000;
  return {
    notes: [`a step reads a file of 1 KB; at most ${CONCURRENT} steps at a time, and all at once with Promise.all`],
    takeTurn: async (index): Promise<Turn> => {
      const turn: Record<string, Sample> = {};
      for (const size of index % 2 === 0 ? SIZES : SIZES.toReversed()) {
        const repeats = Math.max(1, total / size);
        const plan = toPlan(size);
        const before = process.memoryUsage().heapUsed;
        turn[`plan-${size}`] = await measure(size, repeats, () => run(plan, registry));
        const heap = Math.max(0, process.memoryUsage().heapUsed - before) / MEGABYTE;
        if (size === 10_000) turn['heap'] = { wallMs: 1, operations: heap, cpuUs: null };
        turn[`all-${size}`] = await measure(size, repeats, () => Promise.all(plan.steps.map(work)));
      }
      return turn;
    },
    explain: async () => [],
    close: async () => undefined,
  };
}

async function run(
  plan: StructuredPlan,
  registry: ReturnType<typeof createExecutionToolRegistry<null>>,
): Promise<void> {
  const signal = new AbortController().signal;
  const clock = { now: Date.now };
  const { stats } = await executePlan(plan, { registry, place: null, signal, clock, maxConcurrent: CONCURRENT });
  if (stats.completed !== plan.steps.length) throw new Error('a step did not complete');
}

async function measure(size: number, repeats: number, work: () => Promise<unknown>): Promise<Sample> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  for (let done = 0; done < repeats; done += 1) await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startedAt, operations: size * repeats, cpuUs: user + system };
}

function toAdapter(work: () => Promise<string>): ActionAdapter<null> {
  return {
    ...{ actionType: 'read_file', toolName: 'read a file', estimateUsd: 0 },
    prepareUndo: async () => null,
    act: async () => ({ kind: 'completed', output: await work(), costUsd: 0 }),
    undo: async () => ({ note: null }),
  };
}

function toPlan(size: number): StructuredPlan {
  const steps = Array.from(
    { length: size },
    (_, index): StructuredStep => ({
      ...{ step_id: index, action_type: 'read_file', description: '', depends_on: [], rollback_on_fail: false },
      ...{ max_retries: 0, timeout_seconds: 300, params: {}, when: null, estimate_usd: 0 },
    }),
  );
  return { steps, budget_usd: 1 };
}
