/** What test runners print of a test that failed: one message for each sign, in the order of the signs. */
export const FAILING_TESTS: readonly string[] = [
  // vitest, jest, mocha, jasmine, node:test, TAP, bats, deno
  ...[
    'FAIL  src/cart.test.ts',
    '● cart › adds',
    '✖ adds two',
    '1) adds two',
    'Cart › 2) adds two',
    '2 failing',
    'not ok 3 - adds',
  ],
  ...[
    '# fail 2',
    'Tests:       2 failed, 3 total',
    'Test Suites: 1 failed, 1 total',
    'Failed Tests 2',
    '⎯⎯⎯⎯ Failed Suites 1',
  ],
  // go, ginkgo
  ...[
    '--- FAIL: TestAdds (0.00s)',
    'FAIL\tacme.test/cart\t0.01s',
    'FAIL',
    '• Failure [0.1 seconds]',
    '•! Panic in Spec Setup',
  ],
  ...['• [FAILED] [0.1 seconds]', '[Fail] Cart [It] adds', 'Summarizing 2 Failures:'],
  // pytest, unittest, nose, tox
  ...[
    '[gw1] [ 50%] FAILED tests/test_a.py',
    'ERROR tests/test_a.py::test_adds',
    'tests/test_a.py::test_adds FAILED [ 50%]',
  ],
  ...['E   assert 1', '=== 2 failed, 3 passed in 1.2s ===', 'FAIL: test_adds (tests.Cart)', 'FAILED (failures=1)'],
  // rspec, minitest, test-unit, cucumber
  ...[
    'rspec ./spec/cart_spec.rb:3 # adds',
    '12 examples, 2 failures',
    'Failure/Error: total',
    '3 runs, 4 assertions, 1 failures',
  ],
  ...['3 runs, 4 assertions, 0 failures, 1 errors', '2 scenarios (1 failed, 1 passed)'],
  // surefire, gradle, testng, scalatest, specs2, sbt, clojure
  ...[
    'Failed tests:   adds(com.acme.Cart)',
    'Tests in error:',
    'CartTest > adds FAILED',
    '5 tests completed, 1 failed',
  ],
  ...[
    'Failed: Total 3, Failed 1, Errors 0',
    'FAIL in (adds) (cart.clj:3)',
    'There were test failures',
    'There was 1 failure:',
  ],
  ...['[x] adds two', 'x adds two [12 ms]'],
  // cargo, nextest
  ...['test cart::adds ... FAILED', 'test result: FAILED. 1 passed', "thread 'a' panicked at src/cart.rs:3:5:"],
  'FAIL [   0.012s] shop cart::adds',
  // phpunit, codeception, behat, pest
  ...['FAILURES!', 'ERRORS!', 'Failed asserting that false is true.', 'Tests: 3, Assertions: 4, Failures: 1.'],
  // dotnet
  ...[
    'Failed!  - Failed:     1, Passed:     2',
    'Failed Acme.Cart.Adds [12 ms]',
    'Total tests: 3. Passed: 2. Failed: 1.',
  ],
  // elixir, erlang, haskell, elm, R, lua, julia, dart
  ...[
    '3 doctests, 4 tests, 1 failure',
    '5 successes / 1 failure / 0 errors : 1 second',
    'Failed: 2.  Skipped: 0',
    '%%% cart_SUITE ==> adds: FAILED',
  ],
  ...[
    'Failed 2 of 30 tests',
    'Examples: 3  Tried: 3  Errors: 0  Failures: 1',
    '── Failure (test-cart.R:3): adds',
    'ERROR: Test failures',
  ],
  ...[
    'Test Summary: | Pass  Fail  Total',
    'Some tests failed.',
    '1 of 3 test suites failed',
    'Test suite shop-test: FAIL',
  ],
  // gtest, ctest, catch2, boost, qt, automake, prove, xctest, cypress, karma
  ...[
    '[  FAILED  ] Cart.Adds (0 ms)',
    '67% tests passed, 1 tests failed out of 3',
    'test cases: 3 | 2 passed | 1 failed',
  ],
  ...[
    '*** 2 failures are detected in the test module',
    'FAIL!  : Cart::adds() Compared values',
    'Totals: 2 passed, 1 failed',
  ],
  ...['# FAIL:  1', 'FAIL: cart_test', 'Result: FAIL', 'Failed test at t/cart.t line 3', 'Failed 1/3 subtests'],
  ...["Test Case '-[Cart adds]' failed (0.1 seconds).", 'Executed 3 tests, with 1 failure', '12 failed'],
  // anywhere
  ...[
    'com.acme: Tests run: 3, Failures: 1',
    'adds(com.acme.Cart)  <<< ERROR!',
    '1/1 Test #1: cart ....***Failed    0.01 sec',
    'a *** FAILED ***',
  ],
  ...[
    'in all 2 tests failed',
    'cart.adds [FAIL]',
    'cart adds [E]',
    'Chrome: Executed 3 of 3 (1 FAILED)',
    'Chrome: Executed 9 of 9 9 FAILED',
  ],
];

