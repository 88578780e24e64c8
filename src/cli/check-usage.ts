/** What `ratchet check --help` prints. */
export const CHECK_USAGE = `usage: ratchet check [PATH...] [options]

Runs the repository's linters, type checks and tests over this checkout: those that \`engines:\` in .github/ratchet.yml names,
or, where it names none, those that the repository shows to use. Only --fix writes into the checkout.

  --mode both|current|target  what to run (both)
  --engine ID                 run this engine only, whatever the policy names; may be repeated
  --config ID=FILE            configuration file of an engine; may be repeated
  --base REV                  compare with the commit that HEAD and REV have in common: only what is new fails
  --fix                       first run the tools' own fixers, in place; with --base: only on files that differ from it
  --plan                      show what would run (with --fix: and would be fixed), and run nothing
  --timeout SECONDS           limit of each run, over those of the policy and of the engines
  --fresh                     run every engine, whatever is in the cache
  --json                      one JSON document on stdout (docs/check.schema.json)
  --sarif                     one SARIF 2.1.0 log on stdout
  --format FORMAT             text, json, sarif, or github: annotations for GitHub Actions, and a summary of the step

An engine is planned in two modes, which differ in one thing: CURRENT takes PATHs, TARGET never does. Whether one run serves both
is decided for each engine by itself: where its two plans are equal, TARGET alone runs; else CURRENT runs, and then TARGET.

Paths: PATH, else RATCHET_PATHS (separated like PATH), else .github/ratchet.yml, else the whole repository.
Configuration file of an engine: --config, else RATCHET_<ID>_CONFIG, else .github/ratchet.yml, else what the tool finds.
RATCHET_CACHE_DIR is where runs are cached. NO_COLOR is honoured.

Exit codes: 0 nothing found, 1 something was (with --base: something new), 2 wrong usage or a setting that cannot be used,
3 nothing was found, but an engine could not run or did not see everything, or (with --base)
nothing new, but the change was too large to look through.
`;
