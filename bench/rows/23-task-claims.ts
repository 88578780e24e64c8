import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { createStore } from '../../src/adapters/store/create-store.ts';
import { parseRunId } from '../../src/core/model/ids.ts';
import { aPlannedTask, aTaskRun } from '../../test/support/task-store.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

const PRIORITIES = 7;
const LEASE_MS = 3_600_000;

/** Row 23: claims of tasks, against the same claim in raw SQL. */
export const taskClaims: Row = {
  number: 23,
  name: 'claims of tasks',
  metrics: [
    {
      ...{ kind: 'rate', name: 'claims', ours: 'store', target: 0.25 },
      peer: { side: 'raw', name: 'BEGIN IMMEDIATE, select, update, commit with better-sqlite3' },
    },
  ],
  open: openRow,
};

async function openRow({ quick, diskDir }: RowContext): Promise<OpenRow> {
  const count = quick ? 200 : 1_000;
  return {
    notes: [
      `${String(count)} queued tasks of ${String(PRIORITIES)} priorities, each claimed once, in one process, on a disk; synchronous=NORMAL for both`,
      'ours also recovers expired claims, looks at dependencies, records an event, and parses the task',
    ],
    takeTurn: async (index): Promise<Turn> => {
      const sides = {
        store: () => claimByStore(join(diskDir, `claims-${String(index)}.db`), count),
        raw: () => claimRaw(join(diskDir, `claims-raw-${String(index)}.db`), count),
      };
      const turn: Record<string, Sample> = {};
      for (const side of index % 2 === 0 ? (['store', 'raw'] as const) : (['raw', 'store'] as const))
        turn[side] = sides[side]();
      return turn;
    },
    explain: async () => [],
    close: async () => undefined,
  };
}

function claimByStore(path: string, count: number): Sample {
  const store = createStore({ path });
  const run = aTaskRun();
  store.createTaskRun(run);
  const tasks = Array.from({ length: count }, (_, nth) => aPlannedTask(String(nth), { priority: nth % PRIORITIES }));
  store.insertTasks(run.id, tasks, 1_000);
  const now = Date.now();
  const sample = measure(count, () => {
    const claim = { workerId: 'bench', now, until: now + LEASE_MS };
    return store.claimNextTask(parseRunId(run.id), claim) !== null;
  });
  store.close();
  return sample;
}

function claimRaw(path: string, count: number): Sample {
  const db = new SqliteDatabase(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec(
    'create table tasks (id integer primary key autoincrement, run_id text not null, status text not null, priority integer not null, created_at text not null, claimed_by text, claimed_at text, body text not null); create index by_status on tasks (run_id, status)',
  );
  const insert = db.prepare(
    "insert into tasks (run_id, status, priority, created_at, body) values ('run', 'queued', ?, ?, ?)",
  );
  const body = JSON.stringify(aPlannedTask('body'));
  db.transaction(() => {
    for (let nth = 0; nth < count; nth += 1) insert.run(nth % PRIORITIES, '2026-01-01', body);
  })();
  const next = db.prepare<[], { id: number }>(
    "select * from tasks where run_id = 'run' and status = 'queued' order by priority desc, created_at, id limit 1",
  );
  const take = db.prepare(
    "update tasks set status = 'running', claimed_by = ?, claimed_at = ? where id = ? and status = 'queued'",
  );
  const claim = db.transaction(() => {
    const row = next.get();
    return row !== undefined && take.run('bench', '2026-01-01', row.id).changes === 1;
  });
  const sample = measure(count, () => claim.immediate());
  db.close();
  return sample;
}

function measure(count: number, claim: () => boolean): Sample {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  for (let done = 0; done < count; done += 1) {
    if (!claim()) throw new NotMeasuredError('there was no task to claim');
  }
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  if (claim()) throw new NotMeasuredError('a task was claimed twice');
  return { wallMs, operations: count, cpuUs: user + system };
}
