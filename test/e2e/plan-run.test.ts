import { lstat, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlanStage, EVERY_KIND, type PlanStage, toJson, toRun } from '../support/plan-stage.ts';

let stage: PlanStage;
beforeEach(async () => {
  stage = await createPlanStage();
  await stage.write({
    a: 'a\n',
    'sub/b': 'b\n',
    '.git/config': '[core]\n',
    'ignored/c': 'c\n',
    '.gitignore': 'ignored\n',
  });
});
afterEach(async () => stage.remove());

const command = (step_id: number, script: string, change: object = {}): object => ({
  ...{ step_id, action_type: 'run_command', params: { argv: ['sh', '-c', script] } },
  ...change,
});

describe('ratchet plan run', () => {
  it('runs every kind of step on a copy in the sandbox, brings the changes back, and undo takes them away (004.R16)', async () => {
    const before = await stage.state();
    const file = await stage.plan(EVERY_KIND);

    const ended = await stage.ratchet('run', file, '--dir', stage.dir, '--json');

    expect(ended.exitCode).toBe(0);
    const { runId, results, stats, ...rest } = toRun(ended.stdout);
    expect(rest).toEqual({});
    expect(Object.keys(results)).toEqual(['1', '2', '3', '4', '5']);
    expect(results[5]).toMatchObject({ state: 'completed', cause: null, attempts: 1, costUsd: 0, output: 'A\n' });
    expect(Object.keys(results[5] ?? {})).toEqual(['state', 'cause', 'attempts', 'costUsd', 'durationMs', 'output']);
    expect(stats).toMatchObject({ completed: 5, failed: 0, skipped: 0, rolledBack: 0, rollbackFailed: 0, costUsd: 0 });
    expect([await stage.read('a'), await stage.read('log'), await stage.read('link')]).toEqual([
      'A\n',
      'half\nwhole\n',
      'A\n',
    ]);
    expect((await stat(join(stage.dir, 'new/made.sh'))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(stage.dir, 'sub'))).toEqual([]);

    const undone = await stage.ratchet('undo', runId);

    expect([undone.exitCode, undone.stderr]).toEqual([0, '']);
    expect(await stage.state()).toEqual(before);
    expect(await stage.read('.git/config')).toBe('[core]\n');
    expect(await stage.ratchet('undo', runId)).toMatchObject({ exitCode: 0, stdout: 'nothing is left to undo\n' });
    // A run that was undone never counts as done again.
    const resumed = await stage.ratchet('run', '--resume', runId);
    expect([resumed.exitCode, resumed.stdout]).toEqual([2, '']);
    expect(resumed.stderr).toContain(`run ${runId} was undone`);
  });

  it('gives commands no network, none of the environment, and no .git', async () => {
    const script =
      'env; ls -a; cat /proc/net/dev | grep -c : ; touch /etc/x || echo refused; mkdir .git; echo x > .git/config';
    const file = await stage.plan([command(1, script)]);

    const ended = await stage.ratchet('run', file, '--dir', 'dir', '--json');

    const output = toRun(ended.stdout).results[1]?.output;
    expect(output).not.toContain('SECRET');
    expect(output).not.toContain('.git\n');
    expect(output).toMatch(/^1$/mu);
    expect(output).toContain('refused');
    expect(await stage.read('.git/config')).toBe('[core]\n');
  });

  it('keeps its state for this user alone', async () => {
    await stage.ratchet('run', await stage.plan([command(1, 'true')]), '--dir', 'dir', '--yes');

    const folder = join(stage.root, 'state/ratchet');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'plans.db'))).mode & 0o777).toBe(0o600);
  });

  it('(004.R15) leaves the folder as it was after a rollback', async () => {
    const before = await stage.state();
    const steps = [
      ...EVERY_KIND,
      command(6, 'echo x > ignored/c; exit 3', { depends_on: [5], rollback_on_fail: true }),
    ];

    const ended = await stage.ratchet('run', await stage.plan(steps), '--dir', 'dir', '--json');

    expect(ended.exitCode).toBe(1);
    const { results, stats } = toRun(ended.stdout);
    expect(stats).toMatchObject({ completed: 0, failed: 1, skipped: 0, rolledBack: 5, rollbackFailed: 0 });
    expect(results[6]?.cause).toMatch(/^ACTION_FAILED: .*3/u);
    expect(results[1]?.cause).toBe('ROLLBACK: step 6');
    expect(await stage.state()).toEqual(before);
  });

  it('names the step that a skipped one needed, and one that had no budget', async () => {
    const steps = [
      command(1, 'exit 1'),
      command(2, 'true', { depends_on: [1] }),
      command(3, 'true', { when: { step: 1, is: 'completed' } }),
      command(4, 'true', { estimate_usd: 0.2 }),
      { step_id: 5, action_type: 'get_user_input', params: { question: 'Why?' } },
      command(6, 'sleep 60', { timeout_seconds: 0.5, max_retries: 0 }),
    ];

    const ended = await stage.ratchet('run', await stage.plan(steps, { budget_usd: 5 }), '--dir', 'dir', '--json');

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('its budget of 5 USD is cut to 0.1 USD; --budget allows more');
    const { results, stats } = toRun(ended.stdout);
    expect(results[2]).toMatchObject({ state: 'skipped', cause: 'DEPENDENCY: step 1', attempts: 0 });
    expect(results[3]).toMatchObject({ state: 'skipped', cause: 'CONDITION: step 1' });
    expect(results[4]).toMatchObject({ state: 'skipped' });
    expect(results[4]?.cause).toMatch(/^BUDGET/u);
    expect(results[5]).toMatchObject({ state: 'failed', attempts: 1 });
    expect(results[5]?.cause).toMatch(/^ACTION_FAILED: /u);
    expect(results[6]).toMatchObject({ state: 'failed' });
    expect(results[6]?.cause).toMatch(/^TIMEOUT/u);
    expect(stats).toMatchObject({ completed: 0, failed: 3, skipped: 3 });
  });

  it('runs a dear step where --budget allows it (004.R20)', async () => {
    const file = await stage.plan([command(1, 'true', { estimate_usd: 0.2 })], { budget_usd: 5 });

    const ended = await stage.ratchet('run', file, '--dir', 'dir', '--json', '--budget', '1');

    expect([ended.exitCode, toRun(ended.stdout).stats['costUsd']]).toEqual([0, 0.2]);
  });

  it('keeps what a person changed meanwhile, writes nothing else, and writes all once there is room', async () => {
    const file = await stage.plan([command(1, 'echo run > a; echo run > new; sleep 2')]);
    const running = stage.killAt(['run', file, '--dir', 'dir', '--json'], /never/u);
    await expect
      .poll(async () =>
        readdir(join(stage.root, 'state/ratchet/runs')).then(
          (ids) => ids.length,
          () => 0,
        ),
      )
      .toBe(1);
    const [id = ''] = await readdir(join(stage.root, 'state/ratchet/runs'));
    await expect.poll(async () => readdir(join(stage.root, 'state/ratchet/runs', id))).toContain('before.json');
    await stage.write({ a: 'mine\n' });

    const ended = await running;

    expect(ended.exitCode).toBe(1);
    expect(toRun(ended.stdout).stats['completed']).toBe(1);
    expect(ended.stderr).toContain('nothing was written over it: a\n');
    expect([await stage.read('a'), (await readdir(stage.dir)).includes('new')]).toEqual(['mine\n', false]);
    const copy = /the result of the run is in (?<path>[^;]+);/u.exec(ended.stderr)?.groups?.['path'] ?? '';
    expect(await readdir(copy)).toContain('new');

    await stage.write({ a: 'a\n' });
    expect((await stage.ratchet('run', '--resume', id, '--json')).exitCode).toBe(0);
    expect([await stage.read('a'), await stage.read('new')]).toEqual(['run\n', 'run\n']);
  });

  it('undoes a run around what a person changed since, and reports it', async () => {
    const ended = await stage.ratchet('run', await stage.plan(EVERY_KIND), '--dir', 'dir', '--json');
    await stage.write({ a: 'mine\n', 'new/mine': 'mine\n' });

    const undone = await stage.ratchet('undo', toRun(ended.stdout).runId, '--json');

    expect(undone.exitCode).toBe(1);
    expect(toJson(undone.stdout)).toMatchObject({ kept: ['a', 'new/mine'] });
    expect([await stage.read('a'), await stage.read('new/mine'), await stage.read('sub/b')]).toEqual([
      'mine\n',
      'mine\n',
      'b\n',
    ]);
    expect(await readdir(join(stage.dir, 'new'))).toEqual(['mine']);
  });

  it('undoes a run that failed half-way as well as one that completed (S37)', async () => {
    const before = await stage.state();
    const steps = [
      { step_id: 1, action_type: 'modify_file', params: { path: 'a', content: 'changed' } },
      command(2, 'rm -r sub; exit 1', { depends_on: [1] }),
      command(3, 'touch never', { depends_on: [2] }),
    ];
    const ended = await stage.ratchet('run', await stage.plan(steps), '--dir', 'dir', '--json');
    expect([ended.exitCode, await stage.read('a')]).toEqual([1, 'changed']);

    const undone = await stage.ratchet('undo', toRun(ended.stdout).runId);

    expect(undone.exitCode).toBe(0);
    expect(await stage.state()).toEqual(before);
  });

  it('runs the undo command of a step instead of restoring files', async () => {
    const params = { argv: ['sh', '-c', 'echo x > made'], undo: ['rm', 'made'] };
    const file = await stage.plan([{ step_id: 1, action_type: 'run_command', params }]);
    const ended = await stage.ratchet('run', file, '--dir', 'dir', '--json');
    expect(await stage.read('made')).toBe('x\n');

    expect((await stage.ratchet('undo', toRun(ended.stdout).runId)).exitCode).toBe(0);
    expect(await readdir(stage.dir)).not.toContain('made');
  });
});

