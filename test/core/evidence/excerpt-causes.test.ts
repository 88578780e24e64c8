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

  it('shows all that the first failed test says, though many others failed after it', () => {
    const told = Array.from({ length: 40 }, (_, index) => `    -   line ${index}`);
    const others = Array.from({ length: 60 }, (_, index) => [`--- FAIL: TestOther${index}`, `    other ${index}`]);
    const excerpt = excerptOf(
      noise(500),
      '--- FAIL: TestDiff',
      '    Error: not equal',
      told,
      others.flat(),
      noise(500),
    );

    expect(told.filter((line) => excerpt.includes(line))).toEqual(told);
    expect(excerpt).toContain('TestOther59');
  });

  it('shows at most a quarter of its room of the first failed test', () => {
    const told = Array.from({ length: 100 }, (_, index) => `    -   line ${index} ${'x'.repeat(100)}`);
    const others = Array.from({ length: 100 }, (_, index) => `--- FAIL: TestOther${index}\n    Error: ${index}`);
    const excerpt = excerptOf(noise(500), '--- FAIL: TestDiff', '    Error: not equal', told, others, noise(500));

    expect(told.filter((line) => excerpt.includes(line)).length).toBeLessThan(30);
    expect(excerpt).toContain('TestOther50');
  });

  it('shows what a failed test says before lines with words of failure, and before a long end', () => {
    const told = Array.from({ length: 15 }, (_, index) => `    -   line ${index}`);
    const test = (name: string): readonly string[] => [`--- FAIL: ${name}`, '    Error: not equal', ...told];
    const words = noise(200, 'an error is mentioned in');
    const excerpt = excerptOf(words, test('TestFirst'), noise(50), test('TestSecond'), words, noise(60));

    expect(excerpt.split('    -   line 14')).toHaveLength(3);
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

  it('shows what a failed goal of Maven printed last, though many exceptions of passing tests stand before it', () => {
    const passing = Array.from({ length: 200 }, (_, index) => [
      `java.lang.IllegalStateException: wanted ${'x'.repeat(index % 90)}`,
      ...Array.from({ length: 9 }, (_frame, at) => `\tat com.acme.C${index}.m${at}(C${index}.java:${at + 1})`),
    ]);
    const excerpt = excerptOf(
      ...['$ mvn verify', '[INFO] --- surefire:2.0:test (default-test) @ core ---', passing.flat()],
      ...['[INFO] --- license:3.0:check (headers) @ core ---', '[WARNING] No header in src/main/java/A.java'],
      ...['[INFO] Reactor Summary:', noise(70, '[INFO] module'), '[INFO] BUILD FAILURE'],
      ...['The command "mvn verify" exited with 1.', noise(500, 'cleanup')],
    );

    expect(excerpt).toContain('[INFO] --- license:3.0:check (headers) @ core ---');
    expect(excerpt).toContain('No header in src/main/java/A.java');
  });

  it('shows the frames in code of the project, however far they are from the name of the test', () => {
    const code = (of: string): readonly string[] => noise(60, `    ${of} = `);
    const excerpt = excerptOf(
      ...[noise(2000), '____ test_adds ____', code('a'), 'tests/test_sum.py:40: ', code('b'), 'src/sum.py:77: in add'],
      ...[code('c'), 'E   ValueError: 1', '', '/usr/lib/python3/site-packages/lib.py:5: ValueError', noise(2000)],
    );

    for (const frame of ['tests/test_sum.py:40:', 'src/sum.py:77: in add']) expect(excerpt).toContain(frame);
  });

  it('names the files of frames before those that only stand near failures', () => {
    const near = Array.from({ length: 500 }, (_, index) => [`FAIL: test_${'x'.repeat(index)}`, `near${index}.py`]);
    const frames = Array.from({ length: 12 }, (_, index) => `  File "app/mid${index}.py", line 1, in f`);
    const excerpt = excerptOf('Traceback (most recent call last):', frames, 'ValueError: no', near.flat(), noise(500));

    expect(excerpt.split('\n').at(-1)).toMatch(/^Also named near failures: .*\bmid5\.py/u);
  });

  it('has room for failures beside the ends of many steps that name none', () => {
    const silent = Array.from({ length: 60 }, (_, index) => [
      `$ make ${index}`,
      ...noise(20, `${index} is ${'long '.repeat(30)}`),
      `The command "make ${index}" exited with 2.`,
    ]);
    const excerpt = excerptOf('$ make first', '--- FAIL: TestSum (0.00s)', noise(30), silent.flat());

    expect(excerpt).toContain('TestSum');
    expect(excerpt).toContain('59 is long');
  });

  it('has room for all that a build names, though the build was tried again', () => {
    const places = Array.from(
      { length: 30 },
      (_, at) => `[ERROR] /app/${'folder/'.repeat(20)}A${at}.java:[3,5] no ${'x'.repeat(at)}`,
    );
    const tried = [
      '[INFO] --- compiler:3.1:compile @ core ---',
      ...noise(5),
      ...places,
      '[INFO] last',
      '[INFO] BUILD FAILURE',
    ];
    const excerpt = excerptOf('$ mvn verify', tried, noise(90), tried, noise(90), tried, noise(90));

    for (let at = 0; at < 30; at += 1) expect(excerpt).toContain(`/A${at}.java`);
  });

  it('keeps no frames of equal failures beyond the first ones', () => {
    const far = (index: number): readonly string[] => ['____ test_1 ____', ...noise(45), `src/f${index}.py:7: in f`];
    const excerpt = toLogExcerpt(
      [...Array.from({ length: 12 }, (_, index) => far(index)).flat(), ...noise(9000)].join('\n'),
      { maxBytes: 32 * 1024 },
    );

    expect(excerpt).toContain('src/f0.py:7: in f');
    expect(excerpt).not.toContain('src/f11.py:7: in f');
    expect(excerpt).toContain('f11.py');
  });

  describe('of one failure in many files', () => {
    const PLACES = Array.from(
      { length: 40 },
      (_, index) =>
        `[ERROR] /home/runner/work/acme/acme/src/main/java/com/acme/some/long/package/Part${index}Reader.java:[${index + 1},8] com.acme.Part${index}Reader is not abstract and does not override abstract method read${index}(com.acme.Client) in com.acme.Reader`,
    );
    const OTHER = '[ERROR] /app/src/Other.java:[3,5] incompatible types';

    it('shows some by their lines and names the others with their lines, so that another failure has room', () => {
      const excerpt = excerptOf(noise(500), PLACES, OTHER, noise(500));
      const label = 'Also in other files, "com.acme.Part';
      const named = excerpt.split('\n').find((line) => line.startsWith(label)) ?? '';

      expect(excerpt).toContain(OTHER);
      for (let index = 0; index < 40; index += 1) expect(excerpt).toContain(`Part${index}Reader.java:`);
      expect(named.match(/Reader\.java:\d+/gu)?.length).toBeGreaterThan(10);
      expect(excerpt.split(label)).toHaveLength(2);
    });

    it('names the paths of the repository where they are known', () => {
      const known = createPathResolver(['lib/com/acme/some/long/package/Part38Reader.java', 'src/Part39Reader.java']);
      const log = PLACES.map((line) => line.replace('/home/runner/work/acme/acme/src/main/java/', ''));
      const excerpt = toLogExcerpt([...log, ...noise(500)].join('\n'), { ...LIMIT, resolve: known });

      expect(excerpt).toContain(', lib/com/acme/some/long/package/Part38Reader.java:39, Part39Reader.java:40');
    });

    it('shows all lines where there is room for them', () => {
      const excerpt = toLogExcerpt([...PLACES, ...noise(5000)].join('\n'), { maxBytes: 64 * 1024 });

      expect(excerpt).not.toContain('Also in other files');
      expect(excerpt).toContain('Part39Reader is not abstract');
    });

    it('stays in its limit, and names each file once', () => {
      const same = Array.from(
        { length: 300 },
        (_, at) => `/a/${'b'.repeat(at)}/index.ts:3:1: error: ${'no '.repeat(9)}`,
      );
      const places = Array.from({ length: 3000 }, (_, at) => `/app/${'x'.repeat(60)}/m${at}.c:1:1: error: gone away`);
      const excerpt = toLogExcerpt([...same, ...places, ...noise(900)].join('\n'), { ...LIMIT, bytesPerLine: 4 });
      const lines = excerpt.split('\n');

      expect(Buffer.byteLength(excerpt) + 4 * lines.length).toBeLessThanOrEqual(LIMIT.maxBytes);
      expect(lines.filter((line) => line.startsWith('Also in other files')).length).toBeGreaterThan(0);
      expect(excerpt.split(', index.ts:3').length).toBeLessThanOrEqual(2);
    });
  });

  it('shows the first of a hundred tests with one cause whole, names the others, and has room for another cause', () => {
    const names = Array.from({ length: 100 }, (_, at) => `test_web${at}`);
    const toBlock = (name: string, cause: string): readonly string[] => [
      `__________ ${name} __________`,
      '',
      `    def ${name}(client):`,
      `>       client.get("http://${name}/port")`,
      '',
      'tests/test_web.py:4:',
      ...Array.from({ length: 20 }, (_, at) => `    frame ${at} of ${name}`),
      `E   ${cause}`,
      '',
      '/usr/lib/python3/requests.py:487: ConnectionError',
      ...noise(30),
    ];
    const blocks = names.flatMap((name) =>
      toBlock(name, `ConnectionError: Pool(host='${name.slice(5)}') retries exceeded with url`),
    );
    const excerpt = excerptOf(
      names.map((name) => `tests/test_web.py::${name} FAILED`),
      [
        'tests/test_sum.py::test_adds FAILED',
        'tests/test_sum.py::test_no_error xfail',
        '',
        '======== FAILURES ========',
      ],
      [...blocks, ...toBlock('test_adds', 'assert 3 == 4')],
      ['======== 101 failed, 1 xfailed in 2.5 seconds ========'],
    );

    for (const line of toBlock('test_web0', "ConnectionError: Pool(host='web0') retries exceeded with url").slice(
      1,
      27,
    ))
      expect(excerpt).toContain(line);
    expect(excerpt).toContain('E   assert 3 == 4');
    for (const name of names) expect(excerpt).toContain(name);
    expect(excerpt).toContain('Failed tests with a message like "ConnectionError: ');
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

    it('names a file whose name is only the end of another one that it shows', () => {
      const last = toLogExcerpt([...lines, 'see far.ts', 'Error: no', 'see near_far.ts'].join('\n'), {
        maxBytes: 1200,
      });

      expect(last).toContain('near_far.ts');
      expect(last).toMatch(/(?<![\w.@+-])far\.ts/u);
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
