import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFakeCli } from '../support/fake-cli.ts';
import { recompute, withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';
import { setModelStage } from '../support/run-with-model.ts';

let stage: RunStage;
let model: Awaited<ReturnType<typeof setModelStage>>;
beforeEach(async () => {
  stage = await createRunStage();
  model = await setModelStage(stage, { kind: 'claude', path: await writeFakeCli(join(stage.root, 'cli'), 'claude') });
});
afterEach(async () => {
  await model.models.close();
  await stage.remove();
});

describe('what a run costs', () => {
  it('is what its models were paid, in the report as in the database', async () => {
    const ended = await stage.withEnv(model.env).ratchet('run', '--repo', 'repo', '--budget', '2', '--json');

    expect(ended.exitCode, ended.stderr).toBe(0);
    const json = toRunJson(ended);
    expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 } });
    expect(json.costUsd).toBeGreaterThan(0);
    const stored = await recompute(stage, json.runId);
    expect([withCauses(json), stored.problems]).toEqual([stored.report, []]);
    expect(`${ended.stdout}${ended.stderr}`).not.toContain(model.key);
  });

  it('ends with its budget: nothing more is started, and the report is written', async () => {
    model.models.behave({ kind: 'endless' });

    const ended = await stage.withEnv(model.env).ratchet('run', '--repo', 'repo', '--budget', '0.02', '--json');

    const json = toRunJson(ended);
    expect(ended.exitCode).toBe(1);
    expect(json).toMatchObject({ status: 'failed', branch: null, final: { findings: 1 } });
    expect(withCauses(json).tasks.flatMap(({ attempts }) => attempts.map(({ reason }) => reason))).toEqual([
      'BUDGET_EXHAUSTED',
    ]);
    // The call that it had no room for was not made.
    expect(json.costUsd).toBeLessThanOrEqual(0.02);
    expect(ended.stderr).toMatch(/nothing more is started: /u);
  });
});
