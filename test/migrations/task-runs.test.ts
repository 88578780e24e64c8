import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { getTableName } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStore } from '../../src/adapters/store/create-store.ts';
import * as taskSchema from '../../src/adapters/store/task-schema.ts';
import { parseRunId } from '../../src/core/model/ids.ts';
import { fakeSha } from '../support/builders.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { type Pipeline, resumePipeline } from '../support/pipeline-fixture.ts';
import { resumeQuality } from '../support/quality-fixture.ts';
import { temporaryFolder } from '../support/store.ts';

/** The newest migration of the version that wrote the rows, and of the one before the tables of runs and tasks. */
const WRITTEN_BY = 3;
const LAST = 11;
const ROWS = fileURLToPath(new URL('run-lifecycle', import.meta.url));
const OLD_ID = 'id00000000000000000001';
const COMMIT = fakeSha('commit-1');
/** Those, and what later migrations brought. */
const NEW_TABLES = [...Object.values(taskSchema).map(getTableName), 'agent_runs'].toSorted();

/** A database of the last version without runs and tasks, at the instant at which its process was killed. */
function leftBy(name: string): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'ratchet.db');
  const database = createOldDatabase(path, WRITTEN_BY);
  database.pragma('foreign_keys = OFF');
  database.exec(readFileSync(join(ROWS, `${name}.sql`), 'utf8'));
  database.close();
  createOldDatabase(path, LAST).close();
  return path;
}

/** All rows of all tables but those of the migrations themselves. */
function readAll(path: string): Readonly<Record<string, readonly unknown[]>> {
  const database = new SqliteDatabase(path, { readonly: true });
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '__*'")
    .pluck()
    .all()
    .map(String);
  const rows = names.map((name) => [name, database.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all()] as const);
  const broken = database.pragma('foreign_key_check');
  database.close();
  expect(broken).toEqual([]);
  return Object.fromEntries(rows);
}

/** The commit that was kept lies in the mirror, which the process does not take with it. */
async function restoreMirror({ git, github, store }: Pipeline): Promise<void> {
  const { signal } = new AbortController();
  const { number, headSha, baseRef } = github.facts();
  const repository = store.repository(10);
  if (repository === null) throw new Error('the repository is missing');
  const token = await github.mintGitToken(repository, 'read', signal);
  const mirror = await git.ensureMirror(repository, { number, headSha, baseRef }, { url: 'x', token }, signal);
  const kept = { runId: parseRunId(OLD_ID), mirror, controlDir: '/c', workDir: '/w', headSha };
  await git.keepCommit(kept, { commitSha: COMMIT, as: 'intent' }, signal);
}

const endsOf = (pipeline: Pipeline): readonly unknown[] =>
  pipeline.endedSessions().map(({ id, outcome }) => [id, outcome?.kind]);

describe('the migration that brings the tables of runs, findings and tasks', () => {
  it.each(['working', 'planned-push', 'owed-answers', 'rerun-asked', 'engines-running', 'engines-finished'])(
    'changes no row of an existing table, and adds the new ones empty: %s',
    (name) => {
      const path = leftBy(name);
      const before = readAll(path);
      expect(Object.keys(before)).not.toContain('tasks');

      createStore({ path }).close();
      const after = readAll(path);

      expect(Object.values(before).flat().length).toBeGreaterThan(3);
      expect(after).toMatchObject(before);
      const added = Object.keys(after).filter((table) => !(table in before));
      expect(added.toSorted()).toEqual(NEW_TABLES);
      expect(added.flatMap((table) => after[table] ?? [])).toEqual([]);
      expect(readAll(`${path}.before-migration-${String(LAST + 2)}`)).toEqual(before);
    },
  );

  it('lets a fixup that was at work end as died, and launches it anew without an attempt', async () => {
    const pipeline = await resumePipeline(leftBy('working'));

    await pipeline.runFixup();
    const { consecutiveAttempts } = pipeline.workspace();
    await pipeline.evaluate();
    await pipeline.runFixup();

    expect(consecutiveAttempts).toBe(0);
    expect(endsOf(pipeline).toReversed()).toMatchObject([
      [OLD_ID, 'died'],
      [expect.any(String), 'pushed'],
    ]);
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it('lets an open intent be carried out once, without the agent', async () => {
    const pipeline = await resumePipeline(leftBy('planned-push'));
    await restoreMirror(pipeline);

    await pipeline.runFixup();

    expect(endsOf(pipeline)).toEqual([[OLD_ID, 'pushed']]);
    expect(pipeline.git.pushed).toEqual([COMMIT]);
    expect(pipeline.agent.requests).toEqual([]);
  });

  it('lets a run of the engines that was at work be repeated', async () => {
    const pipeline = await resumeQuality(leftBy('engines-running'));

    await pipeline.runQuality();

    expect(pipeline.store.qualityRuns(pipeline.key, 5)).toMatchObject([
      { status: 'finished', conclusion: 'success' },
      { id: OLD_ID, status: 'finished', conclusion: 'interrupted' },
    ]);
  });
});
