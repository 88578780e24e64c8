export const RUN_USAGE = `usage: ratchet run --repo DIR [--agent NAME] [--budget USD] [--json]
       ratchet run --repo DIR --dry-run [--json]
       ratchet run --repo DIR --resume RUN [--json]

Works through what the linters, type checks and tests of a checkout find: makes tasks of the findings, has each one
mended in a sandbox, proves it, and puts the results on a new branch. It starts from HEAD. Your checkout stays as it is.

  --repo DIR      a checkout of a git repository
  --dry-run       look for findings and plan tasks; start no agent, and make no branch
  --agent NAME    one of the agents that are configured; the first one if not given. local: none, only the tools'
                  own fixers
  --budget USD    the most that models may cost in this run; RATCHET_PULL_REQUEST_USD if not given
  --resume RUN    continue a run that was stopped or killed, with its options; if it has ended, print its report
  --json          print one JSON document on stdout

The agents are those of the App: RATCHET_AGENT and the variables about it, or RATCHET_AGENTS_FILE.
.github/ratchet.yml of HEAD says which checks there are and what may be changed.

Exit codes: 0 nothing is left, 1 something is, 2 wrong usage or bad input, 3 the environment failed.
`;
