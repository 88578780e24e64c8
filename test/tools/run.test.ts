import { cp, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setup as buildBundle } from '../support/build-bundle.ts';
import { aPytestRepository } from '../support/run-fixtures.ts';
import { recompute, withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';

const TOOLS = join(import.meta.dirname, '../../.cache/tools');
/** A site mounts a folder of the operator by its real path. */
const toDebian = async (): Promise<string> => realpath(join(TOOLS, 'debian/root/usr'));
const OTHERS = join(TOOLS, 'third-party/node_modules');

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

  it('repairs faults that were put into a project of others', async () => {
    await cp(join(OTHERS, 'process-warning'), stage.repo, { recursive: true, dereference: true });
    // Its tests need nothing of what it is developed with.
    const manifest = join(stage.repo, 'package.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('"devDependencies"', '"notInstalled"'));
    const source = join(stage.repo, 'index.js');
    const released = await readFile(source, 'utf8');
    const faults = [
      ['unlimited !== true) {', 'unlimited === true) {'],
      ['code = code.toUpperCase()', 'code = code.toLowerCase()'],
      ["name: 'DeprecationWarning' })", "name: 'Deprecation' })"],
    ] as const;
    const broken = faults.reduce((text, [right, wrong]) => text.replace(right, wrong), released);
    expect(broken).not.toBe(released);
    await writeFile(source, broken);
    await stage.write({
      '.github/ratchet.yml': `install:
  detect: false
engines:
  tests:
    command: [node, --test, --test-reporter=junit, "--test-reporter-destination={report}", "{targets}"]
    format: junit
    kind: test
    globs: ["**/*.test.js"]
    targets: files
`,
    });
    await stage.commit();
    const mends = faults.map(([right, wrong]) => `s/${toPattern(wrong)}/${toPattern(right)}/`).join('; ');
    await stage.script({ steps: [{ do: 'run', command: `sed -i "${mends}" index.js` }] });

    const ended = await stage.ratchet('run', '--repo', 'repo', '--json');

    expect(ended.exitCode, ended.stderr).toBe(0);
    const json = toRunJson(ended);
    expect(json.baseline?.findings).toBeGreaterThanOrEqual(3);
    expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 } });
    expect(await stage.git('show', `${json.branch ?? ''}:index.js`)).toBe(released.trimEnd());
    expect(await stage.git('diff', '--name-only', 'HEAD', json.branch ?? '')).toBe('index.js');
  });
});

function toPattern(text: string): string {
  return text.replaceAll(/[.*[\]^$/&]/gu, '\\$&');
}
