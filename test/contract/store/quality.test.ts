import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { parseRunId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { QualityAsk, QualityRun } from '../../../src/core/model/quality-run.ts';
import type { StoredInvocation } from '../../../src/ports/engine-cache.ts';
import type { QualityReport } from '../../../src/ports/quality-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aFinding, aRun } from '../../support/engine-stories.ts';
import { aRepository, fakeSha, memoryStore, temporaryFolder } from '../../support/store.ts';

const key = toPullRequestKey(100, 7);
const other = toPullRequestKey(100, 8);
const DAY_MS = 24 * 60 * 60_000;

let store: Store;

beforeEach(() => {
  store = memoryStore();
  for (const number of [7, 8]) store.ensureWorkspace({ repository: aRepository(), number });
});

afterEach(() => store.close());

function aQualityRun(id: string, change: Partial<QualityRun> = {}): QualityRun {
  return {
    id: parseRunId(id),
    key,
    headSha: fakeSha('head'),
    wantKey: 'want',
    status: 'running',
    conclusion: null,
    newFindings: [],
    startedAt: 10,
    endedAt: null,
    ...change,
  };
}

const report: QualityReport = {
  content: {
    name: 'Ratchet / quality',
    headSha: fakeSha('head'),
    externalId: '100#7:one',
    status: 'completed',
    conclusion: 'failure',
    title: '1 new finding',
    summary: 'text',
    actions: [{ identifier: 'check', label: 'Re-run checks', description: 'again' }],
  },
  annotations: [
    { path: 'a.ts', startLine: 1, endLine: 1, level: 'failure', message: 'no' },
    {
      path: 'a.ts',
      startLine: 1,
      endLine: 1,
      startColumn: 2,
      endColumn: 2,
      title: 'rule',
      level: 'notice',
      message: 'x',
    },
  ],
};

const { tool, kind, rule, severity, fingerprint, message, path, line } = aFinding();
const accepted = { tool, kind, rule, severity, fingerprint, message, path, line };

describe('an ask for the engines', () => {
  const ask: QualityAsk = { key, id: 'one', paths: ['src'], timeoutSeconds: 60, refresh: true, askedAt: 5 };

  it('is kept until it is settled; a newer one takes its place', () => {
    store.askQuality(ask);
    const first = store.qualityAsk(key);
    store.askQuality({ ...ask, id: 'two', paths: null, timeoutSeconds: null, refresh: false });
    store.settleQualityAsk(key, 'one');

    expect(first).toEqual(ask);
    expect(store.qualityAsk(key)).toEqual({ ...ask, id: 'two', paths: null, timeoutSeconds: null, refresh: false });
    store.settleQualityAsk(key, 'two');
    expect(store.qualityAsk(key)).toBeNull();
    expect(store.qualityAsk(other)).toBeNull();
  });
});

describe('a run of the engines', () => {
  it('runs, then is told of, then is finished; each once', () => {
    store.beginQualityRun(aQualityRun('one'));
    const running = store.runningQualityRuns();
    const end = { conclusion: 'failure', newFindings: [accepted], at: 20, report, askId: null } as const;
    const ended = [store.endQualityRun(parseRunId('one'), end), store.endQualityRun(parseRunId('one'), end)];
    const told = store.qualityReport(parseRunId('one'));
    store.settleQualityReport(parseRunId('one'));

    expect(running).toEqual(['one']);
    expect(ended).toEqual([true, false]);
    expect(told).toEqual(report);
    expect(store.qualityReport(parseRunId('one'))).toBeNull();
    expect(store.runningQualityRuns()).toEqual([]);
    expect(store.qualityRuns(key, 5)).toEqual([
      aQualityRun('one', {
        status: 'finished',
        conclusion: 'failure',
        newFindings: [accepted],
        endedAt: 20,
      }),
    ]);
  });

  it('that is finished can be told anew, as often as wanted', () => {
    const id = parseRunId('one');
    store.beginQualityRun(aQualityRun('one'));
    const running = store.reopenQualityReport(id);
    store.endQualityRun(id, { conclusion: 'failure', newFindings: [], at: 20, report, askId: null });
    const reporting = store.reopenQualityReport(id);
    store.settleQualityReport(id);
    const finished = store.reopenQualityReport(id);
    const told = store.qualityReport(id);
    store.settleQualityReport(id);

    expect([running, reporting, finished]).toEqual([false, false, true]);
    expect(told).toEqual(report);
    expect(store.qualityReport(id)).toBeNull();
    expect(store.reopenQualityReport(id)).toBe(true);
  });

  it('without anything to tell is finished at once, and cannot be told anew', () => {
    store.beginQualityRun(aQualityRun('one'));
    store.endQualityRun(parseRunId('one'), {
      conclusion: 'cancelled',
      newFindings: [],
      at: 20,
      report: null,
      askId: null,
    });

    expect(store.reopenQualityReport(parseRunId('one'))).toBe(false);
    expect(store.reopenQualityReport(parseRunId('unknown'))).toBe(false);
    expect(store.qualityRuns(key, 5)).toMatchObject([{ status: 'finished', conclusion: 'cancelled' }]);
  });

  it('is found newest first, of its own pull request, as many as are asked for', () => {
    store.beginQualityRun(aQualityRun('one'));
    store.beginQualityRun(aQualityRun('two'));
    store.beginQualityRun(aQualityRun('old', { startedAt: 1 }));
    store.beginQualityRun(aQualityRun('other', { key: other }));

    expect(store.qualityRuns(key, 2).map(({ id }) => id)).toEqual(['two', 'one']);
  });
});

describe('the end of a run', () => {
  const ask: QualityAsk = { key, id: 'one', paths: null, timeoutSeconds: null, refresh: true, askedAt: 5 };
  const end = { conclusion: 'success', newFindings: [], at: 20, report: null, askId: 'one' } as const;

  it('settles the ask that it answers, and no other one', () => {
    store.beginQualityRun(aQualityRun('one'));
    store.askQuality(ask);
    store.askQuality({ ...ask, id: 'two' });
    store.endQualityRun(parseRunId('one'), end);
    const newer = store.qualityAsk(key);
    store.beginQualityRun(aQualityRun('two'));
    store.endQualityRun(parseRunId('two'), { ...end, askId: 'two' });

    expect(newer?.id).toBe('two');
    expect(store.qualityAsk(key)).toBeNull();
  });

  it('that comes second settles nothing', () => {
    store.beginQualityRun(aQualityRun('one'));
    store.endQualityRun(parseRunId('one'), { ...end, askId: null });
    store.askQuality(ask);

    expect(store.endQualityRun(parseRunId('one'), end)).toBe(false);
    expect(store.qualityAsk(key)).toEqual(ask);
  });
});

describe('the TARGET run of a base', () => {
  const of = { key, treeSha: fakeSha('tree'), engine: 'eslint', project: '.', signature: 's' };
  const run = aRun({
    findings: [aFinding()],
    tests: [{ id: 't', outcome: 'passed', path: null }],
    coverage: { files: [{ path: 'a.ts', covered: 1, total: 2, missingLines: [2] }] },
  });

  it('is kept by pull request, content, engine and signature; the last one written counts', () => {
    store.saveStoredRun(of, aRun(), 1);
    store.saveStoredRun(of, run, 1);

    expect(store.storedRun(of, 2)).toEqual(run);
    for (const another of [
      { ...of, key: other },
      { ...of, treeSha: fakeSha('another') },
      { ...of, engine: 'mypy', project: '.' },
      { ...of, signature: 'another' },
    ]) {
      expect(store.storedRun(another, 2)).toBeNull();
    }
  });

  it('that is longer than 8 MiB is not kept', () => {
    store.saveStoredRun(of, aRun({ findings: [aFinding({ message: 'x'.repeat(8 * 1024 * 1024) })] }), 1);

    expect(store.storedRun(of, 2)).toBeNull();
  });

  it('that is damaged, or of another version, is none', () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'ratchet.db');
    const onDisk = createStore({ path: file });
    onDisk.ensureWorkspace({ repository: aRepository(), number: 7 });
    onDisk.saveStoredRun(of, run, 1);
    onDisk.saveBudgets(of, { engine: 'eslint', project: '.', signature: 's', files: [], applied: [] }, 1);
    onDisk.cacheInvocation(key, 'k', invocation, 1);
    const database = new SqliteDatabase(file);
    database.exec(`UPDATE quality_results SET result = '{"engine":1}'`);
    database.exec(`UPDATE quality_results SET result = 'x' WHERE kind = 'budgets'`);
    database.exec(`UPDATE quality_results SET result = '{}' WHERE kind = 'invocation'`);
    database.close();

    const read = [onDisk.storedRun(of, 2), onDisk.budgets(of, 2), onDisk.cachedInvocation(key, 'k', 2)];
    onDisk.close();
    folder.remove();

    expect(read).toEqual([null, null, null]);
  });
});

