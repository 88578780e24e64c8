import { type LineForm, type NeedAndPattern, toForms } from './recognise-rule.ts';

/** How a program, a build tool or the runner reports that it ended badly. */
export const EXIT_FORMS: readonly LineForm[] = [
  ...forms('runner', [
    ['Process completed', /^(?:Error: )?Process completed with exit code (?!0\b)\d/u],
    ['The command "', /^The command "(?<message>.*)" (?:exited with (?!0\b)\d|failed and exited with \d)/u],
    ['The job ', /^The job exceeded the maximum/u],
    ['Job failed', /^(?:ERROR: )?Job failed\b/u],
    ['Build step', /^Build step .* marked build as failure/u],
  ]),
  ...forms('make', [
    [': *** ', /^\s*[\w-]*make(?:\[\d+\])?: \*\*\* (?<message>.*)/u],
    ['ninja: ', /^ninja: (?:build stopped|error)/u],
  ]),
  ...forms('npm', [
    ['Command failed', /^error Command failed\b/u],
    ['ELIFECYCLE', /^\s*(?:code )?ELIFECYCLE\b/u],
    ['Test failed', /^Test failed\.\s+See above for more details/u],
  ]),
  ...forms('maven', [
    ['Failed to execute goal', /^Failed to execute goal (?<message>.*)/u],
    ['BUILD FAILURE', /^BUILD FAILURE$/u],
  ]),
  ...forms('gradle', [
    [' FAILED', /^(?:> Task )?(?<message>:\S+) FAILED$/u],
    ['FAILURE: ', /^FAILURE: Build (?:failed with an exception|completed with \d+ failures)/u],
    ['Execution failed for', /^Execution failed for task (?<message>.*)/u],
    ['BUILD FAILED', /^BUILD FAILED\b/u],
    ['A problem occurred', /^A problem occurred /u],
  ]),
  ...forms('go', [['FAIL', /^FAIL$/u]]),
  ...forms('sbt', [
    [') ', /^\(.{1,80}\) .*(?:failed|Failed|Exception)/u],
    ['Failed tests:', /^Failed tests:$/u],
  ]),
  ...forms(null, [
    // "returned 3 results" and "finished with 3 warnings" end nothing.
    [
      '',
      /^\s*(?:\S.{0,200}[ (])?(?:(?:exited|failed) (?:unexpectedly )?with (?!0\b)-?\d|exited (?!0\b)\d|returned (?!0\b)\d+ exit status|(?:exited|terminated|failed|returned|finished|died|quit) (?:unexpectedly )?(?:with |by |on )?(?:an? )?(?:non-?zero )?(?:exit(?:ed)? |return )?(?:code|status|signal):? ?(?!0\b)-?\d)/u,
    ],
    [
      'rror',
      /^\s*(?:ERROR|error|InvocationError|subprocess).{0,100}(?:InvocationError|returned non-zero exit status)/u,
    ],
    ['ailed', /^\s*(?:Build|Compilation|Tests?|Lint(?:ing)?) failed\b/u],
  ]),
];

function forms(tool: string | null, patterns: readonly NeedAndPattern[]): readonly LineForm[] {
  return toForms('exit', tool, patterns);
}
