import { chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';

let stage: RunStage;
beforeEach(async () => {
  stage = await createRunStage();
  await stage.write({
    '.github/ratchet.yml': `install:
  detect: false
engines:
  tests:
    command: [node, --test, --test-reporter=junit, "--test-reporter-destination={report}", "{targets}"]
    format: junit
    kind: test
    globs: ["**/*.test.mjs"]
    targets: files
`,
    'src/one.mjs': 'export const one = () => 0;\n',
    'test/one.test.mjs': `import test from 'node:test';
import assert from 'node:assert/strict';
import { one } from '../src/one.mjs';
test('is one', () => assert.equal(one(), 1));
`,
  });
  await stage.commit();
});
afterEach(async () => stage.remove());

const MEND = "sed -i 's/=> 0/=> 1/' src/one.mjs";
const script = async (...commands: readonly string[]): Promise<void> =>
  stage.script({ steps: commands.map((command) => ({ do: 'run', command })) });
const run = async () => stage.ratchet('run', '--repo', 'repo', '--json');
const green = { status: 'succeeded', final: { findings: 0 } };

describe('a checkout', () => {
  it('with a detached HEAD, links that leave it, and hooks and settings that would run is worked on as it is, and none runs', async () => {
    await symlink('/etc/passwd', join(stage.repo, 'outside'));
    await symlink('..', join(stage.repo, 'test/up'));
    await stage.write({ '.gitattributes': '* filter=bad\n' });
    await stage.commit();
    await stage.git('checkout', '--quiet', '--detach');
    const head = await stage.git('rev-parse', 'HEAD');
    const mark = `touch ${join(stage.root, 'ran')}`;
    for (const hook of ['post-checkout', 'post-commit', 'post-index-change', 'reference-transaction']) {
      const path = join(stage.repo, '.git/hooks', hook);
      await writeFile(path, `#!/bin/sh\n${mark}\n`);
      await chmod(path, 0o755);
    }
    const config = join(stage.repo, '.git/config');
    const usual = await readFile(config, 'utf8');
    const bad = `[filter "bad"]\n\tsmudge = ${mark}\n\tclean = ${mark}\n[core]\n\tfsmonitor = ${mark}\n\tsshCommand = ${mark}\n\tpager = ${mark}\n[diff]\n\texternal = ${mark}\n`;
    await writeFile(config, `${usual}${bad}`);
    await script(MEND);

    const json = toRunJson(await run());

    expect(json).toMatchObject(green);
    expect(await readdir(stage.root)).not.toContain('ran');
    await writeFile(config, `${usual}[core]\n\thooksPath = /dev/null\n`);
    expect([
      await stage.git('rev-parse', 'HEAD'),
      await stage.git('diff', '--name-only', 'HEAD', json.branch ?? ''),
    ]).toEqual([head, 'src/one.mjs']);
  });

  it('is worked on by one run at a time: a second one says so, and the first goes on', async () => {
    await stage.script({ steps: [{ do: 'hang' }] });
    let second: Awaited<ReturnType<typeof run>> | null = null;

    const first = await stage.stopAt(/attempt 1:/u, ['run', '--repo', 'repo', '--json'], async () => {
      second = await run();
    });

    expect(second).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.stringify(second)).toContain('another run is at work on');
    expect(toRunJson(first).status).toBe('running');
  });
});

describe('a state folder', () => {
  it('that cannot be made is named, in one line', async () => {
    await writeFile(join(stage.root, 'file'), '');

    const ended = await stage.withEnv({ XDG_STATE_HOME: join(stage.root, 'file') }).ratchet('run', '--repo', 'repo');

    expect([2, 3]).toContain(ended.exitCode);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(/^ratchet: run: [^\n]*file\/ratchet[^\n]*\n$/u);
  });
});
