import { describe, expect, it } from 'vitest';
import { isFailureLine, recogniseLine } from '../../../src/core/evidence/recognise-line.ts';

type Expected = Partial<NonNullable<ReturnType<typeof recogniseLine>>>;

describe('recogniseLine', () => {
  it.each<readonly [string, string, Expected]>([
    [
      'surefire',
      'testAdd(com.acme.SumTest)  Time elapsed: 0.01 sec  <<< FAILURE!',
      { testId: 'testAdd(com.acme.SumTest)' },
    ],
    [
      'surefire',
      '[ERROR] com.acme.SumTest.adds  Time elapsed: 0.01 s  <<< ERROR!',
      { testId: 'com.acme.SumTest.adds' },
    ],
    [
      'surefire',
      '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in com.acme.SumTest',
      { testId: 'com.acme.SumTest' },
    ],
    [
      'surefire',
      '[ERROR]   SumTest.adds:12 expected:<3> but was:<4>',
      { testId: 'SumTest.adds', line: 12, message: 'expected:<3> but was:<4>' },
    ],
    [
      'surefire',
      '  SumTest>BaseTest.adds:7->check:9 » NullPointer',
      { testId: 'SumTest>BaseTest.adds', message: '» NullPointer' },
    ],
    ['surefire', '  adds(com.acme.SumTest): expected:<3> but was:<4>', { testId: 'adds(com.acme.SumTest)' }],
    ['ant', '    [junit] Test com.acme.SumTest FAILED', { tool: 'junit', testId: 'com.acme.SumTest' }],
    ['gradle', 'com.acme.SumTest > adds FAILED', { tool: 'gradle', testId: 'com.acme.SumTest > adds' }],
    ['testng', 'FAILED: addsNumbers', { tool: 'testng', testId: 'addsNumbers' }],
    [
      'pytest',
      'FAILED tests/test_sum.py::test_adds[1-2] - assert 3 == 4',
      { tool: 'pytest', path: 'tests/test_sum.py', testId: 'test_adds[1-2]', message: 'assert 3 == 4' },
    ],
    [
      'pytest',
      'tests/test_sum.py::TestSum::test_adds FAILED   [ 50%]',
      { path: 'tests/test_sum.py', testId: 'TestSum::test_adds' },
    ],
    ['pytest', '[gw1] [ 50%] FAILED tests/test_sum.py::test_adds ', { path: 'tests/test_sum.py', testId: 'test_adds' }],
    ['pytest', '________________ TestSum.test_adds ________________', { testId: 'TestSum.test_adds' }],
    [
      'unittest',
      'FAIL: test_adds (tests.test_sum.TestSum)',
      { tool: 'unittest', testId: 'test_adds (tests.test_sum.TestSum)' },
    ],
    ['unittest', 'test_adds (tests.test_sum.TestSum) ... ERROR', { testId: 'test_adds (tests.test_sum.TestSum)' }],
    ['go', '    --- FAIL: TestSum/small (0.00s)', { tool: 'go', testId: 'TestSum/small' }],
    ['go', 'FAIL\tacme.test/sum\t0.012s', { tool: 'go', testId: 'acme.test/sum' }],
    ['go', 'FAIL\tacme.test/sum [build failed]', { testId: 'acme.test/sum', message: '[build failed]' }],
    ['ginkgo', '[Fail] Sum [It] adds', { tool: 'go', testId: 'Sum [It] adds' }],
    ['cargo', 'test sum::tests::adds ... FAILED', { tool: 'cargo', testId: 'sum::tests::adds' }],
    ['cargo', '---- sum::tests::adds stdout ----', { testId: 'sum::tests::adds' }],
    ['nextest', '        FAIL [   0.005s] acme::sum adds', { tool: 'cargo', testId: 'acme::sum adds' }],
    ['jest', '  ● sum › adds two numbers', { tool: 'jest', testId: 'sum › adds two numbers' }],
    ['jest', 'FAIL src/sum.test.ts', { tool: 'jest', path: 'src/sum.test.ts' }],
    ['vitest', ' FAIL  test/sum.test.ts > sum > adds', { path: 'test/sum.test.ts', testId: 'sum > adds' }],
    ['vitest', '   × sum > adds 5ms', { testId: 'sum > adds' }],
    ['vitest without a time', '   × sum > adds', { testId: 'sum > adds' }],
    ['node:test', '  ✖ adds (274.623115ms)', { testId: 'adds' }],
    ['jest', '    ✕ adds (5 ms)', { testId: 'adds' }],
    ['a name with a time of its own', '  ✖ waits (5 ms) at least (274.623115ms)', { testId: 'waits (5 ms) at least' }],
    ['ava', '  ✖ sum › adds Rejected promise', { testId: 'sum › adds Rejected promise' }],
    ['mocha', '  1) sum adds two numbers:', { testId: 'sum adds two numbers:' }],
    ['tap', 'not ok 3 - adds two numbers', { tool: 'tap', testId: 'adds two numbers' }],
    ['bats', 'not ok 12 prints usage', { tool: 'tap', testId: 'prints usage' }],
    [
      'rspec',
      'rspec ./spec/sum_spec.rb:12 # Sum adds',
      { tool: 'rspec', path: 'spec/sum_spec.rb', line: 12, testId: 'Sum adds' },
    ],
    ['rspec', "rspec './spec/sum_spec.rb[1:2]' # Sum adds", { tool: 'rspec', testId: 'Sum adds' }],
    ['rspec', '  adds two numbers (FAILED - 1)', { testId: 'adds two numbers' }],
    ['cucumber', 'cucumber features/sum.feature:7 # Scenario: adds', { path: 'features/sum.feature', line: 7 }],
    [
      'minitest',
      'SumTest#test_adds [test/sum_test.rb:9]:',
      { testId: 'SumTest#test_adds', path: 'test/sum_test.rb', line: 9 },
    ],
    ['minitest', ' FAIL["test_adds", SumTest, 0.01]', { testId: 'test_adds' }],
    ['minitest', 'rails test test/sum_test.rb:9', { path: 'test/sum_test.rb', line: 9 }],
    ['phpunit', '1) Acme\\SumTest::testAdds', { tool: 'phpunit', testId: 'Acme\\SumTest::testAdds' }],
    ['xunit', '    Acme.SumTests.Adds(a: 1) [FAIL]', { tool: 'dotnet', testId: 'Acme.SumTests.Adds(a: 1)' }],
    ['dotnet', '  Failed Acme.SumTests.Adds [5 ms]', { tool: 'dotnet', testId: 'Acme.SumTests.Adds' }],
    ['nunit', '1) Failed : Acme.SumTests.Adds', { tool: 'nunit', testId: 'Acme.SumTests.Adds' }],
    ['ctest', ' 3/10 Test  #3: sum_adds ............***Failed    0.01 sec', { tool: 'ctest', testId: 'sum_adds' }],
    ['ctest', '\t  3 - sum_adds (SEGFAULT)', { tool: 'ctest', testId: 'sum_adds', message: 'SEGFAULT' }],
    ['gtest', '[  FAILED  ] SumTest.Adds (0 ms)', { tool: 'gtest', testId: 'SumTest.Adds' }],
    ['gtest', 'test/sum_test.cc:12: Failure', { tool: 'gtest', path: 'test/sum_test.cc', line: 12 }],
    ['catch2', 'test/sum.cpp:12: FAILED:', { tool: 'catch2', path: 'test/sum.cpp', line: 12 }],
    [
      'exunit',
      '  1) test adds two numbers (Acme.SumTest)',
      { tool: 'exunit', testId: 'test adds two numbers (Acme.SumTest)' },
    ],
    ['hspec', '  adds two numbers FAILED [1]', { tool: 'hspec', testId: 'adds two numbers' }],
    ['tasty', '    adds two numbers:   FAIL (0.01s)', { tool: 'hspec', testId: 'adds two numbers' }],
    ['scalatest', '[info] - should add *** FAILED ***', { tool: 'scalatest', testId: 'should add' }],
    ['munit', '==> X acme.SumSuite.adds  0.01s', { tool: 'scalatest' }],
    ['sbt', '[error] \tacme.SumSpec', { tool: 'scalatest', testId: 'acme.SumSpec' }],
    ['prove', "#   Failed test 'adds two numbers'", { tool: 'prove' }],
    ['prove', 't/sum.t .. Failed 1/3 subtests ', { tool: 'prove', path: 't/sum.t' }],
    ['clojure', 'FAIL in (adds-test) (sum_test.clj:7)', { testId: 'adds-test', path: 'sum_test.clj', line: 7 }],
    ['julia', 'sum: Test Failed at /app/test/sum.jl:3', { testId: 'sum', path: '/app/test/sum.jl', line: 3 }],
    ['busted', 'Failure → spec/sum_spec.lua @ 12', { tool: 'busted', path: 'spec/sum_spec.lua', line: 12 }],
    ['testthat', '── Failure (test-sum.R:12:3): adds ──', { tool: 'testthat', path: 'test-sum.R', line: 12 }],
    ['dart', '00:01 +3 -1: sum adds [E]', { tool: 'dart', testId: 'sum adds' }],
    ['xctest', "Test Case '-[SumTests testAdds]' failed (0.1 seconds).", { testId: '-[SumTests testAdds]' }],
    ['crystal', 'crystal spec spec/sum_spec.cr:3 # Sum adds', { path: 'spec/sum_spec.cr', testId: 'Sum adds' }],
    ['karma', 'HeadlessChrome 120.0 (Linux 0.0.0) sum adds FAILED', { tool: 'karma', testId: 'sum adds' }],
    ['bazel', '//sum:sum_test   FAILED in 0.5s', { tool: 'bazel', testId: '//sum:sum_test' }],
    ['anything', '* testing adds.... FAILED', { testId: '* testing adds' }],
  ])('knows a failed test of %s: %s', (_tool, line, expected) => {
    expect(recogniseLine(line)).toMatchObject({ kind: 'test', ...expected });
  });

  it.each<readonly [string, string, Expected]>([
    [
      'tsc',
      "src/a.ts(3,5): error TS2322: Type 'x'",
      { tool: 'tsc', path: 'src/a.ts', line: 3, column: 5, rule: 'TS2322' },
    ],
    [
      'tsc',
      "src/a.ts:3:5 - error TS2322: Type 'x'",
      { tool: 'tsc', path: 'src/a.ts', line: 3, column: 5, rule: 'TS2322' },
    ],
    ['tsc', '##[error]src/a.ts(3,5): error TS1: x', { tool: 'tsc', path: 'src/a.ts', message: 'x' }],
    [
      'javac',
      '[ERROR] /app/src/A.java:[3,5] cannot find symbol',
      { tool: 'javac', path: '/app/src/A.java', line: 3, column: 5 },
    ],
    [
      'javac',
      'src/A.java:3: error: cannot find symbol',
      { path: 'src/A.java', line: 3, message: 'cannot find symbol' },
    ],
    ['javac', '    [javac] /app/A.java:3: error: x', { path: '/app/A.java', line: 3 }],
    [
      'checkstyle',
      '[ERROR] src/A.java:[3,5] (naming) MemberName: Bad name.',
      { tool: 'checkstyle', rule: 'MemberName' },
    ],
    [
      'checkstyle',
      '[ERROR] /app/A.java:3:5: Bad name. [MemberName]',
      { path: '/app/A.java', column: 5, rule: 'MemberName' },
    ],
    ['csc', 'src/A.cs(3,5): error CS0103: The name', { tool: 'dotnet', path: 'src/A.cs', rule: 'CS0103' }],
    ['msvc', 'src\\a.cpp(3): fatal error C1083: Cannot open', { path: 'src/a.cpp', line: 3, rule: 'C1083' }],
    ['boost', 'test/a.cpp(12): error: in "suite/adds": check failed', { path: 'test/a.cpp', line: 12 }],
    ['tslint', 'ERROR: src/a.ts[3, 5]: missing semicolon', { tool: 'tslint', path: 'src/a.ts', line: 3, column: 5 }],
    [
      'kotlinc',
      'e: /app/A.kt: (3, 5): Unresolved reference: x',
      { tool: 'kotlinc', path: '/app/A.kt', line: 3, column: 5 },
    ],
    [
      'kotlinc',
      'e: file:///app/A.kt:3:5 Unresolved reference',
      { tool: 'kotlinc', path: '/app/A.kt', line: 3, column: 5 },
    ],
    ['jshint', 'a.js: line 3, col 5, Missing semicolon.', { tool: 'jshint', path: 'a.js', line: 3, column: 5 }],
    [
      'rubocop',
      'lib/a.rb:3:5: C: Style/Not: Use !.',
      { tool: 'rubocop', path: 'lib/a.rb', rule: 'Style/Not', message: 'Use !.' },
    ],
    ['flake8', 'x.py:8:9: E128 continuation line', { tool: 'flake8', path: 'x.py', line: 8, column: 9, rule: 'E128' }],
    ['pylint', 'x.py:8:9: C0111: Missing docstring (missing-docstring)', { tool: 'flake8', rule: 'C0111' }],
    [
      'mypy',
      'x.py:8: error: Incompatible types  [arg-type]',
      { tool: 'mypy', path: 'x.py', line: 8, rule: 'arg-type' },
    ],
    ['gcc', 'src/a.c:3:5: error: expected ‘;’', { path: 'src/a.c', line: 3, column: 5 }],
    ['gcc', 'a.c:3:10: fatal error: b.h: No such file', { path: 'a.c', message: 'b.h: No such file' }],
    ['clang', "a.cc:3:5: error: unused 'x' [-Werror,-Wunused]", { path: 'a.cc', column: 5 }],
    ['go', './sum.go:3:5: undefined: foo', { path: 'sum.go', line: 3, column: 5, message: 'undefined: foo' }],
    ['go vet', 'sum.go:3: unreachable code', { path: 'sum.go', line: 3 }],
    ['ghc', 'src/A.hs:3:5: error: Not in scope', { path: 'src/A.hs', line: 3 }],
    ['scalac', '[error] /app/A.scala:3:5: not found: value x', { path: '/app/A.scala', line: 3 }],
    ['ocaml', 'File "a.ml", line 3, characters 2-5:', { tool: 'ocaml', path: 'a.ml', line: 3 }],
    ['php', 'PHP Parse error:  syntax error in /app/a.php on line 3', { tool: 'php', path: '/app/a.php', line: 3 }],
    ['shellcheck', 'In run.sh line 3:', { tool: 'shellcheck', path: 'run.sh', line: 3 }],
    ['perl', 'Global symbol "$x" at lib/A.pm line 3.', { tool: 'perl', path: 'lib/A.pm', line: 3 }],
    ['make', 'Makefile:3: *** missing separator.  Stop.', { path: 'Makefile', line: 3 }],
    ['a Windows path', 'C:\\app\\a.c:3:5: error: x', { path: 'C:/app/a.c', line: 3 }],
  ])('knows a place of %s: %s', (_tool, line, expected) => {
    expect(recogniseLine(line)).toMatchObject({ kind: 'place', ...expected });
  });

  it.each<readonly [string, string, Expected]>([
    ['rustc', 'error[E0308]: mismatched types', { tool: 'rustc', rule: 'E0308', message: 'mismatched types' }],
    ['cargo', "thread 'sum::adds' panicked at src/sum.rs:3:5:", { path: 'src/sum.rs', line: 3, testId: 'sum::adds' }],
    ['python', 'Traceback (most recent call last):', { tool: 'python' }],
    ['python', 'ValueError: no', { message: 'ValueError: no' }],
    ['python', 'acme.errors.SumError', { message: 'acme.errors.SumError' }],
    ['go', 'panic: runtime error: index out of range', { tool: 'go' }],
    [
      'java',
      'Exception in thread "main" java.lang.IllegalStateException: no',
      { message: 'java.lang.IllegalStateException: no' },
    ],
    ['java', 'Caused by: com.acme.SumException: no', { message: 'com.acme.SumException: no' }],
    ['java', 'java.lang.AssertionError: expected:<3>', { tool: 'java' }],
    ['node', 'TypeError [ERR_X]: no', { message: 'TypeError [ERR_X]: no' }],
    ['node', 'Uncaught ReferenceError: x is not defined', { message: 'ReferenceError: x is not defined' }],
    ['.NET', 'Unhandled exception. System.InvalidOperationException: no', { tool: 'dotnet' }],
    ['ruby', "lib/a.rb:3:in `add': undefined method (NoMethodError)", { path: 'lib/a.rb', line: 3 }],
    ['rake', 'rake aborted!', { tool: 'ruby' }],
    ['rspec', '     Failure/Error: expect(sum).to eq(3)', { message: 'expect(sum).to eq(3)' }],
    ['elixir', '** (ArgumentError) no', { tool: 'elixir' }],
    ['cmake', 'CMake Error at CMakeLists.txt:3 (add):', { path: 'CMakeLists.txt', line: 3 }],
    ['ld', "a.o: undefined reference to `sum'", { tool: 'ld' }],
    ['pytest', 'E       assert 3 == 4', { message: 'assert 3 == 4' }],
    ['phpunit', 'Failed asserting that 3 matches 4.', {}],
    ['C', "sum: sum.c:3: add: Assertion `x' failed.", {}],
    ['a signal', 'Segmentation fault (core dumped)', { message: 'Segmentation fault' }],
    ['a sanitizer', '==12==ERROR: AddressSanitizer: heap-use-after-free', {}],
    ['a sanitizer below CTest', '3: ==12==ERROR: AddressSanitizer: SEGV', { message: 'ERROR: AddressSanitizer: SEGV' }],
    [
      'a sanitizer of threads',
      'WARNING: ThreadSanitizer: data race',
      { message: 'WARNING: ThreadSanitizer: data race' },
    ],
  ])('knows an exception of %s: %s', (_language, line, expected) => {
    expect(recogniseLine(line)).toMatchObject({ kind: 'exception', ...expected });
  });

  it.each([
    '##[error]Process completed with exit code 1.',
    '##[error]The runner has received a shutdown signal.',
    'The command "npm test" exited with 1.',
    'make: *** [test] Error 2',
    'gmake[2]: *** [all] Error 1',
    'npm ERR! code ELIFECYCLE',
    'error Command failed with exit code 1.',
    '[ERROR] Failed to execute goal org.acme:plugin:1:test',
    '[INFO] BUILD FAILURE',
    '> Task :test FAILED',
    'FAILURE: Build failed with an exception.',
    "Execution failed for task ':test'.",
    '[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful',
    'ERROR: Job failed: exit code 1',
    'ERROR: InvocationError for command pytest (exited with code 1)',
    'child process exited with code 3',
  ])('knows an exit: %s', (line) => {
    expect(recogniseLine(line)).toMatchObject({ kind: 'exit' });
  });

  it.each([
    'a.c:3:5: warning: unused variable',
    'Error: no way',
    '[ERROR] There are problems',
    "Couldn't establish a connection",
    'ERROR Task "sum" is not there',
    'fatal: not a git repository',
    '-- Could NOT find OpenSSL, missing: OPENSSL_LIBRARIES',
    'configure: error: libfoo is missing',
    'bash: sum: command not found',
  ])('sees that a line mentions a failure: %s', (line) => {
    expect(recogniseLine(line)?.kind).toMatch(/mention|exception/u);
  });

  it.each([
    'ok 1 - reports an error',
    '✓ fails if the input is invalid',
    '0 errors, 0 failures',
    'Tests run: 3, Failures: 0, Errors: 0',
    'npm WARN deprecated error@1.0.0',
    'Downloading https://repo.test/error.jar',
    '[INFO] Downloaded: https://repo.test/maven-error-diagnostics.pom',
    'PASS src/error.test.ts',
    'gcc -Werror -c a.c',
    '-- Looking for sendfile in sendfile - not found',
    '-- Performing Test HAS_ERROR - Failed',
    'checking for broken strtod... no',
    'checking whether the compiler fails... no',
    'test error_is_kept ... ok',
    'all fine',
    'src/sum.c:12',
    'src/sum.c:12, 3 lines',
    '',
  ])('is not misled by %s', (line) => {
    expect(recogniseLine(line)).toBeNull();
    expect(isFailureLine(line)).toBe(false);
  });
});
