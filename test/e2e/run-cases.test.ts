import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recompute, withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';

let stage: RunStage;
beforeEach(async () => {
  stage = await createRunStage();
});
afterEach(async () => stage.remove());

const POLICY = `install:
  detect: false
engines:
  tests:
    command: [node, --test, --test-reporter=junit, "--test-reporter-destination={report}", "{targets}"]
    format: junit
    kind: test
    globs: ["**/*.test.mjs"]
    targets: files
`;
const aTest = (from: string, name: string, expected: number): string => `import test from 'node:test';
import assert from 'node:assert/strict';
import { ${name} } from '../src/${from}.mjs';
test('${name} is right', () => assert.equal(${name}(), ${String(expected)}));
`;
const edit = (file: string, find: string, replace: string): object => ({ do: 'edit', file, find, replace });

/** One file, with a test that fails for each of its functions, in a file of its own. */
async function begin(names: readonly string[], script: object, more: Readonly<Record<string, string>> = {}) {
  const source = names.map((name) => `export const ${name} = () => 0;\n`).join('');
  const tests = names.map((name) => [`test/${name}.test.mjs`, aTest('all', name, 1)] as const);
  await stage.write({ '.github/ratchet.yml': POLICY, 'src/all.mjs': source, ...Object.fromEntries(tests), ...more });
  await stage.commit();
  await stage.script(script);
}

const run = async () => stage.ratchet('run', '--repo', 'repo', '--json');

describe('an attempt', () => {
  it('that is refused is repeated, and the next one is told why and what it had changed (001.R43, 001.R58)', async () => {
    await begin(['one'], {
      cases: [
        {
          when: { prompt: 'why the previous attempt was refused' },
          steps: [edit('src/all.mjs', '() => 0', '() => 1')],
        },
      ],
      steps: [{ do: 'run', command: 'rm test/one.test.mjs' }],
    });

    const json = toRunJson(await run());

    expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 } });
    expect(withCauses(json).tasks.map(({ attempts }) => attempts)).toEqual([
      [
        { status: 'failed', reason: 'TESTS_DELETED' },
        { status: 'succeeded', reason: null },
      ],
    ]);
    const stored = await recompute(stage, json.runId);
    expect([withCauses(json), stored.problems]).toEqual([stored.report, []]);
    const folder = join(await stage.artifacts(), `${json.runId}-t1a2`);
    const files = ['agent-request.json', 'agent.stderr.log', 'agent.stdout.log', 'attempt.json', 'patch.diff'];
    expect((await readdir(folder)).filter((name) => files.includes(name))).toEqual(files);
    expect(await readFile(join(folder, 'agent-request.json'), 'utf8')).toContain('test/one.test.mjs');
  });

  it('that meets the change of another one is repeated on top of it', async () => {
    // Both change the same line, each in its own way, and neither knows of the other.
    const mend = (name: string): object => ({
      when: { prompt: `test/${name}.test.mjs` },
      steps: [{ do: 'run', command: `sed -i '1s/.*/&${name},/; s/${name} = () => 0/${name} = () => 1/' src/all.mjs` }],
    });
    const source = { 'src/all.mjs': '// repaired: \nexport const one = () => 0;\nexport const two = () => 0;\n' };
    await begin(['one', 'two'], { cases: [mend('one'), mend('two')], steps: [] }, source);

    const json = toRunJson(await run());

    expect(json).toMatchObject({ status: 'succeeded', final: { findings: 0 } });
    const reasons = withCauses(json).tasks.flatMap(({ attempts }) => attempts.map(({ reason }) => reason));
    expect(reasons.toSorted()).toEqual(['MERGE_NOT_RESOLVED', null, null]);
    expect(await stage.git('show', `${json.branch ?? ''}:src/all.mjs`)).toMatch(
      /^\/\/ repaired: (?:one,two|two,one),\n/u,
    );
  });
});

