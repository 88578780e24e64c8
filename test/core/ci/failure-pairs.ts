/** Two logs of a job, and what differs. */
export type Pair = readonly [what: string, left: string, right: string];

/** One line more at the end of a log whose test fails. */
function line(what: string, left: string, right: string): Pair {
  return [what, toLog({ more: left }), toLog({ more: right })];
}

/** One line more before the end of a log that speaks of no failure. */
function silent(what: string, left: string, right: string): Pair {
  const toText = (more: string): string => ['built a', more, 'the size is wrong'].join('\n');
  return [what, toText(left), toText(right)];
}

/** The log of a job with a failing test. */
export function toLog({
  time = '2026-01-02T03:04:0',
  took = '3.21',
  value = '2',
  at = '12',
  passed = '40',
  more = '',
}: Readonly<Record<string, string>>): string {
  const lines = [
    ...['##[group]Run npm test', 'npm test', '##[endgroup]', ` FAIL  test/cart.test.ts > total > adds (${took} s)`],
    ...[
      'AssertionError: expected 3 to be 4',
      `  Expected: ${value}`,
      '  Received: 3',
      `    at test/cart.test.ts:${at}:7`,
    ],
    ...[` Tests  1 failed | ${passed} passed (${passed})`, ` Duration  ${took}s`, more],
    '##[error]Process completed with exit code 1.',
  ];
  return lines.map((one, index) => `${time}${index % 10}.0000000Z ${one}`).join('\n');
}

