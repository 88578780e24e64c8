import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setup as buildBundle } from '../support/build-bundle.ts';
import { aPytestRepository } from '../support/run-fixtures.ts';
import { recompute, withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';

const TOOLS = join(import.meta.dirname, '../../.cache/tools');
/** A site mounts a folder of the operator by its real path. */
const toDebian = async (): Promise<string> => realpath(join(TOOLS, 'debian/root/usr'));

let stage: RunStage;
beforeAll(async () => {
  await buildBundle();
});
beforeEach(async () => {
  stage = await createRunStage();
});
afterEach(async () => stage.remove());

describe('ratchet run', () => {
  it('takes a repository of pytest to green, and its report is what the database has (001.R20, R22, R28)', async () => {
    const debian = await toDebian();
    const { files, script } = aPytestRepository(join(debian, 'lib/python3/dist-packages'));
    await stage.write(files);
    await stage.commit();
    await stage.script(script);

    const ended = await stage.withEnv({ RATCHET_TOOLCHAINS: debian }).ratchet('run', '--repo', 'repo', '--json');

    expect(ended.exitCode, ended.stderr).toBe(0);
    const json = toRunJson(ended);
    expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 } });
    // One cause in two files is one task; the gap is closed once the tests pass.
    expect(json.tasks.map(({ type }) => type).toSorted()).toEqual(['add_test', 'fix', 'fix', 'fix', 'refactor']);
    const stored = await recompute(stage, json.runId);
    expect(withCauses(json)).toEqual(stored.report);
    expect(stored.problems).toEqual([]);
  });
});
