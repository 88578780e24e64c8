import { describe, expect, it } from 'vitest';
import { toAnnotationSigns } from '../../../src/core/evidence/annotation-signs.ts';
import type { CheckAnnotation } from '../../../src/core/model/check-run.ts';

const annotation = (change: Partial<CheckAnnotation> = {}): CheckAnnotation => ({
  ...{ path: 'src/a.ts', startLine: 3, endLine: 3, level: 'failure', message: 'wrong' },
  ...change,
});

describe('an annotation of a job', () => {
  it('names a failure at its place', () => {
    expect(toAnnotationSigns([annotation(), annotation({ startLine: 5, startColumn: 7 })], [])).toEqual([
      {
        ...{ kind: 'place', tool: null, path: 'src/a.ts', line: 3, column: null, rule: null, testId: null },
        message: 'wrong',
      },
      {
        ...{ kind: 'place', tool: null, path: 'src/a.ts', line: 5, column: 7, rule: null, testId: null },
        message: 'wrong',
      },
    ]);
  });

  it.each([
    ['a warning', { level: 'warning' }],
    ['a notice', { level: 'notice' }],
    ['about the whole job', { path: '.github' }],
  ] as const)('names none if it is %s', (_what, change) => {
    expect(toAnnotationSigns([annotation(change)], [])).toEqual([]);
  });

  it('counts once, also where GitHub repeats it', () => {
    expect(toAnnotationSigns([annotation(), annotation(), annotation({ message: 'another' })], [])).toHaveLength(2);
  });

  it('is left out where the log names the same place, by whatever spelling', () => {
    const named = (path: string | null, line: number | null = 3) => {
      const [sign] = toAnnotationSigns([annotation()], []);
      return sign === undefined ? [] : toAnnotationSigns([annotation()], [{ ...sign, path, line }]);
    };

    expect(named('src/a.ts')).toEqual([]);
    expect(named('/home/runner/work/x/x/src/a.ts')).toEqual([]);
    expect(named('a.ts')).toEqual([]);
    expect(named('src/a.ts', 4)).toHaveLength(1);
    expect(named('src/aa.ts')).toHaveLength(1);
    expect(named('src/b.ts')).toHaveLength(1);
    expect(named('lib/src-a.ts')).toHaveLength(1);
    expect(named(null)).toHaveLength(1);
  });
});