const invocation: StoredInvocation = {
  argv: ['eslint', '.'],
  version: '10.0.0',
  exit: { kind: 'exited', exitCode: 0, signal: null, durationMs: 5 },
  payload: { kind: 'empty' },
  stderr: '',
  category: 'success',
  classifierVersion: 1,
};

describe('what engines left', () => {
  it('is kept by pull request and key, raw', () => {
    store.cacheInvocation(key, 'k', { ...invocation, stderr: 'old' }, 1);
    store.cacheInvocation(key, 'k', invocation, 1);

    expect(store.cachedInvocation(key, 'k', 2)).toEqual(invocation);
    expect(store.cachedInvocation(other, 'k', 2)).toBeNull();
    expect(store.cachedInvocation(key, 'another', 2)).toBeNull();
  });

  it('that is too long is not kept', () => {
    store.cacheInvocation(key, 'k', { ...invocation, stderr: 'x'.repeat(8 * 1024 * 1024) }, 1);

    expect(store.cachedInvocation(key, 'k', 2)).toBeNull();
  });
});

describe('budgets and acceptances', () => {
  const of = { key, treeSha: fakeSha('tree'), engine: 'eslint', project: '.', signature: 's' };
  const budgets = {
    engine: 'eslint',
    project: '.',
    signature: 's',
    files: [{ path: null, counts: { blocker: 0, high: 1, medium: 2, low: 3 } }],
    applied: [{ fingerprint: 'f', at: 3 }],
  };

  it('are kept by pull request and base', () => {
    store.saveBudgets(of, { ...budgets, files: [] }, 1);
    store.saveBudgets(of, budgets, 1);

    expect(store.budgets(of, 2)).toEqual(budgets);
    expect(store.budgets({ ...of, treeSha: fakeSha('another') }, 2)).toBeNull();
    expect(store.budgets({ ...of, key: other }, 2)).toBeNull();
  });

  it('name who accepted what, and why, oldest first', () => {
    const author = { id: 1, login: 'ada', kind: 'user' } as const;
    const acceptance = { author: 'ada', reason: 'later', at: 5, findings: [accepted] };
    store.addAcceptance({ key, author, headSha: fakeSha('head'), acceptance });
    store.addAcceptance({ key, author, headSha: fakeSha('next'), acceptance: { ...acceptance, at: 9 } });

    expect(store.acceptances(key)).toEqual([
      { key, author, headSha: fakeSha('head'), acceptance },
      { key, author, headSha: fakeSha('next'), acceptance: { ...acceptance, at: 9 } },
    ]);
    expect(store.acceptances(other)).toEqual([]);
  });
});

