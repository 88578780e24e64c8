import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StructuredStep } from '../../../../src/core/model/structured-plan.ts';
import { PLACE_ACTIONS } from '../../../../src/pipeline/execution/actions/plan-tools.ts';
import type { ActionAdapter, ActionEnd, Compensation } from '../../../../src/ports/execution.ts';
import type { Workplace } from '../../../../src/ports/workplace.ts';
import { readState } from '../../../adapters/workplace/read-state.ts';
import {
  createWorkplaceFixture,
  toShell,
  type WorkplaceFixture,
} from '../../../adapters/workplace/workplace-fixture.ts';

let fixture: WorkplaceFixture;
const SIGNAL = (): AbortSignal => AbortSignal.timeout(120_000);

beforeEach(async () => {
  fixture = await createWorkplaceFixture();
  const { root } = fixture;
  await mkdir(join(root, 'src'));
  await writeFile(join(root, 'src/a.txt'), 'one two two\n');
  await writeFile(join(root, 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await symlink('src/a.txt', join(root, 'link'));
  await fixture.give();
});
afterEach(async () => {
  await fixture.close();
});

type Act = readonly [string, Readonly<Record<string, unknown>>];

function toStep([action_type, params]: Act): StructuredStep {
  const step = { step_id: 1, description: '', depends_on: [], rollback_on_fail: false, max_retries: 0 };
  return { ...step, action_type, params, timeout_seconds: 60, when: null, estimate_usd: null };
}

function toAdapter(actionType: string): ActionAdapter<Workplace> {
  const adapter = PLACE_ACTIONS.find((one) => one.actionType === actionType);
  if (adapter === undefined) throw new Error(`no adapter ${actionType}`);
  return adapter;
}

/** What the executor does with one step: the compensation goes through JSON, as in the store. */
async function carryOut(act: Act): Promise<{ readonly end: ActionEnd; readonly undo: () => Promise<string | null> }> {
  const step = toStep(act);
  const adapter = toAdapter(step.action_type);
  const input = { place: fixture.place, results: new Map() };
  const compensation = await adapter.prepareUndo(step, input, SIGNAL());
  const stored = compensation === null ? null : throughStore(compensation);
  const end = await adapter.act(step, input, SIGNAL());
  const undo = async (): Promise<string | null> =>
    stored === null ? null : (await adapter.undo(stored, fixture.reopen(), SIGNAL())).note;
  return { end, undo };
}

function toMessage(end: ActionEnd): string | null {
  return end.kind === 'failed' ? end.message : null;
}

function throughStore(compensation: Compensation): Compensation {
  const read: unknown = JSON.parse(JSON.stringify(compensation));
  if (typeof read !== 'object' || read === null) throw new Error('no object');
  return { ...read };
}

describe('actions on a workplace (004.R3)', () => {
  const SUCCEED: readonly (readonly [Act, string, string])[] = [
    [['create_file', { path: 'new/x', content: 'text' }], 'new/x', `file 644 ${btoa('text')}`],
    [['create_file', { path: 'x', content: '', mode: '100755' }], 'x', 'file 755 '],
    [['modify_file', { path: 'src/a.txt', content: 'all new' }], 'src/a.txt', `file 644 ${btoa('all new')}`],
    [['modify_file', { path: 'src/a.txt', old: 'one', new: 'ONE' }], 'src/a.txt', `file 644 ${btoa('ONE two two\n')}`],
    [['modify_file', { path: 'link', old: 'one', new: '$& $1' }], 'src/a.txt', `file 644 ${btoa('$& $1 two two\n')}`],
    [['modify_file', { path: 'tool.sh', content: 'x' }], 'tool.sh', `file 755 ${btoa('x')}`],
  ];
  it.each(SUCCEED)('%j does what it says, and its undo brings everything back, twice', async (act, path, expected) => {
    const before = await readState(fixture.root);
    const { end, undo } = await carryOut(act);
    expect(end.kind).toBe('completed');
    const after = await readState(fixture.root);
    expect(after[path]).toBe(expected);
    expect(after['link']).toBe('link src/a.txt');
    await undo();
    await undo();
    expect(await readState(fixture.root)).toEqual(before);
  });

  it.each([['src/a.txt'], ['link']])('delete_file removes %s itself', async (path) => {
    const before = await readState(fixture.root);
    const { end, undo } = await carryOut(['delete_file', { path }]);
    expect(end.kind).toBe('completed');
    const { [path]: gone, ...rest } = before;
    expect(await readState(fixture.root)).toEqual(rest);
    expect(gone).toBeDefined();
    await undo();
    expect(await readState(fixture.root)).toEqual(before);
  });

  const FAIL: readonly (readonly [Act, string])[] = [
    [['create_file', { path: 'src/a.txt', content: 'x' }], 'exists already'],
    [['create_file', { path: 'link', content: 'x' }], 'exists already'],
    [['create_file', { path: '../x', content: 'x' }], 'cannot be used'],
    [['create_file', { path: '.git/hooks/pre-commit', content: 'x' }], 'belongs to git'],
    [['create_file', { path: 'src/a.txt/x', content: 'x' }], 'no folder'],
    [['modify_file', { path: 'none', content: 'x' }], 'does not exist'],
    [['modify_file', { path: 'src/a.txt', old: 'two', new: 'x' }], 'occurs 2 times'],
    [['modify_file', { path: 'src/a.txt', old: 'three', new: 'x' }], 'does not occur'],
    [['modify_file', { path: 'src', content: 'x' }], 'no regular file'],
    [['delete_file', { path: 'none' }], 'does not exist'],
    [['delete_file', { path: 'src' }], 'no regular file'],
    [['read_file', { path: 'none' }], 'does not exist'],
    [['read_file', { path: '/etc/passwd' }], 'cannot be used'],
    [['run_command', { argv: ['sh', '-c', 'echo said; echo why >&2; exit 3'] }], 'exited with 3: why'],
    [['run_command', { argv: ['true'], cwd: '../..' }], 'cannot be used'],
    [['run_command', { argv: ['sh', '-c', 'kill -9 $$'] }], 'command'],
  ];
  it.each(FAIL)('%j fails, is not tried again, and changes nothing', async (act, why) => {
    const before = await readState(fixture.root);
    const { end, undo } = await carryOut(act);
    expect(end).toMatchObject({ kind: 'failed', isTransient: false });
    expect(toMessage(end)).toContain(why);
    expect(await readState(fixture.root)).toEqual(before);
    await undo();
    expect(await readState(fixture.root)).toEqual(before);
  });

  it('read_file gives the text to the steps that follow, and refuses what is none', async () => {
    expect((await carryOut(['read_file', { path: 'src/a.txt' }])).end).toMatchObject({ output: 'one two two\n' });
    await writeFile(join(fixture.root, 'binary'), Buffer.from([0xff, 0xfe]));
    expect(toMessage((await carryOut(['read_file', { path: 'binary' }])).end)).toContain('UTF-8');
  });

  it('run_command is undone by its own undo where it has one, and fails aloud where that fails', async () => {
    const { root } = fixture;
    const { undo } = await carryOut(['run_command', { argv: ['touch', 'made'], undo: ['rm', 'made'] }]);
    expect(await readState(root)).toHaveProperty('made');
    await undo();
    expect(await readState(root)).not.toHaveProperty('made');
    await expect(undo()).rejects.toThrow('the command that undoes the step failed');
  });

  it('an undo names what a command made for git, and leaves it', async () => {
    const { undo } = await carryOut([
      'run_command',
      { argv: toShell('mkdir .git && echo x > .git/config && rm -rf src') },
    ]);
    expect(await undo()).toContain('what a command made for git was not removed: .git');
    const state = await readState(fixture.root);
    expect([state['.git/config'], state['src/a.txt']]).toEqual([
      `file 644 ${btoa('x\n')}`,
      `file 644 ${btoa('one two two\n')}`,
    ]);
  });

  it('a command that cannot be started is a transient failure', async () => {
    const { end } = await carryOut(['run_command', { argv: ['/no/such/program'] }]);
    expect(end.kind).toBe('failed');
  });

  it('undoes newest first from any step on, and everything is as it was, byte by byte (004.R14, R15)', async () => {
    const path = fc.constantFrom('src/a.txt', 'tool.sh', 'link', 'n/e/w', 'n/x', 'z');
    const content = fc.constantFrom('', 'one', 'two\n', 'a\0b');
    const command = fc.constantFrom(
      'echo more >> src/a.txt',
      'rm -rf src',
      'mkdir -p n/e && echo x > n/e/w',
      'chmod 700 tool.sh; chmod 000 n 2>/dev/null; true',
      'ln -sfn tool.sh link',
      'mv src n 2>/dev/null; true',
      'rm -rf n z; ln -s /etc n',
      'exit 1',
    );
    const act: fc.Arbitrary<Act> = fc.oneof(
      fc.record({ path, content }).map((params): Act => ['create_file', params]),
      fc.record({ path, content }).map((params): Act => ['modify_file', params]),
      fc.record({ path }).map((params): Act => ['delete_file', params]),
      command.map((script): Act => ['run_command', { argv: toShell(script) }]),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), async (acts) => {
        const states = [await readState(fixture.root)];
        const undos: (() => Promise<string | null>)[] = [];
        for (const one of acts) {
          undos.push((await carryOut(one)).undo);
          states.push(await readState(fixture.root));
        }
        for (const [index, undo] of [...undos.entries()].toReversed()) {
          await undo();
          expect(await readState(fixture.root)).toEqual(states[index]);
        }
      }),
      { numRuns: 12 },
    );
    await chmod(fixture.root, 0o755);
  });
});