describe('one cause in several files', () => {
  it('is one task, and what else is in these files waits until it is repaired (001.R22, C13)', async () => {
    const reading = (name: string): string => `import test from 'node:test';
import { read } from '../src/cause.mjs';
test('${name} reads', () => { read(); });
`;
    const own = `import assert from 'node:assert/strict';
import { own } from '../src/own.mjs';
test('has an own failure', () => assert.equal(own(), 1));
`;
    await stage.write({
      '.github/ratchet.yml': POLICY,
      'src/cause.mjs': 'const settings = undefined;\nexport const read = () => settings.total;\n',
      'src/own.mjs': 'export const own = () => 0;\n',
      'test/a.test.mjs': reading('a') + own,
      'test/b.test.mjs': reading('b'),
      'test/c.test.mjs': reading('c'),
    });
    await stage.commit();
    await stage.script({
      cases: [
        {
          when: { prompt: 'Repair one cause in 3 files' },
          steps: [edit('src/cause.mjs', 'settings = undefined', 'settings = { total: 0 }')],
        },
      ],
      // It fails where the cause is not repaired yet.
      steps: [{ do: 'run', command: 'grep -q "total: 0" src/cause.mjs && sed -i "s/=> 0/=> 1/" src/own.mjs' }],
    });

    const json = toRunJson(await run());

    expect(json).toMatchObject({ status: 'succeeded', baseline: { findings: 4 }, final: { findings: 0 } });
    expect(json.tasks.map(({ type, status, attempts }) => [type, status, attempts.length]).toSorted()).toEqual([
      ['fix', 'succeeded', 1],
      ['refactor', 'succeeded', 1],
    ]);
  });
});

