/** Marks of build tools and test runners in their own output; the first one that is found names the log. */
const MARKS: readonly (readonly [string, RegExp])[] = [
  ['maven', /^\[INFO\] (?:Scanning for projects|BUILD |-{20})/m],
  ['gradle', /^(?::\w[\w:-]+(?: UP-TO-DATE)?$|> Task :)|^FAILURE: Build failed with an exception/m],
  ['sbt', /^\[info\] (?:Loading |Set current project|Resolving )/m],
  ['ant', /^(?:Buildfile: |BUILD FAILED$)/m],
  ['cargo', /^ *Compiling \S+ v\d|^test result: /m],
  ['go', /^(?:--- FAIL: |ok {2}|ok\t|FAIL\t)\S+/m],
  ['phpunit', /^PHPUnit \d/m],
  ['rspec', /^rspec \.\/|\d+ examples?, \d+ failures?/m],
  ['rake', /^rake aborted!|\d+ runs, \d+ assertions/m],
  ['pytest', /=+ test session starts =+|short test summary info/],
  ['unittest, nose or tox', /^Ran \d+ tests? in |\bnosetests\b|\btox\b/m],
  ['flake8', /^\S+\.py:\d+:\d+: [A-Z]\d+ /m],
  ['jest', /^Tests: +\d+ |\bjest\b/m],
  ['mocha', /^ *\d+ passing\b|\bmocha\b/m],
  ['karma or jasmine', /\bkarma\b|Executed \d+ of \d+/],
  ['eslint, jshint or jscs', /\beslint\b|\bjshint\b|\bjscs\b/],
  ['npm or yarn', /npm ERR!|^yarn run/m],
  ['dotnet', /\bdotnet (?:build|test)\b|\bmsbuild\b|\bxunit\b/i],
  ['mix', /\bmix test\b|\*\* \(Mix\)/],
  ['cabal or stack', /\b(?:cabal|stack) (?:build|install|test)\b/],
  ['make or cmake', /^make(?:\[\d+\])?: \*\*\*|\bcmake\b|\b(?:gcc|g\+\+)\b/m],
];

/** The build tool or test runner of a log without colours and timestamps, or `other`. */
export function toBuildTool(log: string): string {
  return MARKS.find(([, mark]) => mark.test(log))?.[0] ?? 'other';
}
