import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionFiles } from '../../../src/adapters/files/create-session-files.ts';
import { createUnsafeSandbox } from '../../../src/adapters/sandbox/create-unsafe-sandbox.ts';
import { OF_ISOLATION } from '../../../src/adapters/sites/create-sandbox-sites.ts';
import { NO_ENGINE_SOURCE } from '../../../src/core/engines/engine-source.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { parseRunId, parseSessionId, parseSha, type Sha, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { Task } from '../../../src/core/model/task.ts';
import {
  type Integration,
  integrateChanges,
  type WaitingChange,
} from '../../../src/pipeline/tasks/integrate-changes.ts';
import type { TaskDeps, TaskRunGround } from '../../../src/pipeline/tasks/task-run.ts';
import type { Sites } from '../../../src/ports/site.ts';
import type { Store } from '../../../src/ports/store.ts';
import {
  createTestLog,
  createTestSession,
  type FileSpec,
  PULL_NUMBER,
  REPOSITORY,
  type TestSession,
} from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';
import { memoryStore } from '../../support/store.ts';
import { aPlannedTask, QUEUED } from '../../support/task-store.ts';

let session: TestSession;
let store: Store;
/** The names of the sites that were opened. */
let opened: string[];
let head: Sha;
/** What became of the changes, in the order in which it was stored. */
let ends: { readonly id: number; readonly end: Integration }[];

beforeEach(async () => {
  session = await createTestSession({ 'a.txt': 'no\n', 'b.txt': 'no\n', 'c.txt': 'no\n' });
  store = memoryStore();
  [opened, ends, head] = [[], [], session.headSha];
});
afterEach(async () => {
  store.close();
  await session.remove();
});

function toIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `i${String(count)}`;
  };
}

function toSites(): Sites {
  const { git, root } = session;
  const sandbox = createUnsafeSandbox({ slots: 16, toolsDir: root, log: createTestLog(), newId: toIds() });
  const parts = { sandbox, trees: git, dataDir: join(root, 'data'), isIsolated: false, waived: OF_ISOLATION };
  const sites = createTestSites(parts);
  return {
    ...sites,
    open: async (request, signal) => {
      opened.push(request.name);
      return sites.open(request, signal);
    },
  };
}

function toDeps(): TaskDeps {
  const { git, root } = session;
  return {
    ...{ clock: { now: () => 1_764_000_000_000 }, files: createSessionFiles({ dataDir: join(root, 'data') }) },
    ...{ gateway: null, git, log: createTestLog(), newId: toIds(), registries: null, sites: toSites(), store },
    ...{ newDeadline: () => NEVER, redact: (text: string) => text, redactLong: async (text: string) => text },
    ...{ settings: { liveSecrets: () => [] }, testJudge: { prepare: () => undefined, judge: async () => [] } },
    engineSource: NO_ENGINE_SOURCE,
  };
}

function toGround(): TaskRunGround {
  const { mirror } = session.repository;
  const { repositoryId } = mirror;
  const key = toPullRequestKey(repositoryId, 1);
  const account = { sessionId: parseSessionId('run-1'), key, repositoryId, installationId: 0, wantedModel: null };
  return {
    ...{ runId: parseRunId('run-1'), key, repositoryId, mirror, baseSha: session.headSha, agent: null },
    ...{ policy: DEFAULT_POLICY, maxMicroUsd: null, deadline: 2_000_000_000_000 },
    account: { ...account, limits: {}, maxMicroUsd: null, maxCalls: null, maxTokens: null },
  };
}

/** A change on the first head that passed alone. `check`: a shell line that must succeed where it is integrated. */
async function aChange(id: number, files: Readonly<Record<string, FileSpec>>, check: string): Promise<WaitingChange> {
  const { remote, git, headSha } = session;
  const branch = `task-${String(id)}`;
  const commitSha = await remote.commit(branch, files, { parent: headSha });
  const want = { number: PULL_NUMBER, headSha: commitSha, headRef: branch, baseRef: 'main' };
  await git.ensureMirror(REPOSITORY, want, remote.access, NEVER);
  const { validation, ...planned } = aPlannedTask(branch);
  const shell = { runner: 'generic', args: ['/bin/sh', '-c', check], env: {}, cwd: '.', timeout_seconds: 60 } as const;
  const task: Task = {
    ...{ ...planned, id, runId: parseRunId('run-1'), ...QUEUED },
    validation: { ...validation, check: null, commands: [shell] },
  };
  return {
    change: { task, from: headSha, commitSha, validation: { task, before: null }, attemptName: `t${String(id)}a1` },
    signal: NEVER,
    settle: async (end) => {
      ends.push({ id, end });
    },
  };
}

