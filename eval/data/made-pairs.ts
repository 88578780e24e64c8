/** Two logs of one job. */
export interface MadePair {
  /** What differs between them. */
  readonly what: string;
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly isSame: boolean;
}

interface Run {
  readonly started?: string;
  readonly seconds?: string;
  readonly line?: number;
  readonly passed?: number;
  readonly expected?: number;
  readonly received?: number;
  readonly more?: readonly string[];
}

/** The log of a job whose tests fail; what is not given stays the same. */
function toRun(run: Run): readonly string[] {
  const {
    started = '2026-04-01T09:00:00',
    seconds = '0.8',
    line = 12,
    passed = 40,
    expected = 200,
    received = 500,
  } = run;
  const lines = [
    '##[group]Run npm test',
    'npm test',
    '##[endgroup]',
    `FAIL test/server.test.js (${seconds} s)`,
    '  ● server › answers the ping',
    '    expect(received).toBe(expected) // Object.is equality',
    `    Expected: ${expected}`,
    `    Received: ${received}`,
    `      at Object.<anonymous> (test/server.test.js:${line}:22)`,
    `Tests:       1 failed, ${passed} passed, ${passed + 1} total`,
    `Time:        ${seconds} s`,
    ...(run.more ?? []),
    '##[error]Process completed with exit code 1.',
  ];
  return lines.map((text, index) => `${started}.${String(index).padStart(7, '0')}Z ${text}`);
}

type Texts = readonly string[];
type Row = readonly [what: string, left: string | Texts, right: string | Texts];

function toPairs(rows: readonly Row[], isSame: boolean): readonly MadePair[] {
  const toLines = (text: string | Texts): Texts => (typeof text === 'string' ? [text] : text);
  return rows.map(([what, left, right]) => ({
    ...{ what, isSame },
    left: toRun({ more: toLines(left) }),
    right: toRun({ more: toLines(right) }),
  }));
}

const RUNS: readonly MadePair[] = [
  { what: 'time of the run', left: toRun({}), right: toRun({ started: '2026-05-17T21:43:12' }), isSame: true },
  { what: 'duration of the tests', left: toRun({}), right: toRun({ seconds: '31.07' }), isSame: true },
  { what: 'place moved by a change above it', left: toRun({}), right: toRun({ line: 19 }), isSame: true },
  { what: 'number of passed tests', left: toRun({}), right: toRun({ passed: 43 }), isSame: true },
  { what: 'received value', left: toRun({}), right: toRun({ received: 404 }), isSame: false },
  { what: 'expected value', left: toRun({}), right: toRun({ expected: 204 }), isSame: false },
];

