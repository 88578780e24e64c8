import { and, asc, eq, sql } from 'drizzle-orm';
import { InvariantError } from '../../core/model/errors.ts';
import type { RunId } from '../../core/model/ids.ts';
import type { TaskFinding } from '../../core/model/task.ts';
import type { Collection, CollectStage, RunEventType } from '../../core/model/task-record.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseJsonColumn } from './json-columns.ts';
import type { EventRecorder } from './run-events.ts';
import { StoredCollections, StoredFindingMeta } from './task-columns.ts';
import { findings, runs } from './task-schema.ts';

/** The store of what was found. */
export interface TaskFindings extends Pick<TaskStore, 'addCollection' | 'findingsOf'> {
  readonly collections: (runId: RunId) => readonly Collection[];
}

const EVENTS: Readonly<Record<CollectStage, RunEventType>> = {
  baseline: 'baseline',
  checkpoint: 'checkpoint',
  final: 'final',
};

/** Creates the writer of `findings` on `db`. */
export function createTaskFindings(db: Database, events: EventRecorder): TaskFindings {
  const insert = prepareInsert(db);
  const readStored = (runId: RunId) => {
    const row = db.select({ text: runs.collectionsJson }).from(runs).where(eq(runs.runId, runId)).get();
    if (row === undefined) throw new InvariantError(`there is no run ${runId}`);
    return parseJsonColumn(StoredCollections, row.text, { table: 'runs', column: 'collections_json', id: runId });
  };
  return {
    addCollection: (runId, { stage, at, incomplete }, found) => {
      inTransaction(db, () => {
        const stored = [...readStored(runId), { stage, at, incomplete }];
        db.update(runs)
          .set({ collectionsJson: JSON.stringify(stored) })
          .where(eq(runs.runId, runId))
          .run();
        for (const { meta, column, ...finding } of found) {
          const rest = { col: column, metaJson: JSON.stringify(meta), createdAt: at, collection: stored.length };
          insert.run({ ...finding, ...rest, runId });
        }
        const level = incomplete.length === 0 ? 'info' : 'warn';
        const payload = { collection: stored.length, findings: found.length, incomplete };
        events.record({ runId, at, level, type: EVENTS[stage], payload });
      });
    },
    findingsOf: (runId, collection) =>
      db
        .select()
        .from(findings)
        .where(and(eq(findings.runId, runId), eq(findings.collection, collection)))
        .orderBy(asc(findings.id))
        .all()
        .map(toFinding),
    collections: (runId) => {
      const counted = db
        .select({ no: findings.collection, count: sql<number>`count(*)` })
        .from(findings)
        .where(eq(findings.runId, runId))
        .groupBy(findings.collection)
        .all();
      const counts = new Map(counted.map(({ no, count }) => [no, count]));
      return readStored(runId).map((one, index) => ({ ...one, no: index + 1, findings: counts.get(index + 1) ?? 0 }));
    },
  };
}

function prepareInsert(db: Database) {
  const given = sql.placeholder;
  return db
    .insert(findings)
    .values({
      ...{ runId: given('runId'), tool: given('tool'), kind: given('kind'), severity: given('severity') },
      ...{ fingerprint: given('fingerprint'), message: given('message'), filePath: given('filePath') },
      ...{ line: given('line'), col: given('col'), symbol: given('symbol'), testId: given('testId') },
      ...{ rawRef: given('rawRef'), metaJson: given('metaJson'), createdAt: given('createdAt') },
      collection: given('collection'),
    })
    .prepare();
}

function toFinding(row: typeof findings.$inferSelect): TaskFinding {
  const { tool, kind, severity, fingerprint, message, filePath, line, col: column, symbol, testId, rawRef } = row;
  const place = { table: 'findings', column: 'meta_json', id: row.id };
  return {
    ...{ tool, kind, severity, fingerprint, message, filePath, line, column, symbol, testId, rawRef },
    meta: parseJsonColumn(StoredFindingMeta, row.metaJson ?? '', place),
  };
}
