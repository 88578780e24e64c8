import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recompute, withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';
import { setModelStage } from '../support/run-with-model.ts';
import { REAL_CLIS, toRealCli } from './real-clis.ts';

const NAMES = process.env['RATCHET_REAL_CLIS']?.split(',') ?? REAL_CLIS;

describe.each(REAL_CLIS.filter((name) => NAMES.includes(name)))('ratchet run with the real %s', (kind) => {
  let stage: RunStage;
  beforeEach(async () => {
    stage = await createRunStage();
  });
  afterEach(async () => stage.remove());

  it('takes a checkout to green, and tells what it cost', async () => {
    const { models, env, key } = await setModelStage(stage, { kind, path: toRealCli(kind) });
    const ended = await stage.withEnv(env).ratchet('run', '--repo', 'repo', '--budget', '2', '--json');
    await models.close();

    expect(ended.exitCode, ended.stderr).toBe(0);
    const json = toRunJson(ended);
    expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 } });
    expect(json.costUsd).toBeGreaterThan(0);
    const stored = await recompute(stage, json.runId);
    expect([withCauses(json), stored.problems]).toEqual([stored.report, []]);
    expect(`${ended.stdout}${ended.stderr}`).not.toContain(key);
  });
});
