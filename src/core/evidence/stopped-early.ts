/** What test runners print when they stop at a failure: pytest, TAP, cargo-nextest, PHPUnit, Mocha and others. */
const STOPPED =
  /\bstopping after \d+ failures?\b|^bail out!|\bcancell?ing due to (?:test )?failures?\b|\bstop(?:ped|ping) (?:on|at|after) (?:the )?(?:first )?(?:test )?failures?\b|\b(?:exiting|aborting) after (?:the )?(?:first|\d+) (?:test )?failures?\b|\bbail(?:ed|ing) out\b|--(?:bail|fail-?fast|maxfail|exitfirst|stop-on-failure)\b/imu;

/** Whether a log says that its suite did not run to the end (trap 14), so that more tests may fail than it shows. */
export function hasStoppedEarly(log: string): boolean {
  return STOPPED.test(log);
}
