import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replacePath } from '../../../src/core/findings/replace-path.ts';

describe('replacePath', () => {
  it.each([
    ['a.py::test', 'a.py', '*::test'],
    ['a.py::test_a.py a.py', 'a.py', '*::test_a.py *'],
    ['a.py', 'a.py', '*'],
    ['lib/a.py::x', 'a.py', 'lib/a.py::x'],
    ['a.pyi', 'a.py', 'a.pyi'],
    ['a.py/b', 'a.py', 'a.py/b'],
    ['axpy', 'a.py', 'axpy'],
    [`f (a.py) "a.py" 'a.py' <a.py> [a.py],a.py,`, 'a.py', `f (*) "*" '*' <*> [*],*,`],
    ['app/[id]/(x)/page.test.ts > a', 'app/[id]/(x)/page.test.ts', '* > a'],
    ['a+b^c$d*e?{f}|g\\h:1', 'a+b^c$d*e?{f}|g\\h', '*:1'],
    ['aa a', 'a', 'aa *'],
  ])('reads %j with the path %s as %j', (text, path, expected) => {
    expect(replacePath(text, path, '*')).toBe(expected);
  });

  it('takes the replacement as it is', () => {
    expect(replacePath('a:1', 'a', '$&$1')).toBe('$&$1:1');
  });

  it('finds any path that is alone, and puts it back', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (path) => {
        expect(replacePath(`:${path}:`, path, '*')).not.toBe(`:${path}:`);
      }),
      { examples: [['-'], ['/'], ['\\d'], ['(?:']] },
    );
  });
});
