import { describe, expect, it } from 'vitest';
import { toRawExit } from '../../../src/core/engines/to-raw-exit.ts';
import type { CommandEnd } from '../../../src/core/model/command-end.ts';
import { forge } from '../../support/builders.ts';

describe('the end of a sandboxed command', () => {
  const exited: CommandEnd = {
    ...{ kind: 'exited', exitCode: 0, signal: null, durationMs: 7, stdoutTail: '', stderrTail: '' },
    processesLeft: 0,
  };

  it.each<[string, Partial<CommandEnd>, object]>([
    ['by itself', { exitCode: 3 }, { kind: 'exited', exitCode: 3, signal: null }],
    ['by a signal', { exitCode: null, signal: 'SIGKILL' }, { kind: 'signalled', exitCode: null, signal: 'SIGKILL' }],
    ['by a signal that a shell tells', { exitCode: 137 }, { kind: 'signalled', exitCode: 137, signal: 'SIGKILL' }],
    ['with a high code that is no signal', { exitCode: 255 }, { kind: 'exited', exitCode: 255, signal: null }],
    ['without a code or a signal', { exitCode: null }, { kind: 'exited', exitCode: null, signal: null }],
    ['with processes left', { processesLeft: 1 }, { kind: 'signalled', exitCode: 0, signal: 'SIGKILL' }],
    [
      'at the deadline',
      { kind: 'timed_out', exitCode: null, signal: 'SIGTERM' },
      { kind: 'timed_out', exitCode: null },
    ],
    ['at the output cap', { kind: 'output_flood', exitCode: null }, { kind: 'output_limit' }],
    ['at the memory limit', { kind: 'memory_limit', exitCode: null }, { kind: 'memory_limit' }],
    ['at the process limit', { kind: 'process_limit', exitCode: null }, { kind: 'process_limit' }],
    ['at the disk quota', { kind: 'disk_quota', exitCode: null }, { kind: 'disk_quota' }],
    ['on abort', { kind: 'aborted', exitCode: null }, { kind: 'aborted' }],
    ['before it began', { kind: 'not_started', stderrTail: 'spawn E2BIG' }, { kind: 'not_launched' }],
    [
      'in no folder',
      { kind: 'not_started', stderrTail: "bwrap: Can't chdir to /x: No such file or directory" },
      { kind: 'not_launched' },
    ],
    [
      'without a program',
      { kind: 'not_started', stderrTail: 'bwrap: execvp a b: No such file or directory\n' },
      { kind: 'not_found' },
    ],
    ['without a program, on the host', { kind: 'not_started', stderrTail: 'spawn a b ENOENT' }, { kind: 'not_found' }],
  ])('%s', (_, change, exit) => {
    expect(toRawExit({ ...exited, ...change })).toMatchObject({ durationMs: 7, ...exit });
  });

  it.each([
    ...[
      [129, 'SIGHUP'],
      [130, 'SIGINT'],
      [131, 'SIGQUIT'],
      [132, 'SIGILL'],
      [133, 'SIGTRAP'],
      [134, 'SIGABRT'],
    ],
    ...[
      [135, 'SIGBUS'],
      [136, 'SIGFPE'],
      [139, 'SIGSEGV'],
      [141, 'SIGPIPE'],
      [143, 'SIGTERM'],
      [152, 'SIGXCPU'],
    ],
    ...[
      [153, 'SIGXFSZ'],
      [159, 'SIGSYS'],
    ],
  ])('by a code that stands for a signal of Linux: %i is %s', (exitCode, signal) => {
    expect(toRawExit({ ...exited, exitCode: Number(exitCode) })).toMatchObject({ kind: 'signalled', signal });
  });

  it('with processes left, by the signal that ended it', () => {
    expect(toRawExit({ ...exited, exitCode: 143, processesLeft: 1 })).toMatchObject({ signal: 'SIGTERM' });
  });

  it.each([
    ['a line among others', 'a\nspawn x ENOENT\nb', 'not_found'],
    ['the middle of a line', 'it: spawn x ENOENT', 'not_launched'],
    ['the beginning of a line', 'spawn x ENOENT!', 'not_launched'],
    ['a line of the sandbox among others', 'a\nbwrap: execvp x: No such file or directory\nb', 'not_found'],
    ['the middle of one', 'it: bwrap: execvp x: No such file or directory', 'not_launched'],
    ['the beginning of one', 'bwrap: execvp x: No such file or directory!', 'not_launched'],
  ] as const)('before it began, told in %s', (_where, stderrTail, kind) => {
    expect(toRawExit({ ...exited, kind: 'not_started', exitCode: null, stderrTail }).kind).toBe(kind);
  });

  it('in no unknown way', () => {
    expect(() => toRawExit({ ...exited, kind: forge<CommandEnd['kind']>('"vanished"') })).toThrow('unexpected value');
  });
});
