import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionFiles } from '../../../src/adapters/files/create-session-files.ts';
import { parseRunId } from '../../../src/core/model/ids.ts';
import { createRedactor } from '../../../src/core/redact/create-redactor.ts';
import { readEventSeq } from '../../../src/core/tasks/event-line.ts';
import { keepArtifacts } from '../../../src/pipeline/tasks/keep-artifacts.ts';
import { withEvents, writeEvents } from '../../../src/pipeline/tasks/write-events.ts';
import type { SessionFiles } from '../../../src/ports/session-files.ts';
import type { Store } from '../../../src/ports/store.ts';
import { memoryStore, recordingLog, temporaryFolder } from '../../support/store.ts';
import { aPlannedTask, aTaskRun } from '../../support/task-store.ts';

const RUN = parseRunId('run-1');
const ATTEMPT = parseRunId('run-1-t1a1');
const SECRET = 'correct-horse-battery-staple';

let folder: ReturnType<typeof temporaryFolder>;
let store: Store;
let files: SessionFiles;
let logged: ReturnType<typeof recordingLog>;

beforeEach(() => {
  folder = temporaryFolder();
  store = memoryStore();
  store.createTaskRun(aTaskRun());
  files = createSessionFiles({ dataDir: folder.path });
  logged = recordingLog();
});

afterEach(() => {
  store.close();
  folder.remove();
});

const redact = createRedactor([SECRET]);
const deps = () => ({ files, store, redact, log: logged.log });
const eventsPath = (): string => join(folder.path, 'artifacts', RUN, 'events.jsonl');
const readSeqs = (): readonly unknown[] =>
  readFileSync(eventsPath(), 'utf8')
    .trim()
    .split('\n')
    .map((line) => readEventSeq(line));

function keep(): SessionFiles {
  return keepArtifacts({ ...deps(), clock: { now: () => 5_000 }, redactLong: async (text) => redact(text) }, RUN);
}

describe('the file of events of a run', () => {
  it('has each event of the store once and in order, however often it is written (001.R8, C18)', async () => {
    await writeEvents(deps(), RUN);
    await writeEvents(deps(), RUN);
    store.insertTasks(
      RUN,
      Array.from({ length: 450 }, (_, nth) => aPlannedTask(`t${String(nth)}`)),
      2_000,
    );
    await writeEvents(deps(), RUN);

    expect(readSeqs()).toEqual(store.eventsAfter(RUN, 0, 1_000).map(({ seq }) => seq));
    expect(statSync(eventsPath()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.path, 'artifacts', RUN)).mode & 0o777).toBe(0o700);
  });

  it('goes on after a line that a crash cut off (001.R8)', async () => {
    store.insertTasks(RUN, [aPlannedTask('a')], 2_000);
    await writeEvents(deps(), RUN);
    const whole = readFileSync(eventsPath(), 'utf8');
    writeFileSync(eventsPath(), whole.slice(0, -10));
    await writeEvents(deps(), RUN);

    expect(readFileSync(eventsPath(), 'utf8')).toBe(whole);
  });

  it('holds no secret, and stays JSON (001.R8)', async () => {
    store.noteEvent({ runId: RUN, at: 1, level: 'warn', payload: { detail: `it printed ${SECRET}`, [SECRET]: 1 } });
    await writeEvents(deps(), RUN);

    expect(readFileSync(eventsPath(), 'utf8')).not.toContain(SECRET);
    expect(readSeqs()).toHaveLength(2);
  });

  it('is left as it is where somebody else wrote into it, and the log says so', async () => {
    await writeEvents(deps(), RUN);
    const strange = `${readFileSync(eventsPath(), 'utf8')}hello\n`;
    writeFileSync(eventsPath(), strange);
    await writeEvents(deps(), RUN);

    expect(readFileSync(eventsPath(), 'utf8')).toBe(strange);
    expect(logged.lines.map(({ message }) => message)).toEqual([expect.stringContaining('damaged')]);
  });

  it('is written at the end of the work, also of work that fails; a link in its place is not followed and stops nothing', async () => {
    const failing = withEvents(deps(), RUN, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(readSeqs()).toHaveLength(1);
    const other = parseRunId('run-2');
    store.createTaskRun(aTaskRun('run-2'));
    await mkdir(join(folder.path, 'artifacts', other), { recursive: true });
    const outside = join(folder.path, 'outside');
    symlinkSync(outside, join(folder.path, 'artifacts', other, 'events.jsonl'));

    expect(await withEvents(deps(), other, async () => 'done')).toBe('done');
    expect(existsSync(outside)).toBe(false);
    expect(logged.lines.map(({ level }) => level)).toContain('warn');
  });
});