async function integrate(...waiting: readonly WaitingChange[]): Promise<void> {
  const move = (next: Sha): void => {
    head = next;
  };
  await integrateChanges(toDeps(), toGround(), { head: { get: () => head, move }, waiting }, NEVER);
}

const has = (file: string): string => `grep -q yes ${file}`;
const read = async (...paths: readonly string[]) =>
  session.git.readFiles(session.repository, { treeish: head, paths, maxBytes: 100 }, NEVER);
const toKinds = () => ends.map(({ id, end }) => [id, end.kind === 'failed' ? end.cause : end.kind]);
const [A, B, C] = ['a.txt', 'b.txt', 'c.txt'];
const YES = 'yes\n';

describe('changes that wait for each other', () => {
  it('are merged, and their union is validated once with the check of each (001.R58)', async () => {
    const all = `${has(A)} && ${has(B)} && ${has(C)}`;

    await integrate(
      await aChange(1, { [A]: YES }, all),
      await aChange(2, { [B]: YES }, all),
      await aChange(3, { [C]: YES }, all),
    );

    expect(toKinds()).toEqual([1, 2, 3].map((id) => [id, 'integrated']));
    expect(opened.toSorted()).toEqual(['union-1', 'union-2', 'union-3']);
    expect(await read(A, B, C)).toEqual({ [A]: YES, [B]: YES, [C]: YES });
  });

  it('are stored with the one commit that was validated, so whoever resumes after the first of them has no other tree', async () => {
    await integrate(await aChange(1, { [A]: YES }, has(B)), await aChange(2, { [B]: YES }, has(A)));

    expect(ends.map(({ end }) => end)).toEqual([1, 2].map(() => ({ kind: 'integrated', head })));
    const log = await session.git.diffTrees(
      session.repository,
      { from: session.headSha, to: head, maxPatchBytes: 0 },
      NEVER,
    );
    expect(log.changes.map(({ path }) => path)).toEqual([A, B]);
  });

  it('are integrated one after another if the union fails, and the one that breaks another is refused, with its name', async () => {
    const first = await aChange(1, { [A]: YES }, `${has(A)} && ! test -e broken`);
    const second = await aChange(2, { [B]: YES }, has(B));
    const third = await aChange(3, { [C]: YES, broken: '' }, has(C));

    await integrate(first, second, third);

    expect(toKinds()).toEqual([
      [1, 'integrated'],
      [2, 'integrated'],
      [3, 'VALIDATION_FAILED'],
    ]);
    expect(JSON.stringify(ends.at(-1))).toContain('“fix task-1” is not done');
    expect(await read(A, B, C, 'broken')).toEqual({ [A]: YES, [B]: YES, [C]: 'no\n' });
  });

  it('go on without the one that does not merge', async () => {
    const waiting = [
      await aChange(1, { [A]: YES }, has(A)),
      await aChange(2, { [A]: 'yes, too\n' }, has(A)),
      await aChange(3, { [C]: YES }, `${has(A)} && ${has(C)}`),
    ];

    await integrate(...waiting);

    expect(toKinds()).toEqual([
      [1, 'integrated'],
      [2, 'MERGE_NOT_RESOLVED'],
      [3, 'integrated'],
    ]);
    expect(opened.toSorted()).toEqual(['union-1', 'union-3']);
    expect(await read(A, C)).toEqual({ [A]: YES, [C]: YES });
  });

  it('are one change if they are the same', async () => {
    await integrate(await aChange(1, { [A]: YES }, has(A)), await aChange(2, { [A]: YES }, has(A)));

    expect(toKinds()).toEqual([1, 2].map((id) => [id, 'integrated']));
    expect(await read(A)).toEqual({ [A]: YES });
  });

  it('all fail if there is no clone of the head, and nothing moves', async () => {
    head = parseSha('1'.repeat(40));

    await integrate(await aChange(1, { [A]: YES }, 'true'), await aChange(2, { [B]: YES }, 'true'));

    expect(toKinds()).toEqual([1, 2].map((id) => [id, 'WORKSPACE_FAILED']));
    expect([head, opened]).toEqual([parseSha('1'.repeat(40)), []]);
  });
});

describe('a change that nobody waits for', () => {
  it('is taken as it was validated if the head is where it began', async () => {
    const one = await aChange(1, { [A]: YES }, 'false');

    await integrate(one);

    expect([head, opened]).toEqual([one.change.commitSha, []]);
  });

  it('is validated with what came before, and refused if it does not pass there', async () => {
    await integrate(await aChange(1, { [A]: YES }, has(A)));

    await integrate(await aChange(2, { [B]: YES }, `! ${has(A)}`));

    expect(toKinds()).toEqual([
      [1, 'integrated'],
      [2, 'VALIDATION_FAILED'],
    ]);
    expect(await read(A, B)).toEqual({ [A]: YES, [B]: 'no\n' });
  });
});