describe('the pruning of runs and results', () => {
  const of = (signature: string) => ({ key, treeSha: fakeSha('tree'), engine: 'eslint', project: '.', signature });

  it('forgets what ended, and what nobody used, before an instant; a run that runs stays, however old', () => {
    store.beginQualityRun(aQualityRun('running'));
    store.beginQualityRun(aQualityRun('old'));
    store.beginQualityRun(aQualityRun('young'));
    const end = { conclusion: 'success', newFindings: [], report: null, askId: null } as const;
    store.endQualityRun(parseRunId('old'), { ...end, at: DAY_MS });
    store.endQualityRun(parseRunId('young'), { ...end, at: DAY_MS + 1 });
    store.saveStoredRun(of('old'), aRun(), DAY_MS);
    store.saveStoredRun(of('used'), aRun(), DAY_MS);
    store.saveBudgets(of('old'), { engine: 'eslint', project: '.', signature: 's', files: [], applied: [] }, DAY_MS);
    store.cacheInvocation(key, 'old', invocation, DAY_MS);
    store.storedRun(of('used'), DAY_MS + 1);
    const check = { key, headSha: fakeSha('head'), name: 'Ratchet / quality', contentHash: null, completed: true };
    const rest = { generation: 0, conclusion: null };
    for (const series of ['', 'old', 'young']) store.saveCheckRun({ ...check, ...rest, series, checkRunId: 4 });

    expect(store.pruneQuality(DAY_MS + 1)).toBe(4);

    expect(['', 'old', 'young'].map((series) => store.checkRun({ ...check, series })?.checkRunId)).toEqual([
      4,
      undefined,
      4,
    ]);
    expect(store.qualityRuns(key, 9).map(({ id }) => id)).toEqual(['young', 'running']);
    expect(store.storedRun(of('old'), 1)).toBeNull();
    expect(store.storedRun(of('used'), 1)).not.toBeNull();
    expect(store.budgets(of('old'), 1)).toBeNull();
    expect(store.cachedInvocation(key, 'old', 1)).toBeNull();
  });

  it('keeps no more than a thousand results of a kind, the least recently used go first', () => {
    for (let nth = 0; nth < 1_001; nth += 1) store.cacheInvocation(key, String(nth), invocation, nth);

    store.pruneQuality(0);

    expect(store.cachedInvocation(key, '0', 1)).toBeNull();
    expect(store.cachedInvocation(key, '1', 1)).not.toBeNull();
  });
});
