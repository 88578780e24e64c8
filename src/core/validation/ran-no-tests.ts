/** How test runners report that they ran nothing. */
const NOTHING =
  /\bno tests? (?:found|ran|run|to run|files? (?:found|were found)|were (?:found|run|executed)|collected)\b|\bno test files\b|\bcollected 0 items\b|^\s*0 (?:passing|tests?|examples)\b|^(?:#|ℹ) tests 0$|\bran 0 tests\b|\btests run: 0\b|\bTests:?\s+0 total\b|\brunning 0 tests\b|\bno tests executed\b|\b0 scenarios\b|^(?:#|ℹ) pass 0$|\bTests:?\s+\d+ (?:skipped|todo),(?: \d+ (?:skipped|todo),)? \d+ total\b|^[= ]*\d+ (?:skipped|deselected)\b.{0,80} in \d/imu;

/** How they report that something ran. */
const SOMETHING =
  /\b[1-9]\d* (?:passed|passing|failed|failing|tests?(?: passed| completed)?|examples?|assertions?|scenarios?|specs?)\b|^(?:#|ℹ) (?:pass|fail) [1-9]|^(?:not )?ok [1-9]|^ok\s+\S+\s+[\d.(]|\btests run: [1-9]|\bran [1-9]\d* tests?\b|\brunning [1-9]\d* tests?\b|\bOK \([1-9]|^--- (?:PASS|FAIL)/imu;

/** Matches the escape sequences of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they consist of.
const ESCAPES = /\u001B\[[\d;]*[A-Za-z]/gu;

/**
 * Whether the output of a validation that exited 0 says that no test ran, and nothing in it says that one did. Such a run proves
 * nothing. Output that says neither is believed: not every validation is a test.
 */
export function ranNoTests(output: string): boolean {
  const text = output.replaceAll(ESCAPES, '');
  return NOTHING.test(text) && !SOMETHING.test(text);
}