/** What changes from run to run of the same failure. */
const SAME = toPairs(
  [
    [
      'port of an IPv4 address',
      'Error: connect ECONNREFUSED 127.0.0.1:40112',
      'Error: connect ECONNREFUSED 127.0.0.1:51873',
    ],
    [
      'port of an IPv6 address',
      'Error: listen EADDRINUSE: address already in use ::1:40112',
      'Error: listen EADDRINUSE: address already in use ::1:51873',
    ],
    ['port in words', 'Error: nothing answered at port 40112', 'Error: nothing answered at port 51873'],
    ['process id in words', 'Error: child process 7741 failed to stop', 'Error: child process 8810 failed to stop'],
    ['process id in brackets', '[7741] error: worker died', '[8810] error: worker died'],
    [
      'worker of pytest-xdist',
      '[gw1] [ 12%] FAILED tests/test_a.py::test_b',
      '[gw2] [ 47%] FAILED tests/test_a.py::test_b',
    ],
    ['folder below /tmp', 'Error: cannot read /tmp/build-x81jd/out.txt', 'Error: cannot read /tmp/build-p02mz/out.txt'],
    [
      'temporary folder of the runner',
      'Error: /home/runner/work/_temp/0f8a77b2-11aa.sh failed',
      'Error: /home/runner/work/_temp/93cc10de-55bb.sh failed',
    ],
    [
      'temporary folder of Windows',
      'Error: cannot read C:\\Users\\runneradmin\\AppData\\Local\\Temp\\a81\\out.txt',
      'Error: cannot read C:\\Users\\runneradmin\\AppData\\Local\\Temp\\q47\\out.txt',
    ],
    [
      'temporary folder of a Windows runner',
      'Error: D:\\a\\_temp\\0f8a.ps1 failed',
      'Error: D:\\a\\_temp\\93cc.ps1 failed',
    ],
    [
      'address of an object',
      'Error: <app.Server object at 0x7fa10c2b4e80> failed',
      'Error: <app.Server object at 0x7f0b99d01a30> failed',
    ],
    [
      'identity hash of Java',
      'java.lang.IllegalStateException: Server@6f1a9c2e failed',
      'java.lang.IllegalStateException: Server@19d0e7b3 failed',
    ],
    [
      'identity hash of digits alone',
      'java.lang.IllegalStateException: Server@61234567 failed',
      'java.lang.IllegalStateException: Server@90817263 failed',
    ],
    ['seed of RSpec', 'Randomized with seed 40112, 1 failure', 'Randomized with seed 9, 1 failure'],
    ['seed of pytest-randomly', 'Using --randomly-seed=401123 (1 failed)', 'Using --randomly-seed=77 (1 failed)'],
    [
      'UUID',
      'Error: request 2a6f1c70-8b1e-4f7a-9d51-0c2f4be1a001 failed',
      'Error: request 7be90d14-55f2-4c0b-8a3e-9e1d20c7b112 failed',
    ],
    ['commit', 'fatal: error at commit 7d3f0a91b2', 'fatal: error at commit c40be8812f'],
    ['commit of digits alone', 'fatal: error at commit 7130912345', 'fatal: error at commit 8820471609'],
    ['date in words', 'error: stopped at Wed Apr  1 09:00:00 2026', 'error: stopped at Sun May 17 21:43:12 2026'],
    ['milliseconds since 1970', 'error: run 1775034000123 failed', 'error: run 1779054192456 failed'],
    ['duration in minutes', 'error: gave up after 2m31s', 'error: gave up after 1m08s'],
    ['duration in hours', 'error: the run took 1h 12m', 'error: the run took 2h 3m'],
    ['duration of Gradle', 'BUILD FAILED in 1m 12s', 'BUILD FAILED in 48s'],
    ['duration of a Go test', '--- FAIL: TestServe (0.02s)', '--- FAIL: TestServe (1.10s)'],
    [
      'duration of Surefire',
      '[ERROR] Tests run: 9, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.31 s <<< FAILURE!',
      '[ERROR] Tests run: 9, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 4.07 s <<< FAILURE!',
    ],
    ['duration of pytest', '=== 2 failed, 51 passed in 3.20s ===', '=== 2 failed, 51 passed in 71.94s (0:01:11) ==='],
    [
      'link to the run',
      'Error: see https://github.com/o/r/actions/runs/4011223344/job/1',
      'Error: see https://github.com/o/r/actions/runs/9988776655/job/2',
    ],
    ['share of the disk', 'error: 71% of the disk is used', 'error: 78% of the disk is used'],
    ['goroutine', 'goroutine 19 [running]: fatal error', 'goroutine 87 [running]: fatal error'],
    [
      'address in a Go stack',
      ['panic: closed', 'main.serve(0xc00010e0a0)'],
      ['panic: closed', 'main.serve(0xc0002b41e0)'],
    ],
    [
      'thread of a Rust test',
      "thread 'serves' (4711) panicked at src/lib.rs:9:5:",
      "thread 'serves' (9812) panicked at src/lib.rs:14:5:",
    ],
    [
      'process of a sanitizer',
      '==7741==ERROR: LeakSanitizer: detected memory leaks',
      '==8810==ERROR: LeakSanitizer: detected memory leaks',
    ],
    [
      'order of two failures',
      ['error: left failed', 'error: right failed'],
      ['error: right failed', 'error: left failed'],
    ],
    [
      'order, with a passing line between',
      ['error: left failed', 'ok 3', 'error: right failed'],
      ['ok 3', 'error: right failed', 'error: left failed'],
    ],
    [
      'one more retry',
      ['attempt 1 of 3: error', 'error: gave up'],
      ['attempt 1 of 3: error', 'attempt 2 of 3: error', 'error: gave up'],
    ],
    [
      "npm's log file",
      'npm error A complete log of this run can be found in: /home/runner/.npm/_logs/2026-04-01T09_00_00_101Z-debug-0.log',
      'npm error A complete log of this run can be found in: /home/runner/.npm/_logs/2026-05-17T21_43_12_902Z-debug-0.log',
    ],
    [
      'number of a test database',
      'error: database "app_test_3" is missing',
      'error: database "app_test_11" is missing',
    ],
    ['number of the runner', 'error: on runner GitHub Actions 4', 'error: on runner GitHub Actions 31'],
  ],
  true,
);

const MANY = Array.from(
  { length: 260 },
  (_, index) => `error: case-${String.fromCodePoint(97 + (index % 26))}${Math.floor(index / 26)} failed`,
);

/** What makes another failure. */
const DIFFERENT = toPairs(
  [
    ['name', 'error: alpha failed', 'error: beta failed'],
    ['status code', 'Error: expected 200, got 404', 'Error: expected 200, got 500'],
    ['Go test', '--- FAIL: TestServe (0.02s)', '--- FAIL: TestClose (0.02s)'],
    [
      'code of the compiler',
      'src/a.ts(9,1): error TS2304: Cannot find it.',
      'src/a.ts(9,1): error TS2552: Cannot find it.',
    ],
    ['file', 'src/a.ts(9,1): error TS2304: Cannot find it.', 'src/b.ts(9,1): error TS2304: Cannot find it.'],
    [
      'a value that looks like a duration',
      'Error: the timer fired after 20 ms',
      'Error: the timer fired after 2000 ms',
    ],
    [
      'asserted milliseconds',
      'AssertionError: expected 50 ms, got 75 ms',
      'AssertionError: expected 50 ms, got 700 ms',
    ],
    [
      'asserted hash',
      'AssertionError: digest is abcdef0123, not 0123abcdef',
      'AssertionError: digest is abcdef9876, not 0123abcdef',
    ],
    ['asserted address', 'AssertionError: 0x10 != 0x20', 'AssertionError: 0x10 != 0x30'],
    ['asserted time', 'AssertionError: "08:15:00" != "09:15:00"', 'AssertionError: "08:15:00" != "10:45:00"'],
    ['file below /tmp', 'Error: cannot read /tmp/app/users.json', 'Error: cannot read /tmp/app/roles.json'],
    ['entry of a list', 'error: line 4 of the schema is not valid', 'error: line 92 of the schema is not valid'],
    ['the last of many failures', [...MANY, 'error: zeta one failed'], [...MANY, 'error: zeta two failed']],
  ],
  false,
);

/** Pairs that were made by hand: one difference each. */
export const MADE_PAIRS: readonly MadePair[] = [...RUNS, ...SAME, ...DIFFERENT];
