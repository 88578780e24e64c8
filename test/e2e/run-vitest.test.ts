import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aVitestRepository, makeVitestChain } from '../support/run-fixtures.ts';
import { recompute, withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';

let stage: RunStage;
beforeEach(async () => {
  stage = await createRunStage();
});
afterEach(async () => stage.remove());

it('takes a repository of the real Vitest to green, and its report is what the database has (001.R55, R22, R28)', async () => {
  // Its packages name each other by the name that the operator gave.
  const chain = join(stage.root, 'chain');
  await makeVitestChain(join(stage.root, 'chain-1'));
  await symlink('chain-1', chain);
  const { files, script } = aVitestRepository(chain);
  await stage.write(files);
  await stage.commit();
  await stage.script(script);

  const ended = await stage.withEnv({ RATCHET_TOOLCHAINS: chain }).ratchet('run', '--repo', 'repo', '--json');

  expect(ended.exitCode, ended.stderr).toBe(0);
  const json = toRunJson(ended);
  expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 } });
  // One cause in two files is one task; the gap is closed once the tests pass.
  expect(json.tasks.map(({ type }) => type).toSorted()).toEqual(['add_test', 'fix', 'fix', 'fix', 'refactor']);
  expect(json.tasks.every(({ status }) => status === 'succeeded')).toBe(true);
  const stored = await recompute(stage, json.runId);
  expect(withCauses(json)).toEqual(stored.report);
  expect(stored.problems).toEqual([]);
});