describe('a hostile plan', () => {
  it.each(['.git/config', 'sub/../../x', '/etc/passwd', 'out/x', 'sub/.GIT/x', 'to-git/config'])(
    'does not write %s',
    async (path) => {
      await mkdir(join(stage.root, 'outside'));
      await symlink('../outside', join(stage.dir, 'out'));
      await symlink('.git', join(stage.dir, 'to-git'));
      const file = await stage.plan([{ step_id: 1, action_type: 'create_file', params: { path, content: 'hacked' } }]);

      const ended = await stage.ratchet('run', file, '--dir', 'dir', '--json');

      expect(ended.exitCode).toBe(1);
      const [result] = Object.values(toRun(ended.stdout).results);
      expect(result).toMatchObject({ state: 'failed' });
      expect(result?.cause).toMatch(/^ACTION_FAILED: /u);
      expect(await readdir(join(stage.root, 'outside'))).toEqual([]);
      expect(await stage.read('.git/config')).toBe('[core]\n');
      expect((await lstat(join(stage.dir, 'out'))).isSymbolicLink()).toBe(true);
    },
  );

  it('is refused as `plan validate` refuses it, before anything is made', async () => {
    const ring = await stage.plan([command(1, 'true', { depends_on: [2] }), command(2, 'true', { depends_on: [1] })]);

    const ended = await stage.ratchet('run', ring, '--dir', 'dir', '--json');

    expect(ended.exitCode).toBe(2);
    expect(toJson(ended.stdout)).toMatchObject({
      valid: false,
      errors: [{ code: 'PLAN_INVALID', reason: 'cycle' }],
      batches: [],
    });
    expect(await readdir(stage.root)).not.toContain('state');
  });

  it('of 10,000 steps runs to its end', async () => {
    const steps = Array.from({ length: 10_000 }, (_, step_id) => ({
      step_id,
      action_type: 'read_file',
      params: { path: 'a' },
    }));

    const ended = await stage.ratchet('run', await stage.plan(steps), '--dir', 'dir', '--json');

    expect([ended.exitCode, toRun(ended.stdout).stats['completed']]).toEqual([0, 10_000]);
  });
});

