import { describe, expect, it } from 'vitest';
import { createCandidateFinder, createPathResolver, toCandidates } from '../../../src/core/evidence/resolve-path.ts';
import { type ListedFailure, toFailuresJson } from '../../../src/core/evidence/to-failures-json.ts';
import { toCandidatePaths, toReportedFailures } from '../../../src/core/evidence/to-reported-failures.ts';
import { findWorkspace, toWorkspacePath } from '../../../src/core/evidence/workspace-path.ts';

function aSign(change: Partial<ListedFailure> = {}): ListedFailure {
  return {
    kind: 'place',
    tool: 'tsc',
    path: 'src/a.ts',
    line: 3,
    column: 5,
    rule: 'TS2322',
    testId: null,
    message: 'Type string is not assignable.',
    ...change,
  };
}

const RESOLVE = createCandidateFinder(new Set(['src/a.ts', 'src/b.ts']));
const same = (text: string): string => text;

describe('the path of a log within the repository', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src\\a.ts', 'src/a.ts'],
    ['file://src/a.ts', 'src/a.ts'],
    ['src/file://a.ts', 'src/file:/a.ts'],
    ['C:/a/app/app/src/a.ts', 'src/a.ts'],
    ['x/home/runner/work/app/app/src/a.ts', 'x/home/runner/work/app/app/src/a.ts'],
    ['/home/runner/work/app/appendix/a.ts', null],
    ['/home/runner/work/app/app', null],
    ['/github/workspaces/a.ts', null],
    ['/home/runner/work/app/app/src/a.ts', 'src/a.ts'],
    ['file:///home/runner/work/app/app/src/a.ts', 'src/a.ts'],
    ['D:\\a\\app\\app\\src\\a.ts', 'src/a.ts'],
    ['/__w/app/app/src/a.ts', 'src/a.ts'],
    ['/github/workspace/src/a.ts', 'src/a.ts'],
    ['/opt/runner/_work/app/app/src/a.ts', 'src/a.ts'],
    ['/usr/lib/node/a.ts', null],
    ['C:\\Windows\\a.ts', null],
    ['../a.ts', null],
    ['', null],
  ])('%s', (raw, path) => {
    expect(toWorkspacePath(raw)).toBe(path);
  });

  it('finds where the repository was checked out', () => {
    expect(findWorkspace('{"file":"/home/runner/work/app/app/src/a.ts"}')).toBe('/home/runner/work/app/app');
    expect(findWorkspace('cd /__w/app/app')).toBe('/__w/app/app');
    expect(findWorkspace("'/Users/runner/work/app/app' x")).toBe('/Users/runner/work/app/app');
    expect(findWorkspace('in /home/runner/work/app/app now')).toBe('/home/runner/work/app/app');
    expect(findWorkspace('/home/runner/work/app/other/src/a.ts')).toBeNull();
    expect(findWorkspace('/home/runner/work/app/apple')).toBeNull();
  });
});

describe('the tracked file that a log means', () => {
  const resolve = createPathResolver([
    'packages/one/src/index.ts',
    'packages/two/src/index.ts',
    'packages/one/src/only.ts',
    'src/test/java/org/example/ProxyTest.java',
    'src/main/kotlin/org/example/Proxy.kt',
    'index.js',
    'src/main/java/Main.java',
    'src/main/scala/org/example/Sum.scala',
    `deep/${'x/'.repeat(247)}abc.ts`,
  ]);

  it.each([
    ['index.js', 'index.js'],
    ['src/only.ts', 'packages/one/src/only.ts'],
    ['src/index.ts', null],
    ['org/example/ProxyTest.java', 'src/test/java/org/example/ProxyTest.java'],
    ['org/example/Proxy.kt', 'src/main/kotlin/org/example/Proxy.kt'],
    ['ProxyTest.java', 'src/test/java/org/example/ProxyTest.java'],
    ['node_modules/x/index.js', null],
    ['lib/node_modules/x/index.js', null],
    ['my_node_modules/index.js', null],
    ['src/Main.java', null],
    ['Main.java', 'src/main/java/Main.java'],
    ['org/example/Sum.scala', 'src/main/scala/org/example/Sum.scala'],
    ['org/example/Proxy.kt.txt', null],
    [`${'x/'.repeat(247)}abc.ts`, `deep/${'x/'.repeat(247)}abc.ts`],
    ['/usr/lib/index.js', null],
    ['gone.ts', null],
    ['x/'.repeat(300), null],
  ])('%s', (raw, path) => {
    expect(resolve(raw)).toBe(path);
  });
});

describe('the paths that a path in a log may mean', () => {
  it.each([
    ['org/Sum.kt', ['org/Sum.kt', 'src/main/kotlin/org/Sum.kt', 'src/test/kotlin/org/Sum.kt']],
    ['org/Sum.java', ['org/Sum.java', 'src/main/java/org/Sum.java', 'src/test/java/org/Sum.java']],
    ['src/Sum.java', ['src/Sum.java']],
    ['a.ts', ['a.ts']],
    ['a.java.txt', ['a.java.txt']],
    ['my_node_modules/a.js', ['my_node_modules/a.js']],
    ['lib/node_modules/a.js', []],
    ['node_modules/a.js', []],
    ['x'.repeat(500), ['x'.repeat(500)]],
    ['x'.repeat(501), []],
    ['/usr/a.ts', []],
  ])('%s', (raw, paths) => {
    expect(toCandidates(raw)).toEqual(paths);
  });
});