/** The same failure. */
export const EQUAL: readonly Pair[] = [
  ['time of day', toLog({}), toLog({ time: '2026-03-04T13:14:1' })],
  ['durations', toLog({}), toLog({ took: '71.9' })],
  ['a line that a fix moved', toLog({}), toLog({ at: '97' })],
  ['passed tests', toLog({}), toLog({ passed: '41' })],
  line('instants', 'Error at 2026-01-02T03:04:05.678Z', 'Error at 2026-11-28T13:14:15Z'),
  line('instants with a zone', 'Error at 2026-01-02 03:04:05,678+01:00', 'Error at 2026-01-03 09:04'),
  line('clock times', '[03:04:05.1] Error', '[13:14:15] Error'),
  line('dates in words', 'fatal: since Fri Jan  2 03:04:05 2026', 'fatal: since Sat Nov 28 13:14:15 2026'),
  line('halves of the day', 'Error at 3:04:05 AM', 'Error at 4:05:06 PM'),
  line('seconds since 1970', 'Error at 1767323045', 'Error at 1795871655'),
  line('ids', 'Error of 0b7e4f1c-2d3a-4b5c-8d9e-0f1a2b3c4d5e', 'Error of 1b7e4f1c-2d3a-4b5c-8d9e-0f1a2b3c4d5f'),
  line('addresses', 'panic: 0xc000123456', 'panic: 0xc000999999'),
  line('identity hashes', 'AssertionError: got Cart@1a2b3c', 'AssertionError: got Cart@77665544'),
  line('hashes', 'Error in commit 4ec46eb', 'Error in commit 364076f1a'),
  line('hashes of digits', 'Error in commit 1234567', 'Error in commit 76543210'),
  line('temporary folders', 'Error: /tmp/build-1/x is missing', 'Error: /tmp/build-22/x is missing'),
  line('temporary names', 'Error: /tmp/tmpa1b2c3/x is missing', 'Error: /tmp/tmpz9y8x7/x is missing'),
  line('temporary folders of macOS', 'Error: no /var/folders/q1/x', 'Error: no /var/folders/z9/x'),
  line(
    'temporary folders of Windows',
    'Error: C:\\Users\\me\\AppData\\Local\\Temp\\x1\\a',
    'Error: C:\\Users\\me\\AppData\\Local\\Temp\\y2\\a',
  ),
  line('temporary folders of runners', 'Error: /home/runner/work/_temp/1a.sh', 'Error: /home/runner/work/_temp/2b.sh'),
  line('temporary folders of runners on Windows', 'Error: D:\\a\\_temp\\1a.ps1', 'Error: D:\\a\\_temp\\2b.ps1'),
  line('places of compilers', 'src/a.ts(12,5): error TS1: no', 'src/a.ts(14,7): error TS1: no'),
  line('places of Python', 'File "a.py", line 12, error', 'File "a.py", line 140, error'),
  line('ports', 'Error: connect localhost:54321', 'Error: connect localhost:40001'),
  line('ports of IPv6', 'Error: connect ::1:54321', 'Error: connect ::1:40001'),
  line('IP addresses', 'E: Failed to fetch a [IP: 1.2.3.4 80]', 'E: Failed to fetch a [IP: 11.22.33.44 80]'),
  line('process ids', 'Error: process 4821 failed', 'Error: process 77 failed'),
  line('process ids in brackets', '[4821] failed', '[77] failed'),
  line(
    'process ids of sanitizers',
    '==4821==ERROR: AddressSanitizer: overflow',
    '==77==ERROR: AddressSanitizer: overflow',
  ),
  line('workers', '[gw0] FAILED tests/test_a.py::test_b', '[gw3] FAILED tests/test_a.py::test_b'),
  line('goroutines', 'goroutine 7 [running]:', 'goroutine 41 [running]:'),
  line('thread ids', "thread 'a' (412) panicked at src/a.rs:3:5:", "thread 'a' (98) panicked at src/a.rs:9:1:"),
  line('seeds', 'Error: failed with seed 41232', 'Error: failed with seed 9'),
  line('a number before a failure', 'Error: seed 12345 failed', 'Error: seed 9 failed'),
  line('seeds of arguments', 'failed with --randomly-seed=123', 'failed with --randomly-seed=98765'),
  line('minutes', 'Error: gave up after 1m23s', 'Error: gave up after 12m01s'),
  line('hours', 'Error: the run took 1h 2m', 'Error: the run took 2h 17m'),
  line('other parts of a duration', 'BUILD FAILED in 1m 3s', 'BUILD FAILED in 41s'),
  line('durations in words', 'Error after 3 seconds', 'Error after 14 seconds'),
  line('durations in milliseconds', '✗ adds (12 ms)', '✗ adds (7 ms)'),
  line('durations of a test', '--- FAIL: TestAdd (0.01s)', '--- FAIL: TestAdd (1.20s)'),
  line(
    'the summary of pytest',
    '=== 1 failed, 30 passed in 1.2s ===',
    '=== 1 failed, 31 passed in 75.0s (0:01:15) ===',
  ),
  line('percentages', 'Error: 71% of the disk is used', 'Error: 93% of the disk is used'),
  line(
    'runs of workflows',
    'Error: see https://x/actions/runs/1234/job/5',
    'Error: see https://x/actions/runs/98765/job/43',
  ),
  line(
    'the debug log of npm',
    'npm error see /x/_logs/2026-01-02T03_04_05_678Z-debug-0.log',
    'npm error see /x/_logs/2026-02-03T04_05_06_789Z-debug-0.log',
  ),
  line('databases of tests', 'Error: database "test_7" is gone', 'Error: database "test_31" is gone'),
  line('runners', 'Error: on GitHub Actions 3', 'Error: on GitHub Actions 1000'),
  line('dots of progress', 'Building.... failed', 'Building........ failed'),
  line('versions of paths', 'Error in /gems/rake-12.3.2/lib', 'Error in /gems/rake-13.0.1/lib'),
  line('what passed before', 'ok 3 - a\nok 4 - b\nError: no', 'ok 3 - a\nError: no'),
  line('order', 'Error: a\nError: b\nError: c', 'Error: c\nError: a\nError: b'),
  line('order beside what passed', 'Error: a\nok 1 - x\nError: b', 'ok 1 - x\nError: b\nError: a'),
  line('repetition', 'try 1: error\nError: gone', 'try 1: error\ntry 2: error\nError: gone'),
  line('our own marks', 'Error: a\n… 12 lines left out …', 'Error: a\n… 345 lines left out …'),
  line('the line of a file in words', 'error on line 8 of sass/footer.sass', 'error on line 9 of sass/footer.sass'),
  line('the line of a list', 'error: [L1950] 301 http://a.example/', 'error: [L1951] 301 http://a.example/'),
  line(
    'folders below those of macOS',
    'error: -o /var/folders/q1/x_9f/T/gomobile-work-12/a.a failed',
    'error: -o /var/folders/q1/x_9f/T/gomobile-work-34/a.a failed',
  ),
  line('what asks for a file', 'Error: https://x.example/a?X-Date=1a&b=2', 'Error: https://x.example/a?X-Date=2b&b=3'),
  line('speeds', 'Error: stopped at 17.5MB/s', 'Error: stopped at 23,1 KiB/s'),
  line('numbers with an exponent', 'Error: elapsed 1.69e-4', 'Error: elapsed 1.1e-5'),
  line('tests that were left out', 'Error: no\na > b failed SKIPPED', 'Error: no'),
  line('tries before the last one', 'Failed to restore a, retrying...\nError: no', 'Error: no'),
  silent('the progress of a download', ' 17%[==>  ] 1,024', ' 93%[=======>  ] 9,192'),
  silent('the progress of a list', `Checking: ${'✓'.repeat(25)}`, `Checking: ✓→${'✓'.repeat(25)}`),
  silent('the progress of gulp', "[03:04:05] Finished 'a' after 24 ms", "[03:04:06] Starting 'b'..."),
  silent('marks of runners', 'travis_time:end:1a:start=1,finish=2', 'travis_time:end:2b:start=3,finish=4'),
  silent(
    'frames in code of others',
    "/usr/lib/ruby/gems/rake-12.3.2/exe/rake:9:in `<main>'",
    "/usr/lib/ruby/gems/thor-1.3/bin/thor:27:in `load'",
  ),
  line('points of a list', '• sleeping 1s before the check of instance a', '• waiting for it'),
  line('white space', 'Error:\t no', 'Error: no  '),
];

