import { describe, expect, it } from 'vitest';
import { readPythonTrace, toTraceIdentity } from '../../../src/engines/python/python-trace.ts';

const PLACES = { root: '/repo', cwd: '.' };

function identity(lines: readonly string[]): string {
  return toTraceIdentity(readPythonTrace(lines.join('\n'), 'tests/test_a.py', PLACES));
}

describe('readPythonTrace', () => {
  it('001.R21: takes the innermost frame in a file of the repository, and no line of it', () => {
    const trace = ['tests/test_a.py:5: in test_a', '    help()', 'src/h.py:3: in help', '    raise ValueError("x")'];
    const moved = trace.map((line) => line.replace(/:\d+:/u, ':99:'));

    expect(identity([...trace, 'E   ValueError: x'])).toBe('ValueError|src/h.py|help');
    expect(identity([...moved, 'E   ValueError: y'])).toBe('ValueError|src/h.py|help');
  });

  it.each([
    ['/usr/lib/python3.11/json/decoder.py:355: in raw_decode'],
    ['.venv/lib/python3.11/site-packages/pkg/a.py:3: in call'],
    ['../elsewhere/a.py:3: in call'],
    ['<frozen importlib._bootstrap>:1206: in _gcd_import'],
  ])('is at home in no file that is not of the repository: %s', (frame) => {
    expect(identity(['tests/test_a.py:5: in test_a', frame, 'E   KeyError: 1'])).toBe(
      'KeyError|tests/test_a.py|test_a',
    );
  });

  it.each([
    ['of several lines the first', ['E   ValueError: one', 'E   two: three'], 'ValueError'],
    [
      'of a chain the last',
      ['E   ValueError: one', '', 'Again:', 'E   json.JSONDecodeError: two'],
      'json.JSONDecodeError',
    ],
    ['without a message', ['E   KeyboardInterrupt'], 'KeyboardInterrupt'],
    ['a bare assertion', ['E   assert 1 == 2', 'E    +  where 1 = f()'], 'AssertionError'],
    ['an assertion of a name', ['E   assert x', ''], 'AssertionError'],
  ])('names the exception: %s', (_, lines, expected) => {
    expect(readPythonTrace(lines.join('\n'), null, PLACES).exception).toBe(expected);
  });

  it('tells where a syntax error is, of a file that never ran', () => {
    const text = 'E     File "/repo/tests/test_a.py", line 7\nE       def f(:\nE   SyntaxError: invalid syntax';

    expect(readPythonTrace(text, 'tests/test_a.py', PLACES)).toEqual({
      exception: 'SyntaxError',
      frame: { path: 'tests/test_a.py', functionName: '' },
      line: 7,
    });
  });

  it('has nothing to say of what is no trace', () => {
    expect(readPythonTrace('[XPASS(strict)] ', 'a.py', PLACES)).toEqual({ exception: null, frame: null, line: null });
  });
});
