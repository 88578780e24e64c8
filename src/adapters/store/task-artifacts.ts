import { asc, eq } from 'drizzle-orm';
import type { Artifact } from '../../core/model/task-record.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseNullableJsonColumn } from './json-columns.ts';
import type { EventRecorder } from './run-events.ts';
import { StoredRecord } from './task-columns.ts';
import { artifacts } from './task-schema.ts';

/** Creates the writer of `artifacts` on `db`. */
export function createTaskArtifacts(db: Database, events: EventRecorder): Pick<TaskStore, 'addArtifact' | 'artifacts'> {
  return {
    addArtifact: (runId, { meta, ...artifact }) =>
      inTransaction(db, () => {
        const { lastInsertRowid } = db
          .insert(artifacts)
          .values({ ...artifact, runId, metaJson: JSON.stringify(meta) })
          .run();
        const { kind, path, sha256, sizeBytes: size_bytes, tool } = artifact;
        const payload = { kind, path, sha256, size_bytes, ...meta };
        events.record({ runId, at: artifact.createdAt, type: 'artifact_added', tool, payload });
        return Number(lastInsertRowid);
      }),
    artifacts: (runId) =>
      db.select().from(artifacts).where(eq(artifacts.runId, runId)).orderBy(asc(artifacts.id)).all().map(toArtifact),
  };
}

function toArtifact({ metaJson, sha256, sizeBytes, ...row }: typeof artifacts.$inferSelect): Artifact {
  const place = { table: 'artifacts', column: 'meta_json', id: row.id };
  const meta = parseNullableJsonColumn(StoredRecord, metaJson, place) ?? {};
  const { id, tool, kind, path, createdAt } = row;
  return { id, tool, kind, path, createdAt, sha256: sha256 ?? '', sizeBytes: sizeBytes ?? 0, meta };
}