/** What compilers, linters and assertions print: one message for each sign, in the order of the signs. */
export const WRONG_CODE: readonly string[] = [
  // places
  ...[
    'src/a.ts:3:5 - wrong',
    'e: file://src/a.kt:3:5 wrong',
    'src/A.java:[3,5] wrong',
    'src/a.cs(3,5): wrong',
    'src/a.c:3: error: wrong',
  ],
  ...[
    'src/a.py:3: E501 wrong',
    'error[E0382]: wrong',
    '--> src/a.rs:3:5',
    '3:5  error  wrong',
    '✖ 3 problems',
    '2 problems (1 error)',
  ],
  ...[
    'Found 3 violations',
    'Undefined symbols for architecture x',
    'ld: symbol(s) not here',
    'duplicate symbol _a',
    'could not compile `shop`',
  ],
  ...[
    'error: aborting due to 2 previous',
    'Compilation failed',
    "Execution failed for task ':app:lintDebug'.",
    'Failed to compile.',
    '[Build failed]',
  ],
  ...[
    '2 errors generated.',
    '3 errors',
    'error: cannot find macro `a`',
    'error: class A is public',
    'You have 3 Checkstyle violations',
  ],
  ...[
    'PMD failure: a',
    'would reformat a.py',
    '2 files would be reformatted',
    'error: src/a.kt failed the lint',
    'Unused files (3)',
  ],
  ...['FAIL Required test coverage of 90%', 'In a.sh line 3:', 'PHP Parse error: a on line 3'],
  // anywhere
  ...[
    'cc a.c:3: error',
    'x error CS0103 y',
    'x undefined reference to `y`',
    'x cannot find symbol',
    'e Unresolved reference: a',
    './a: undefined: b',
  ],
  ...[
    'a not found: value b',
    'a compilation failure b',
    "x cannot find module 'y'",
    'x no module named y',
    'x cannot import name y',
    'a Module not found: Error b',
  ],
  ...[
    '3 files inspected, 2 offenses detected',
    'in all 3 checkstyle errors',
    'a code style issues b',
    'x formatting differs',
    'a line too long',
  ],
  'total coverage 80 is below 90',
  // exceptions
  ...[
    'Expected: 3',
    '+ received : 3',
    'e  got: 3',
    'Wanted but not invoked:',
    'Expecting:',
    'Which is: 3',
    'java.lang.NullPointerException',
    'TypeError: a',
  ],
  ...['2 snapshots obsolete', 'obsolete snapshot', '› 2 snapshots failed'],
  // anywhere
  ...[
    'x AssertionError',
    'the assertion failed',
    'x assertion with',
    'x assertion `left`',
    'x expected 3 but y',
    'x want 3, got 4',
    'x got 3, want 4',
  ],
  ...[
    'a runtime error: b',
    'a Segmentation fault b',
    'x AddressSanitizer: y',
    'x undefined method y',
    'x uninitialized constant Y',
    'x DID NOT RAISE y',
  ],
  ...['x is not a function', 'x 2 snapshots mismatch'],
];
