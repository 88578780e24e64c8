import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/adapters/store/create-store.ts';
import { parsePullRequestKey } from '../../src/core/model/ids.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { fakeSha, temporaryFolder } from '../support/store.ts';

/** The newest migration of the version that kept the check runs of engines with their runs. */
const LAST = 4;
const key = parsePullRequestKey('100#7');
const headSha = fakeSha('head');

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function createLastVersion(path: string): void {
  const database = createOldDatabase(path, LAST);
  database.exec("INSERT INTO repositories VALUES (100, 1, 'octo', 'app', 1)");
  database
    .prepare("INSERT INTO workspaces (key, repository_id, number, enablement) VALUES (?, 100, 7, 'enabled')")
    .run(key);
  const addCheck = database.prepare('INSERT INTO check_runs VALUES (?, ?, ?, ?, ?, ?)');
  addCheck.run(key, headSha, 'Ratchet', 11, 'hash', 0);
  addCheck.run(key, headSha, 'Ratchet / config', null, 'not touched', 1);
  const addRun = database.prepare(
    "INSERT INTO quality_runs VALUES (?, ?, ?, 'want', ?, ?, 'success', '[]', NULL, ?, NULL)",
  );
  addRun.run('one', key, headSha, 'finished', 21, 1);
  addRun.run('two', key, headSha, 'running', 22, 2);
  addRun.run('unnamed', key, headSha, 'running', null, 3);
  database.close();
}

describe('a database of the version that kept check runs in two places', () => {
  it('keeps all of them in one, and the runs of the engines', () => {
    const path = join(folder.path, 'ratchet.db');
    createLastVersion(path);

    const store = createStore({ path });
    const find = (name: string, series = '') => store.checkRun({ key, headSha, name, series });
    const quality = ['one', 'two', 'unnamed'].map((id) => find('Ratchet / quality', id));
    const others = [find('Ratchet'), find('Ratchet / config')];
    const runs = store.qualityRuns(key, 9).map(({ id }) => id);
    store.close();

    expect(others).toMatchObject([
      { checkRunId: 11, contentHash: 'hash', completed: false },
      { checkRunId: null, contentHash: 'not touched', completed: true },
    ]);
    expect(quality).toMatchObject([
      { checkRunId: 21, contentHash: null, completed: true },
      { checkRunId: 22, contentHash: null, completed: false },
      null,
    ]);
    expect(runs).toEqual(['unnamed', 'two', 'one']);
  });
});
