/** What `ratchet check --help` prints. */
export const CHECK_USAGE = `usage: ratchet check [PATH...] [options]

Runs the repository's linters, type checks and tests over this checkout: those under \`engines:\` in .github/ratchet.yml or, if it
names none, those that the repository appears to use. Only --fix changes files of the checkout.

  --mode both|current|target  what to run (both)
  --engine ID                 run only this engine, even if the policy does not name it; may be repeated
  --config ID=FILE            configuration file of an engine; may be repeated
  --base REV                  compare with the merge base of HEAD and REV: only new findings fail
  --fix                       first run the tools' own fixers, in place; with --base: only on files that changed since
  --plan                      show what would run (with --fix: and fix), and run nothing
  --timeout SECONDS           time limit of each run, instead of those of the policy and the engines
  --fresh                     run every engine again, and use no cached result
  --json                      print one JSON document on stdout (docs/check.schema.json)
  --sarif                     print one SARIF 2.1.0 log on stdout
  --format FORMAT             text, json, sarif, or github: annotations for GitHub Actions, and a summary of the step

Each engine is planned in two modes that differ in one thing: CURRENT takes PATHs, TARGET never does. Whether one run serves both
is decided for each engine by itself: if its two plans are equal, TARGET alone runs; otherwise CURRENT runs, and then TARGET.

Paths: PATH, else RATCHET_PATHS (separated like PATH), else .github/ratchet.yml, else the whole repository.
Configuration file of an engine: --config, else RATCHET_<ID>_CONFIG, else .github/ratchet.yml, else what the tool finds.
RATCHET_CACHE_DIR is the folder of cached results. NO_COLOR is honoured.

Exit codes: 0 no findings, 1 findings (with --base: new findings), 2 wrong usage, or a setting cannot be used,
3 no findings, but an engine could not run or did not see everything, or (with --base) the change is too large to compare.
`;