describe('what red jobs report', () => {
  it('links files that the head has, and keeps failed tests without one', () => {
    const signs = [
      aSign(),
      aSign({ path: '/usr/lib/x.ts' }),
      aSign({ path: null, line: 9, testId: 'adds one', kind: 'test', rule: null }),
      aSign({ path: 'src/gone.ts', testId: 'adds two', kind: 'test' }),
      aSign({ path: null }),
    ];
    const place = { job: 'build', tool: 'tsc', message: 'Type string is not assignable.' };
    expect(toReportedFailures([{ job: 'build', signs }], RESOLVE, same)).toEqual([
      { ...place, path: 'src/a.ts', line: 3, rule: 'TS2322', testId: null },
      { ...place, path: null, line: null, rule: null, testId: 'adds one' },
      { ...place, path: null, line: null, rule: 'TS2322', testId: 'adds two' },
    ]);
  });

  it('counts equal failures of a job once: the first source wins', () => {
    const signs = [aSign(), aSign({ tool: null, message: 'again' }), aSign({ line: null }), aSign({ line: null })];
    const reported = toReportedFailures([{ job: 'a', signs }], RESOLVE, same);
    expect(reported.map(({ line, tool, message }) => [line, tool, message])).toEqual([
      [3, 'tsc', 'Type string is not assignable.'],
      [null, 'tsc', 'Type string is not assignable.'],
    ]);
    const tests = ['adds', 'adds', 'takes'].map((testId) => aSign({ path: null, testId }));
    expect(toReportedFailures([{ job: 'a', signs: tests }], RESOLVE, same).map(({ testId }) => testId)).toEqual([
      'adds',
      'takes',
    ]);
    const unplaced = ['one', 'two', 'one'].map((message) => aSign({ line: null, message }));
    expect(toReportedFailures([{ job: 'a', signs: unplaced }], RESOLVE, same)).toHaveLength(2);
    const both = ['a', 'b'].map((job) => ({ job, signs: [aSign()] }));
    expect(toReportedFailures(both, RESOLVE, same)).toHaveLength(2);
  });

  it('is bounded, on one line, and without secrets', () => {
    const many = Array.from({ length: 50 }, (_, line) => aSign({ line: line + 1 }));
    const jobs = ['a', 'b', 'c', 'd'].map((job) => ({ job, signs: many }));
    expect(toReportedFailures(jobs, RESOLVE, same)).toHaveLength(30);
    expect(toReportedFailures(jobs.slice(0, 1), RESOLVE, same)).toHaveLength(10);
    const long = aSign({ message: `token s3cret\n${'x'.repeat(900)}`, testId: 's3cret', rule: 's3cret' });
    const [found] = toReportedFailures([{ job: 'a', signs: [long] }], RESOLVE, (text) =>
      text.replaceAll('s3cret', '***'),
    );
    expect(found).toMatchObject({ testId: '***', rule: '***' });
    expect(found?.message.slice(0, 14)).toBe('token *** xxxx');
    expect(found?.message).toHaveLength(300);
    const late = aSign({ message: `${'x'.repeat(297)}s3cret` });
    const [cut] = toReportedFailures([{ job: 'a', signs: [late] }], RESOLVE, (text) =>
      text.replaceAll('s3cret', '***'),
    );
    expect(cut?.message).toBe(`${'x'.repeat(297)}***`);
  });

  it('asks for each path that it may mean once, and not for too many', () => {
    const signs = [
      aSign(),
      aSign(),
      aSign({ path: 'org/ATest.java' }),
      aSign({ path: '/usr/x.c' }),
      aSign({ path: null }),
    ];
    expect(toCandidatePaths([{ job: 'a', signs }])).toEqual([
      'src/a.ts',
      'org/ATest.java',
      'src/main/java/org/ATest.java',
      'src/test/java/org/ATest.java',
    ]);
    const many = Array.from({ length: 100 }, (_, index) => aSign({ path: `src/${index}.ts` }));
    expect(toCandidatePaths([{ job: 'a', signs: many }])).toHaveLength(60);
  });
});

describe('the JSON list of failures', () => {
  it('has one failure on each line, without what it lacks', () => {
    const json = toFailuresJson(
      [
        aSign({ path: '/home/runner/work/app/app/src/b.ts', step: 'npm test', count: 3 }),
        aSign({ path: 'other.ts', column: null, rule: null, testId: 'a › b', kind: 'test', message: '', count: 1 }),
        aSign({ path: null, line: null }),
      ],
      RESOLVE,
      10_000,
    );
    expect(json.split('\n')).toHaveLength(6);
    expect(JSON.parse(json)).toEqual([
      {
        ...{ kind: 'place', tool: 'tsc', path: 'src/b.ts', line: 3, column: 5, rule: 'TS2322' },
        ...{ message: 'Type string is not assignable.', step: 'npm test', count: 3 },
      },
      { kind: 'test', tool: 'tsc', path: 'other.ts', line: 3, test: 'a › b' },
      { kind: 'place', tool: 'tsc', column: 5, rule: 'TS2322', message: 'Type string is not assignable.' },
    ]);
  });

  it('keeps to its bytes and stays a list', () => {
    const many = Array.from({ length: 100 }, () => aSign({ message: 'ä'.repeat(900) }));
    const json = toFailuresJson(many, RESOLVE, 5000);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(5000);
    const two = toFailuresJson(many.slice(0, 2), RESOLVE, 5000);
    expect(toFailuresJson(many, RESOLVE, Buffer.byteLength(two))).not.toBe(two);
    expect(toFailuresJson(many, RESOLVE, Buffer.byteLength(two) + 1)).toBe(two);
    expect(JSON.parse(json)).toHaveLength(4);
    expect(toFailuresJson(many, RESOLVE, 100)).toBe('');
    expect(toFailuresJson([], RESOLVE, 100)).toBe('');
  });
});
