import { describe, expect, it } from 'vitest';
import { createPathResolver } from '../../../src/core/evidence/resolve-path.ts';
import { toLogExcerpt } from '../../../src/core/evidence/to-log-excerpt.ts';

const LIMIT = { maxBytes: 8192 };

/** Lines that say nothing, each of them another one. */
function noise(count: number, text = 'module is built'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${text} ${'abcdefghij'[index % 10] ?? ''}${index}`);
}

function excerptOf(...parts: readonly (string | readonly string[])[]): string {
  return toLogExcerpt(parts.flat().join('\n'), LIMIT);
}

describe('an excerpt', () => {
  it('uses the room that it has', () => {
    const excerpt = excerptOf(noise(5000));

    expect(Buffer.byteLength(excerpt)).toBeGreaterThan(LIMIT.maxBytes * 0.95);
  });

  it('shows the cause, though a tail of long lines has no room for it', () => {
    const long = Array.from({ length: 60 }, (_, index) => `${index} ${'post-job cleanup '.repeat(100)}`);

    expect(excerptOf('src/a.ts(3,5): error TS2322: wrong', long)).toContain('TS2322');
  });

  it('shows the first failure, though later lines with words of failure are many', () => {
    const later = noise(2000, 'an error is mentioned in');

    expect(excerptOf('--- FAIL: TestSum (0.00s)', '    sum_test.go:9: got 3', noise(100), later)).toContain('TestSum');
  });

  it('shows a hundred equal failures for the price of one', () => {
    const equal = Array.from({ length: 400 }, (_, index) => `x.py:${index}:9: E501 line too long (${index} > 79)`);
    const excerpt = excerptOf('y.py:3:1: F401 unused', noise(50), equal, noise(1000));

    expect(excerpt).toContain('F401');
    expect(excerpt.match(/E501/gu)?.length).toBeLessThan(150);
  });

  it.each(['x.py:8:9: E128 continuation line under-indented', "Couldn't establish a connection to the database"])(
    'shows a cause without the usual words: %s',
    (cause) => {
      expect(excerptOf(noise(1000), cause, noise(1000))).toContain(cause);
    },
  );

  it('shows what a failed step printed last, where no line says that it failed', () => {
    const excerpt = excerptOf(
      ...['##[group]Run ./check-size.sh', noise(1000), 'bundle: 112 KB of 100 KB'],
      ...['##[error]Process completed with exit code 1.', noise(1000, 'cleanup')],
    );

    expect(excerpt).toContain('bundle: 112 KB of 100 KB');
    expect(excerpt).toContain('##[group]Run ./check-size.sh');
  });

  it('finds a failure before more than 8 MiB and 50,000 lines', () => {
    const cause = 'src/a.ts(3,5): error TS2322: wrong';

    expect(excerptOf(cause, noise(60_000, 'x'.repeat(150)))).toContain(cause);
  });

  it('finds a cause behind character 2,000 of a line, and in the middle of a very long one', () => {
    const cause = 'src/a.ts(3,5): error TS2322: wrong';

    for (const length of [300, 30_000]) {
      const line = `${'dots and '.repeat(length)}${cause} ${'dots and '.repeat(length)}`;
      expect(excerptOf(noise(500), line, noise(500))).toContain(cause);
    }
  });

  it('shows what a carriage return overwrote, if it names a failure', () => {
    const excerpt = excerptOf('\u001B[31mError: real cause\u001B[0m\rdone', '10%\r50%\r100%');

    expect(excerpt).toBe('Error: real cause\ndone\n100%');
  });

  it('shows the first failure of each failed step', () => {
    const step = (name: string): readonly string[] => [
      ...[`##[group]Run ${name}`, `Error: first of ${name}`, ...noise(300, `${name} error in`)],
      '##[error]Process completed with exit code 1.',
    ];
    const excerpt = excerptOf(step('lint'), step('test'));

    for (const name of ['lint', 'test']) expect(excerpt).toContain(`Error: first of ${name}`);
  });

  it('takes the warnings for the cause where nothing else failed', () => {
    const excerpt = excerptOf(
      ...['$ make', noise(500), 'src/a.hs:3:1: Warning: unused import', noise(500)],
      ...['The command "make" exited with 1.', noise(500, 'fatal error words of')],
    );

    expect(excerpt).toContain('unused import');
  });

  it('shows one failure of each file before the second of another', () => {
    const of = (path: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `${path}:${index + 1}:1: error: ${'x'.repeat(index)} wrong`);

    expect(excerptOf(of('src/a.c', 100), of('src/b.c', 1), of('src/c.c', 100))).toContain('src/b.c');
  });

  describe('with names of files near failures', () => {
    const lines = [
      ...noise(100),
      ...Array.from(
        { length: 200 },
        (_, index) => `--- FAIL: Test${'x'.repeat(index)} (0.0s) in b${'y'.repeat(index % 7)}.go`,
      ),
      'panic: no',
      '\tat lib/deep/near.ts:3',
      ...noise(1500),
    ];

    it('adds those that it does not show, in at most 1 KiB', () => {
      const last = toLogExcerpt(lines.join('\n'), { maxBytes: 2048 }).split('\n').at(-1) ?? '';

      expect(last).toMatch(/^Also named near failures: .*b/u);
      expect(Buffer.byteLength(last)).toBeLessThanOrEqual(1024);
    });

    it('names tracked files only, in full, if these are known', () => {
      const resolve = createPathResolver(['pkg/byy.go', 'src/other.go']);
      const last = toLogExcerpt(lines.join('\n'), { maxBytes: 1200, resolve }).split('\n').at(-1) ?? '';

      expect(
        last
          .replace('Also named near failures: ', '')
          .split(', ')
          .filter((name) => name.includes('/')),
      ).toEqual(last.startsWith('Also') ? ['pkg/byy.go'] : []);
    });
  });

  it.each([
    ['NUL bytes', '\u0000'.repeat(100_000)],
    [
      'groups in groups',
      '##[group]Run a\n'.repeat(2) + Array.from({ length: 5000 }, (_, at) => `##[group]Run ${at}`).join('\n'),
    ],
    ['our own markers', Array.from({ length: 5000 }, (_, at) => `… ${at} lines left out …`).join('\n')],
    ['brackets and blanks', `${'( ['.repeat(20_000)}\n${' '.repeat(100_000)}x\n${'a/'.repeat(50_000)}b.c:1:1: error`],
    ['words of failure', 'failed '.repeat(100_000)],
    ['one token', 'a.b:1:'.repeat(50_000)],
  ])('is bounded for %s', (_what, log) => {
    expect(Buffer.byteLength(toLogExcerpt(log, LIMIT))).toBeLessThanOrEqual(LIMIT.maxBytes);
  });

  it('counts what its caller adds to each line', () => {
    const excerpt = toLogExcerpt(noise(5000).join('\n'), { maxBytes: 4096, bytesPerLine: 10 });

    expect(Buffer.byteLength(excerpt) + 10 * excerpt.split('\n').length).toBeLessThanOrEqual(4096);
  });
});