/** Another failure. */
export const DIFFERENT: readonly Pair[] = [
  ['an expected value', toLog({}), toLog({ value: '5' })],
  line('a value that jest received', '  Received: 4', '  Received: 5'),
  line('a message', 'Error: a', 'Error: b'),
  line('a status', 'Error: expected 200, got 404', 'Error: expected 200, got 500'),
  line('a code', 'src/a.ts(3,5): error TS2322: no', 'src/a.ts(3,5): error TS2345: no'),
  line('a file', 'Error at a.ts:1', 'Error at b.ts:1'),
  line('a test', '--- FAIL: TestAdd (0.01s)', '--- FAIL: TestSub (0.01s)'),
  line('a count of failures', '1 failed', '2 failed'),
  line('a limit of time', 'Error: timeout after 5 ms', 'Error: timeout after 5000 ms'),
  line('milliseconds that something took on purpose', 'Error: fired after 20 ms', 'Error: fired after 2000 ms'),
  line('milliseconds in an assertion', 'AssertionError: waited 5 ms', 'AssertionError: waited 900 ms'),
  line('a hash in an assertion', 'Error: wrong digest deadbeef01', 'Error: wrong digest cafebabe02'),
  line('short hexadecimal numbers', 'AssertionError: 0x01 != 0x02', 'AssertionError: 0x01 != 0x03'),
  line('times in an assertion', 'AssertionError: "10:00:00" != "11:00:00"', 'AssertionError: "10:00:00" != "12:00:00"'),
  line('files of a temporary folder', 'Error: no /tmp/app/a.json', 'Error: no /tmp/app/b.json'),
  line('an entry of a list', 'error: line 3 of the schema is wrong', 'error: line 77 of the schema is wrong'),
  line('an exit code', 'Error: exit code 2', 'Error: exit code 3'),
  line('a failure of ginkgo', '• Failure [0.1 seconds] a adds', '• Failure [0.1 seconds] b adds'),
  line('the folder of an address', 'Error: https://x.example/a?b=2', 'Error: https://x.example/b?b=2'),
  line(
    'the question of an address in an assertion',
    'Error: expected https://x/?a=1',
    'Error: expected https://x/?a=2',
  ),
  silent('a frame of the project', "app/a.rb:9:in `load'", "app/b.rb:9:in `load'"),
  silent('what is no frame', 'gems/rake is gone', 'gems/thor is gone'),
  silent('what is no progress', 'a is left out', 'b is left out'),
  line('a word of hexadecimal letters', 'Error in facade', 'Error in decade'),
];