describe('wrong usage of ratchet plan run', () => {
  it.each([
    [['run'], /name the file of the plan/u],
    [['run', 'plan.json'], /with --dir DIR/u],
    [['run', 'plan.json', '--dir', 'dir'], /nobody can be asked.*say --yes/u],
    [['run', 'plan.json', '--dir', 'missing', '--yes'], /missing is no folder/u],
    [['run', 'plan.json', '--dir', '.', '--yes'], /contain each other/u],
    [['run', 'missing.json', '--dir', 'dir', '--yes'], /there is no file/u],
    [['run', 'plan.json', '--dir', 'dir', '--budget', '-1'], /budget/u],
    [['run', 'plan.json', '--dir', 'dir', '--budget=1e9', '--yes'], /--budget is an amount/u],
    [['run', 'plan.json', 'other', '--dir', 'dir'], /unexpected argument "other"/u],
    [['run', '--resume', '../x'], /there is no run/u],
    [['run', '--resume', 'unknown'], /there is no run/u],
    [['undo'], /name the run/u],
    [['undo', 'unknown'], /there is no run/u],
    [['undo', 'a', 'b'], /unexpected argument "b"/u],
  ] as const)('%j is refused with the reason', async (args, reason) => {
    await stage.plan([command(1, 'touch ran')]);

    const ended = await stage.ratchet(...args);

    expect([ended.exitCode, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toMatch(reason);
    expect(await readdir(stage.dir)).not.toContain('ran');
  });

  it('does not keep --unsandboxed from running commands as the person', async () => {
    const file = await stage.plan([command(1, 'echo $HOME > home')]);

    const ended = await stage.ratchet('run', file, '--dir', 'dir', '--json', '--unsandboxed');

    expect(ended.exitCode).toBe(0);
    expect(await stage.read('home')).toBe(`${stage.root}\n`);
  });
});
