import { describe, expect, it } from 'vitest';
import { createStepReader } from '../../../src/core/evidence/read-steps.ts';

/** What each line is taken for, the command at the end, and the failed steps as `command from-exit`. */
function read(...lines: readonly string[]): {
  readonly seen: readonly string[];
  readonly command: string | null;
  readonly failed: readonly string[];
} {
  const reader = createStepReader();
  const seen = lines.map((line, index) => reader.take(line, index) ?? '-');
  const failed = reader.failed().map(({ command, from, exit }) => `${command} ${from}-${exit}`);
  return { seen, command: reader.command(), failed };
}

describe('a command', () => {
  it.each([
    ['##[group]Run npm test', 'npm test'],
    ['##[section]Starting: Build it', 'Build it'],
    ['$ npm test', 'npm test'],
    [`$ ${'x'.repeat(501)}`, 'x'.repeat(500)],
  ])('is shown by %s', (line, command) => {
    expect(read('fine', line)).toEqual({ seen: ['-', 'command'], command, failed: [] });
  });

  it.each([
    '# see ##[group]Run npm test',
    '##[group]Runner',
    '# $ npm test',
    '$  npm test',
    '$npm test',
    'see $ npm test',
    'see ##[group]Run npm test',
  ])('is not shown by %s', (line) => {
    expect(read(line)).toEqual({ seen: ['-'], command: null, failed: [] });
  });

  it('is shown by a program only where the runner marks none', () => {
    const marked = read('$ first', '##[group]Run npm test', '$ vitest', 'Process completed with exit code 1.');
    expect(marked.seen).toEqual(['command', 'command', '-', 'exit']);
    expect(marked.failed).toEqual(['npm test 1-3']);
    expect(read('$ first', '$ second').command).toBe('second');
  });
});

describe('the exit of a step', () => {
  it.each([
    'Process completed with exit code 1.',
    '##[error]Process completed with exit code 12.',
    'Error: Process completed with exit code 1',
    "##[error]Bash exited with code '1'.",
    '##[error]PowerShell exited with code 1.',
    '##[error]Cmd.exe exited with code 3.',
    'ERROR: Job failed: exit code 1',
  ])('is %s', (line) => {
    expect(read('$ make', 'no', line)).toMatchObject({ seen: ['command', '-', 'exit'], failed: ['make 0-2'] });
  });

  it.each([
    'Process completed with exit code 0.',
    'see Process completed with exit code 1.',
    'see The command "make" exited with 1.',
    'The command "make" exited with 0.',
    'see ##[error]Bash exited with code 1.',
    'see ERROR: Job failed',
    'ERROR: Jobs failed',
  ])('is not %s', (line) => {
    expect(read('$ make', line)).toMatchObject({ seen: ['command', '-'], failed: [] });
  });

  it('ends the last step whose command it repeats', () => {
    const { failed } = read(
      ...['$ make', '$ make', '$ other', 'The command "make" exited with 12.'],
      ...['The command "gone" failed and exited with 1 during .', 'The command "make "x"" exited with 1.'],
    );
    expect(failed).toEqual(['make 1-3', 'gone 3-4', 'make "x" 4-5']);
  });

  it('knows a long command that it repeats', () => {
    const long = 'x'.repeat(600);
    expect(read(`$ ${long}`, '$ other', `The command "${long}" exited with 1.`).failed).toEqual([
      `${long.slice(0, 500)} 0-2`,
    ]);
  });

  it('is of what came since the last exit where no command is known', () => {
    expect(read('a', 'ERROR: Job failed', 'b', 'ERROR: Job failed').failed).toEqual([' 0-1', ' 1-3']);
    expect(read('$ make', 'ERROR: Job failed', 'ERROR: Job failed').failed).toEqual(['make 0-1', 'make 0-2']);
  });

  it('is looked for among the last 200 commands', () => {
    const others = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `$ other ${at}`);
    const exit = 'The command "make" exited with 1.';

    expect(read('fine', '$ make', ...others(199), exit).failed).toEqual(['make 1-201']);
    expect(read('fine', '$ make', ...others(200), exit).failed).toEqual(['make 0-202']);
  });
});

describe('a goal of Maven', () => {
  const GOAL = '[INFO] --- jar:3.0:jar (default) @ core ---';

  it('ends with the summary, or else with the build, and failed if the build did', () => {
    expect(read(GOAL, 'x', '[INFO] Reactor Summary:', '[INFO] BUILD FAILURE')).toMatchObject({
      seen: ['command', '-', 'exit', 'exit'],
      failed: ['jar:3.0:jar (default) @ core 0-2'],
    });
    expect(read(GOAL, '[INFO] BUILD FAILURE', '[INFO] BUILD FAILURE')).toMatchObject({
      seen: ['command', 'exit', '-'],
      failed: ['jar:3.0:jar (default) @ core 0-1'],
    });
    expect(read(GOAL, '[INFO] BUILD SUCCESS', '[INFO] BUILD FAILURE').failed).toEqual([]);
    expect(read(GOAL, '[INFO] --- two ---', '[INFO] BUILD FAILURE').failed).toEqual(['two 1-2']);
  });

  it.each([
    [`see ${GOAL}`, '[INFO] BUILD FAILURE'],
    [`${GOAL} more`, '[INFO] BUILD FAILURE'],
    ['[INFO] ---  ---', '[INFO] BUILD FAILURE'],
    [GOAL, 'see [INFO] BUILD FAILURE'],
    [GOAL, '[INFO] BUILD FAILURES'],
    [GOAL, '[WARN] [INFO] BUILD FAILURE'],
    [GOAL, '[INFO] BUILD FAILURE more'],
    [GOAL, '[WARN] [INFO] Reactor Summary'],
    [GOAL, '[INFO] Reactor Summaryx'],
    ['[WARN] [INFO] --- x ---', '[INFO] BUILD FAILURE'],
  ])('is not told by %s and %s', (goal, end) => {
    expect(read(goal, end).failed).toEqual([]);
    expect(read(goal, end).seen).not.toContain('exit');
  });

  it('may have a long name', () => {
    expect(read(`[INFO] --- ${'x'.repeat(600)} ---`, '[INFO] BUILD FAILURE').failed).toEqual([
      `${'x'.repeat(500)} 0-1`,
    ]);
  });
});
