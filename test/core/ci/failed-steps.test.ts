import { describe, expect, it } from 'vitest';
import { toEnd, toFailedSteps } from '../../../src/core/ci/failed-steps.ts';

const HEADER = ['##[group]Run make', 'make', 'shell: bash', '##[endgroup]'];

describe('toFailedSteps', () => {
  it('gives the output of the steps with an error, without the scripts that the runner shows first', () => {
    const lines = [...HEADER, 'fine', ...HEADER, '##[group]a', 'b', '##[endgroup]', '##[error]no', ...HEADER, 'after'];

    expect(toFailedSteps(lines)).toEqual([['##[group]a', 'b', '##[endgroup]', '##[error]no']]);
  });

  it('gives all output where no step has an error at the beginning of a line', () => {
    expect(toFailedSteps(['before', ...HEADER, 'a ##[error]no'])).toEqual([['before'], ['a ##[error]no']]);
    expect(toFailedSteps([])).toEqual([[]]);
  });

  it('takes a group of other output for no step', () => {
    expect(toFailedSteps(['##[group]Runs', 'a ##[group]Run b', 'c'])).toEqual([
      ['##[group]Runs', 'a ##[group]Run b', 'c'],
    ]);
  });
});

describe('toEnd', () => {
  it.each(['##[error]no', 'The command "make" exited with 2.', 'The command "a b" failed and exited with 1 during .'])(
    'ends a step with the last line that tells its failure: %s',
    (end) => {
      expect(toEnd([end, 'b', end, 'cleanup'])).toEqual([end, 'b', end]);
    },
  );

  it.each(['a ##[error]no', 'The command "make" exited with 0.', 'a The command "make" exited with 2.'])(
    'ends none with %s',
    (line) => {
      expect(toEnd(['a', line, 'b'])).toEqual(['a', line, 'b']);
    },
  );
});
