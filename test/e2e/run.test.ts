import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BROKEN, createRunStage, MEND_ALL, type RunStage, toRunJson } from '../support/run-stage.ts';

let stage: RunStage;
beforeEach(async () => {
  stage = await createRunStage();
  await stage.write(BROKEN);
  await stage.commit();
  await stage.script(MEND_ALL);
});
afterEach(async () => stage.remove());

describe('ratchet run', () => {
  it('takes a repository with 12 failing tests and a gap in its coverage to green on a branch (001.R3, 001.R14, 001.R16, 001.R56)', async () => {
    await writeFile(join(stage.repo, 'draft.txt'), 'mine\n');
    await writeFile(join(stage.repo, 'src/m1.mjs'), 'mine too\n');
    await stage.write({ '.git/hooks/reference-transaction': '#!/bin/sh\ntouch ../hook-ran\n' });
    const head = await stage.git('rev-parse', 'HEAD');

    const ended = await stage.ratchet('run', '--repo', 'repo', '--json');

    expect(ended.stderr).toContain('leaves out what is not committed: src/m1.mjs, draft.txt');
    const json = toRunJson(ended);
    expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 }, costUsd: 0 });
    expect(json.baseline?.findings).toBeGreaterThanOrEqual(12);
    expect(json.tasks.map(({ status }) => status)).toEqual(json.tasks.map(() => 'succeeded'));
    expect(json.tasks.filter(({ type }) => type === 'add_test')).toHaveLength(1);
    expect(ended.exitCode).toBe(0);
    expect(json.branch).toBe(`ratchet/run-${json.runId}`);
    const branch = json.branch ?? '';
    expect(await stage.git('merge-base', branch, 'HEAD')).toBe(head);
    expect(await stage.git('show', `${branch}:src/m1.mjs`)).toContain('left + right');
    expect(await stage.git('show', `${branch}:test/gap-more.test.mjs`)).toContain('zero');
    // The checkout is as it was.
    expect(await stage.git('rev-parse', 'HEAD')).toBe(head);
    expect(await stage.git('status', '--porcelain')).toBe(' M src/m1.mjs\n?? draft.txt');
    expect(await readFile(join(stage.repo, 'src/m1.mjs'), 'utf8')).toBe('mine too\n');
    expect(await readdir(stage.root)).not.toContain('hook-ran');
    expect((await stat(join(stage.root, 'state/ratchet'))).mode & 0o777).toBe(0o700);
  });

  it('only plans in a dry run: no agent is started, and no branch is made', async () => {
    await stage.script({ steps: [{ do: 'crash', exitCode: 1 }] });

    const ended = await stage.ratchet('run', '--repo', 'repo', '--dry-run', '--json');

    const json = toRunJson(ended);
    expect(ended.exitCode).toBe(1);
    expect(json).toMatchObject({ branch: null, final: null });
    expect(json.tasks.length).toBeGreaterThanOrEqual(3);
    expect(json.tasks.flatMap(({ attempts }) => attempts)).toEqual([]);
    expect(await stage.git('branch', '--list', '--all')).toBe('* main');
  });

  it('refuses an agent that edits tests, and tells why (001.R42)', async () => {
    await stage.script({
      steps: [{ do: 'run', command: "rm test/m*.test.mjs; sed -i 's/left - right/left + right/' src/*.mjs" }],
    });

    const ended = await stage.ratchet('run', '--repo', 'repo', '--json');

    const json = toRunJson(ended);
    expect(ended.exitCode).toBe(1);
    expect(json.branch).toBeNull();
    const reasons = json.tasks.flatMap(({ attempts }) => attempts.map(({ reason }) => reason));
    expect(reasons.length).toBeGreaterThan(2);
    for (const reason of reasons) expect(reason).toMatch(/^TESTS_DELETED: /u);
    expect(await stage.git('branch', '--list', '--all')).toBe('* main');
  });
});