describe('a test that nobody can repair', () => {
  const skip = { do: 'run', command: 'sed -i "s/^test(/test.skip(/" test/one.test.mjs' };
  const script = { cases: [{ when: { prompt: 'Quarantine 1 test' }, steps: [skip] }], steps: [] };

  it('is proposed for quarantine if the policy allows it: held, with owner and expiry (S29)', async () => {
    const tasks = 'tasks:\n  retries: 0\n  quarantine: true\n  quarantineOwner: the core team\n';
    await begin(['one'], script, { '.github/ratchet.yml': `${POLICY}${tasks}` });

    const ended = await stage.ratchet('run', '--repo', 'repo');

    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(/quarantine: Quarantine 1 test .*\*\*blocked\*\* \(HELD/u);
    expect(ended.stdout).toMatch(
      /Held for you[\s\S]*git apply \S+patch\.diff[\s\S]*owner: the core team[\s\S]*expires: 20/u,
    );
    expect(await stage.git('branch', '--list', '--all')).toBe('* main');
  });

  it('is proposed for nothing if the policy does not: what an agent skips is refused', async () => {
    await begin(['one'], { steps: [skip] }, { '.github/ratchet.yml': `${POLICY}tasks:\n  retries: 0\n` });

    const json = toRunJson(await run());

    expect(json).toMatchObject({ status: 'failed', branch: null, final: { findings: 1 } });
    expect(json.tasks.map(({ type, status }) => [type, status])).toEqual([['fix', 'blocked']]);
    expect(json.tasks[0]?.attempts[0]?.reason).toMatch(/^TESTS_WEAKENED: /u);
  });
});

describe('a test that fails only now and then', () => {
  it('becomes no task, and the run is not clean: nobody knows whether it works', async () => {
    // It fails where it runs beside others.
    const flaky = `import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
test('is alone', () => assert.ok(!readFileSync(\`/proc/\${process.ppid}/cmdline\`, 'utf8').includes('one.test')));
`;
    await begin(
      ['one'],
      { steps: [] },
      { 'src/all.mjs': 'export const one = () => 1;\n', 'test/flaky.test.mjs': flaky },
    );

    const ended = await run();

    expect(ended.exitCode).toBe(1);
    expect(toRunJson(ended)).toMatchObject({ status: 'failed', tasks: [], baseline: { findings: null }, branch: null });
    expect(ended.stderr).toMatch(/baseline: at least 0 findings\n.*is alone.*flickers: it failed, and passed/u);
  });
});

describe('a run', () => {
  it('ends where its checkpoints show no fewer findings', async () => {
    // Each change repairs one test, and breaks another file that nobody looks at then.
    const names = ['one', 'two', 'three'];
    const policy = `${POLICY}tasks:\n  checkpointTasks: 1\n  maxAgentWorkers: 1\n`;
    const breaks = `n=$(ls test | wc -l); printf 'import test from "node:test";\\ntest("b%s", () => { throw new Error("b"); });\\n' $n > test/b$n.test.mjs`;
    const mend = (name: string): object => ({
      when: { prompt: `test/${name}.test.mjs` },
      steps: [{ do: 'run', command: `sed -i 's/${name} = () => 0/${name} = () => 1/' src/all.mjs; ${breaks}` }],
    });
    await begin(names, { cases: names.map(mend), steps: [] }, { '.github/ratchet.yml': policy });

    const ended = await run();

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('nothing more is started: the checkpoints show no fewer findings');
    expect(toRunJson(ended).status).toBe('failed');
  });

  it('that cannot run any check says so, and calls nothing clean', async () => {
    await stage.write({ 'README.md': 'nothing to check\n' });
    await stage.commit();
    await stage.script({ steps: [] });

    const ended = await run();

    expect([ended.exitCode, ended.stdout]).toEqual([3, '']);
    expect(ended.stderr).toContain('baseline: nothing is known');
    expect(ended.stderr).not.toContain('0 findings');
  });

  it('is not clean where one check runs and another one lacks its dependencies', async () => {
    const manifest = '{"name":"a","devDependencies":{"vitest":"*"}}\n';
    const policy = `${POLICY}  vitest: {}\n`;
    await begin(['one'], { steps: [] }, { 'src/all.mjs': 'export const one = () => 1;\n', 'package.json': manifest });
    await stage.write({ '.github/ratchet.yml': policy });
    await stage.commit();

    const ended = await run();

    expect(ended.exitCode).not.toBe(0);
    expect(ended.stderr).toContain('vitest: it did not run, because the dependencies of its project are missing');
    expect(ended.stderr).not.toMatch(/baseline: 0 findings/u);
  });

  it('that is stopped ends its agents, says how to go on, and goes on', async () => {
    await begin(['one'], { steps: [{ do: 'hang' }] });

    const stopped = await stage.stopAt(/attempt 1:/u, ['run', '--repo', 'repo', '--json']);

    expect(stopped.exitCode).toBe(1);
    const json = toRunJson(stopped);
    expect(json).toMatchObject({ status: 'running', branch: null, final: null });
    expect(stopped.stderr).toContain(`go on with: ratchet run --repo repo --resume ${json.runId}\n`);
    expect(existsSync(join(await stage.artifacts(), '../sessions', `${json.runId}-t1a1`))).toBe(false);
    await stage.script({ steps: [edit('src/all.mjs', '() => 0', '() => 1')] });
    // The next process gets other users for its sandboxes, as it does where other runs are at work meanwhile.
    const others = stage.withEnv({ RATCHET_SANDBOX_UID_BASE: '71000' });
    const resumed = await others.ratchet('run', '--repo', 'repo', '--resume', json.runId, '--json');
    expect(toRunJson(resumed), resumed.stderr).toMatchObject({
      runId: json.runId,
      status: 'succeeded',
      final: { findings: 0 },
    });
    // A new run tells of what is left; one that has ended only tells its report again.
    const again = await stage.ratchet('run', '--repo', 'repo', '--resume', json.runId, '--json');
    expect([again.exitCode, again.stdout]).toEqual([0, resumed.stdout]);
  });
});
