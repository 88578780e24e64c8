import { type LabelledMessage, toMessages } from './message.ts';

/** Failures of code whose texts mention networks, timeouts and status codes, in the form of each tool. */
export const IN_THE_CODE: readonly LabelledMessage[] = toMessages('code', [
  [
    'vitest',
    ' FAIL  src/http.test.ts > request > gives up after ETIMEDOUT\nAssertionError: expected 1 to be 3 // Object.is equality\n\n- Expected\n+ Received',
  ],
  [
    'vitest',
    ' ✓ src/http.test.ts > reports ECONNRESET (4 ms)\n × src/title.test.ts > shows the title\n   → expected "a" to be "b"',
  ],
  [
    'jest',
    '  ● retry › repeats after a 503\n\n    expect(received).toEqual(expected)\n\n    Expected: "503 Service Unavailable"\n    Received: "500"',
  ],
  [
    'jest',
    '  ● socket › emits connection timed out\n\n    expect(jest.fn()).toHaveBeenCalledTimes(expected)\n\n    Expected number of calls: 1\n    Received number of calls: 0',
  ],
  [
    'mocha',
    '  1) fetcher\n       rejects with ENOTFOUND:\n\n      AssertionError: expected [Function] to throw\n      at Context.<anonymous> (test/fetcher.js:22:14)',
  ],
  [
    'node:test',
    "not ok 2 - maps 429 Too Many Requests\n  ---\n  error: 'Expected values to be strictly equal'\n  code: 'ERR_ASSERTION'\n  expected: 429\n  actual: 400",
  ],
  ['ava', '  ✖ retries › waits after a rate limit \n\n  Difference (- actual, + expected):\n\n  - 1\n  + 2'],
  [
    'go test',
    '--- FAIL: TestGateway (0.01s)\n    gateway_test.go:41: got 500, want 502 Bad Gateway\nFAIL\nFAIL\texample.org/gateway\t0.012s',
  ],
  ['go test', '--- FAIL: TestContext (0.00s)\n    ctx_test.go:18: err = context deadline exceeded; want <nil>\nFAIL'],
  ['go test', '--- FAIL: TestExit (0.02s)\n    exit_test.go:9: exit code 137; want 143'],
  ['go test', '--- FAIL: TestDial (0.00s)\n    dial_test.go:30: message "i/o timeout" lacks the host'],
  ['go build', './client.go:14:9: undefined: ECONNRESET\nFAIL\texample.org/client [build failed]'],
  ['go vet', './client.go:20:3: fmt.Errorf format %d has arg "connection refused" of wrong type string'],
  [
    'golangci-lint',
    'client.go:12:2: Error return value of `conn.Close` is not checked (errcheck)\n\tconn.Close() // connection reset by peer',
  ],
  [
    'testify',
    '    \tError Trace:\tclient_test.go:31\n    \tError:      \tNot equal: \n    \t            \texpected: "timed out"\n    \t            \tactual  : "timeout"\n    \tTest:       \tTestTimedOut',
  ],
  [
    'pytest',
    '>       assert response.status_code == 429\nE       assert 500 == 429\nE        +  where 500 = <Response [500]>.status_code\n\ntests/test_limits.py:12: AssertionError\nFAILED tests/test_limits.py::test_429_too_many_requests - assert 500 == 429',
  ],
  [
    'pytest',
    "E       Failed: DID NOT RAISE <class 'ConnectionResetError'>\nFAILED tests/test_socket.py::test_connection_reset_by_peer - Failed: DID NOT RAISE",
  ],
  ['pytest', "E   ModuleNotFoundError: No module named 'timeouts'\nERROR tests/test_read_timed_out.py"],
  [
    'unittest',
    "FAIL: test_no_space_left_on_device (tests.test_disk.DiskTest)\n----------------------------------------------------------------------\nAssertionError: 'ENOSPC' != 'EIO'",
  ],
  [
    'doctest',
    'File "docs/net.rst", line 12, in net.rst\nFailed example:\n    fetch("x")\nExpected:\n    connection timed out\nGot:\n    None',
  ],
  [
    'rspec',
    '  1) Client#get when the server answers 504 raises\n     Failure/Error: expect { client.get }.to raise_error(GatewayTimeout)\n       expected GatewayTimeout but nothing was raised\n     # ./spec/client_spec.rb:14',
  ],
  ['rspec', 'rspec ./spec/client_spec.rb:20 # Client retries when the connection was refused'],
  ['minitest', 'ClientTest#test_execution_expired [test/client_test.rb:9]:\nExpected: 3\n  Actual: 1'],
  [
    'junit',
    'org.opentest4j.AssertionFailedError: expected: <503> but was: <500>\n\tat org.example.ProxyTest.mapsServiceUnavailable(ProxyTest.java:33)',
  ],
  [
    'surefire',
    '[ERROR] Tests run: 8, Failures: 1, Errors: 0, Skipped: 0\n[ERROR]   ProxyTest.readTimedOut:40 expected:<true> but was:<false>',
  ],
  [
    'surefire',
    '[ERROR]   ClientTest.reset:18 » NullPointer connection reset was not handled\n[ERROR] There are test failures.',
  ],
  [
    'mockito',
    'Wanted but not invoked:\nhandler.onTimeout("Read timed out");\n-> at org.example.HandlerTest.timesOut(HandlerTest.java:22)\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0',
  ],
  [
    'gradle',
    'HttpTest > answers502() FAILED\n    org.junit.ComparisonFailure at HttpTest.java:19\n\n12 tests completed, 1 failed',
  ],
  [
    'javac',
    '[ERROR] /home/runner/work/a/a/src/main/java/Net.java:[9,20] cannot find symbol\n[ERROR]   symbol:   variable CONNECTION_RESET',
  ],
  ['kotlinc', "e: file:///home/runner/work/a/a/src/Net.kt:8:13 Unresolved reference 'ETIMEDOUT'."],
  [
    'scalac',
    '[error] /home/runner/work/a/a/Net.scala:7:11: value connectionRefused is not a member of Net\n[error] one error found',
  ],
  [
    'cargo test',
    'thread \'net::connection_timed_out\' panicked at src/net.rs:44:9:\nassertion `left == right` failed\n  left: "timeout"\n right: "timed out"\ntest net::connection_timed_out ... FAILED',
  ],
  ['cargo test', 'failures:\n    dns::could_not_resolve_host\n\ntest result: FAILED. 11 passed; 1 failed; 0 ignored'],
  ['rustc', 'error[E0433]: failed to resolve: use of undeclared type `ConnectionReset`\n --> src/net.rs:12:9'],
  [
    'clippy',
    'error: this `if` has identical blocks\n  --> src/retry.rs:8:5\n   |\n 8 |     if code == 503 { "service unavailable" }',
  ],
  [
    'phpunit',
    '1) App\\Tests\\ClientTest::testTooManyRequests\nFailed asserting that 500 is identical to 429.\n\n/app/tests/ClientTest.php:31',
  ],
  [
    'phpstan',
    ' ------ --------------------------------------------------\n  Line   src/Client.php\n ------ --------------------------------------------------\n  12     Constant ECONNREFUSED not found.',
  ],
  [
    'eslint',
    "/home/runner/work/a/a/src/net.js\n  4:9  error  'ETIMEDOUT' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
  ],
  [
    'biome',
    'src/net.ts:3:7 lint/correctness/noUnusedVariables ━━━━━━━━\n\n  × This variable connectionTimedOut is unused.',
  ],
  [
    'tsc',
    "src/net.ts(11,3): error TS2345: Argument of type '\"ECONNRESET\"' is not assignable to parameter of type 'Code'.",
  ],
  [
    'prettier',
    '[warn] docs/503-service-unavailable.md\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.',
  ],
  ['gcc', 'src/net.c:31:12: error: ‘ECONNABORTED’ undeclared (first use in this function)'],
  [
    'ld',
    "/usr/bin/ld: net.o: in function `on_timeout':\nnet.c:(.text+0x1c): undefined reference to `operation_timed_out'\ncollect2: error: ld returned 1 exit status",
  ],
  ['msbuild', "Net.cs(14,21): error CS0117: 'SocketError' does not contain a definition for 'ConnectionTimedOut'"],
  [
    'xunit',
    '  Failed Tests.Proxy.Answers_503 [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 503\nActual:   200',
  ],
  ['ruff', 'net.py:2:8: F401 `socket.timeout` imported but unused\nFound 1 error.'],
  [
    'mypy',
    'net.py:8: error: Module "errno" has no attribute "ETIMEOUT"  [attr-defined]\nFound 1 error in 1 file (checked 4 source files)',
  ],
  ['flake8', "net.py:20:80: E501 line too long (93 > 79 characters)\n    raise Retry('connection reset by peer')"],
  [
    'rubocop',
    'lib/net.rb:12:7: C: Style/StringLiterals: Prefer single-quoted strings.\n      "execution expired"\n\n9 files inspected, 1 offense detected',
  ],
  [
    'elixir',
    '  1) test answers 504 (ProxyTest)\n     test/proxy_test.exs:12\n     Assertion with == failed\n     left:  500\n     right: 504',
  ],
  [
    'bats',
    'not ok 7 says "connection refused" when nobody listens\n# (in test file test/net.bats, line 14)\n#   `assert_output --partial "refused"\' failed',
  ],
  [
    'gtest',
    'net_test.cc:22: Failure\nExpected equality of these values:\n  Code(err)\n    Which is: 0\n  ETIMEDOUT\n[  FAILED  ] Net.TimesOut (0 ms)',
  ],
  [
    'xctest',
    '/a/NetTests.swift:20: error: -[AppTests.NetTests testTimedOut] : XCTAssertEqual failed: ("timeout") is not equal to ("timed out")',
  ],
  [
    'coverage',
    ' ✓ test/retry.test.ts (9 tests) ECONNREFUSED is retried\nERROR: Coverage for branches (88.2%) does not meet global threshold (90%)',
  ],
  ['dart', '00:02 +4 -1: client reports a timeout [E]\n  Expected: <TimeoutException>\n    Actual: <null>'],
  [
    'terraform',
    'Error: Invalid value for variable\n\n  on main.tf line 4:\n   4:   timeout = "30"\n\nThe operation timed out message must be set.',
  ],
  ['haskell', 'src/Net.hs:12:5: error:\n    Variable not in scope: connectionTimedOut :: Error'],
  ['make', 'docs/errors.md does not list 502 Bad Gateway\nmake: *** [Makefile:12: docs-check] Error 1'],
]);
