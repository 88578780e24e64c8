import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeNodeChain } from '../support/run-fixtures.ts';
import { recompute, withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';

let stage: RunStage;
beforeEach(async () => {
  stage = await createRunStage();
});
afterEach(async () => stage.remove());

it('works with the fixer of the real oxlint alone where no agent is wanted: what it cannot repair is left, and told', async () => {
  const chain = join(stage.root, 'chain');
  await makeNodeChain(chain, ['oxlint']);
  await stage.write({
    '.gitignore': 'node_modules\n',
    'package.json': '{"type":"module"}\n',
    '.github/ratchet.yml': `install:\n  detect: false\nsetup:\n  - cp -r ${chain}/node_modules node_modules\nengines:\n  oxlint: {}\n`,
    '.oxlintrc.json': '{"categories":{"correctness":"off"},"rules":{"prefer-const":"error","no-undef":"error"}}\n',
    'src/a.mjs': 'let one = 1;\nexport const two = one + 1;\n',
    'src/b.mjs': 'let three = 3;\nexport const four = three + missing;\n',
  });
  await stage.commit();
  await stage.script({ steps: [{ do: 'crash', exitCode: 99 }] });

  const ended = await stage
    .withEnv({ RATCHET_TOOLCHAINS: chain })
    .ratchet('run', '--repo', 'repo', '--agent', 'local', '--json');

  expect(ended.exitCode, ended.stderr).toBe(1);
  const json = withCauses(toRunJson(ended));
  expect(json).toMatchObject({ status: 'failed', baseline: { findings: 3 }, final: { findings: 1 }, costUsd: 0 });
  const attempts = json.tasks.map(({ status, attempts: all }) => [status, all.map(({ reason }) => reason)]);
  expect(attempts).toContainEqual(['succeeded', [null]]);
  expect(attempts).toContainEqual(['abandoned', ['AGENT_UNAVAILABLE']]);
  expect(JSON.stringify(attempts)).not.toContain('AGENT_CRASHED');
  const branch = json.branch ?? '';
  expect(await stage.git('show', `${branch}:src/a.mjs`)).toBe('const one = 1;\nexport const two = one + 1;');
  expect(await stage.git('show', `${branch}:src/b.mjs`)).toBe('const three = 3;\nexport const four = three + missing;');
  expect(await stage.git('diff', '--name-only', 'HEAD', branch)).toBe('src/a.mjs\nsrc/b.mjs');
  const stored = await recompute(stage, json.runId);
  expect([json, stored.problems]).toEqual([stored.report, []]);
});