describe('the artifacts of a run', () => {
  it('are redacted before they are written, and stored with hash and size of what was written (001.R45)', async () => {
    await keep().writeArtifact(ATTEMPT, 'agent.stdout.log', `before ${SECRET} after`);
    const path = join(folder.path, 'artifacts', ATTEMPT, 'agent.stdout.log');
    const bytes = readFileSync(path);

    expect(bytes.toString()).toBe('before [redacted] after');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(store.artifacts(RUN)).toMatchObject([
      {
        ...{ kind: 'stdout', path: `${ATTEMPT}/agent.stdout.log`, sizeBytes: bytes.length, meta: { cut: false } },
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
    ]);
  });

  it('have one entry for each file, the newest (001.R45)', async () => {
    for (const text of ['first', 'second']) await keep().writeArtifact(ATTEMPT, 'patch.diff', text);

    expect(store.artifacts(RUN)).toMatchObject([{ kind: 'diff', sizeBytes: 6 }]);
  });

  it('are cut at 16 MiB each, and the run keeps 256 MiB at most', async () => {
    const big = async function* (): AsyncIterable<Uint8Array> {
      for (let nth = 0; nth < 20; nth += 1) yield Buffer.alloc(1024 * 1024, 'x');
    };
    await keep().writeArtifact(ATTEMPT, 'setup.stdout.log', big());
    expect(store.artifacts(RUN)).toMatchObject([{ sizeBytes: 16 * 1024 * 1024, meta: { cut: true } }]);
    const room = { tool: null, kind: 'log', path: 'x', sha256: '', createdAt: 1, meta: {} } as const;
    store.addArtifact(RUN, { ...room, sizeBytes: 240 * 1024 * 1024 });
    await keep().writeArtifact(ATTEMPT, 'patch.diff', 'too much');

    expect(await readdir(join(folder.path, 'artifacts', ATTEMPT))).toEqual(['setup.stdout.log']);
    expect(store.eventsAfter(RUN, 0, 100).at(-1)).toMatchObject({
      ...{ type: 'note', level: 'warn' },
      payload: { path: `${ATTEMPT}/patch.diff`, why: 'the artifacts of the run take too much room' },
    });
  });

  it.each(['../x', 'a/b', '/etc/passwd', '.', ''])('never have a name that leads elsewhere: %j', async (name) => {
    await expect(keep().writeArtifact(ATTEMPT, name, 'x')).rejects.toThrow('not a file name of ours');
    expect(store.artifacts(RUN)).toEqual([]);
  });

  it('do not follow a link: neither of the file nor of its folder', async () => {
    const outside = join(folder.path, 'outside');
    await mkdir(join(folder.path, 'artifacts', ATTEMPT), { recursive: true });
    await mkdir(outside);
    symlinkSync(join(outside, 'a'), join(folder.path, 'artifacts', ATTEMPT, 'patch.diff'));
    await expect(keep().writeArtifact(ATTEMPT, 'patch.diff', 'x')).rejects.toThrow();
    const linked = parseRunId('linked');
    symlinkSync(outside, join(folder.path, 'artifacts', linked));
    await expect(keep().writeArtifact(linked, 'patch.diff', 'x')).rejects.toThrow();

    expect(await readdir(outside)).toEqual([]);
    expect(store.artifacts(RUN)).toEqual([]);
  });
});
