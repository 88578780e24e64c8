import { CHECK_USAGE } from './check-usage.ts';
import { PLAN_USAGE } from './plan-usage.ts';

const ADMIN = `RATCHET_ADMIN_TOKEN is the token of the server, RATCHET_URL its address (http://127.0.0.1:3000).
`;

const SERVE_USAGE = `usage: ratchet serve

Runs the GitHub App until SIGTERM or SIGINT. It takes no options: docs/operating.md lists the variables that set it up,
and \`ratchet doctor\` looks at whether they can work. The log is one JSON object a line on stdout.

Exit codes: 0 it was asked to stop, 2 a setting that cannot be used, 3 the environment failed.
`;

const SESSION_USAGE = `usage: ratchet session start OWNER/REPO#N [--label TEXT] [--minutes N] [--hold] [--json]
       ratchet session list OWNER/REPO#N [--json]
       ratchet session end OWNER/REPO#N [ID] [--json]

Tells a running server that you, or an agent of your own, are at work on a pull request: Ratchet launches nothing there meanwhile.

  start           announce it; again with the same label is a sign of life
  list            show who is at work
  end             end the session ID, or all that were announced

  --label TEXT    who is at work ($USER)
  --minutes N     how long at most
  --hold          keep running, send signs of life, and end the session when interrupted
  --json          one JSON document on stdout

${ADMIN}
Exit codes: 0 done, 2 wrong usage or an unknown repository, 3 the server cannot be reached or refuses.
`;

const AGENTS_USAGE = `usage: ratchet agents off [OWNER/REPO] [--reason TEXT] [--json]
       ratchet agents on [OWNER/REPO] [--json]
       ratchet agents status [OWNER/REPO[#N]] [--json]

The kill switch of a running server. While agents are off, none is launched and no model is called.

  off, on         turn the switch, everywhere or in one repository
  status          show the switches, models that are not called for a while, and what was spent

  --reason TEXT   why, for those who look later
  --json          one JSON document on stdout

${ADMIN}
Exit codes: 0 done, 2 wrong usage or an unknown repository, 3 the server cannot be reached or refuses.
`;

const UNDO_USAGE = `usage: ratchet undo OWNER/REPO#N [--json]

Lets a running server revert the last commit that Ratchet pushed to a pull request, with a commit of its own, and waits for the end.

  --json          one JSON document on stdout

${ADMIN}
Exit codes: 0 it is undone, 1 it is not, and stdout says why and how to do it by hand, 2 wrong usage or an unknown pull request,
3 the server cannot be reached or refuses.
`;

const DOCTOR_USAGE = `usage: ratchet doctor [--call-model] [--json]

Looks at everything that the App needs: variables and files, GitHub and the App's permissions, data folder and disk, sandbox, agents,
registries, Redis. Changes nothing, also beside a running service, and says what to do.

  --call-model    also make one small call to each model, which costs money
  --json          one JSON document on stdout

Exit codes: 0 all is well, 1 with a warning, 2 wrong usage, 3 with a failure.
`;

const CONFIG_USAGE = `usage: ratchet config validate [FILE] [--json]
       ratchet config print [FILE] [--json]
       ratchet config schema

FILE is a policy file; without it, that of the current folder (.github/ratchet.yml).

  validate        list the problems of the file, each with its line
  print           show the policy that is in effect, with the defaults and with the operator's file (RATCHET_POLICY_FILE)
  schema          print the JSON Schema, for editors

  --json          one JSON document on stdout

Exit codes: 0 the file is valid, 1 it has problems, 2 wrong usage or no such file, 3 the file cannot be read.
`;

const EXPLAIN_USAGE = `usage: ratchet explain decision|ci|reviews|exit|command|change <INPUT
       ratchet explain failure [--max-bytes N] <INPUT
       ratchet explain merge --repo DIR COMMIT

Answers from the JSON (or text) on stdin alone, with the functions that the server decides with. docs/explain.md has the formats.

  decision        the action for a snapshot, or for a line of the transition log
  ci              what the check runs and statuses of a head mean
  reviews         which review threads ask for something, of whom
  exit            what the exit code of a tool means
  command         which commands a comment gives
  change          what a change does to tests and checks
  failure         the class of failed jobs, from their logs, and the part of them that an agent sees
  merge           judge a merge commit of a local repository as if Ratchet had made it

  --max-bytes N   longest excerpt of the logs
  --repo DIR      the repository of COMMIT

Exit codes: 0 answered, 2 wrong usage or input that cannot be read, 3 git did not work.
`;

const BACKUP_USAGE = `usage: ratchet backup FILE [--force]

Writes a copy of the App's database to FILE, also while the App runs. The copy is one moment of the database, is checked, and only its
owner may read it. It holds no key and no folder: see docs/operating.md.

  --force         replace FILE if it exists

RATCHET_DATA_DIR is the data folder (data). Run it as the user of the App.

Exit codes: 0 done, 2 wrong usage or a database that cannot be copied, 3 the disk failed.
`;

const RESTORE_USAGE = `usage: ratchet restore FILE

Puts a backup in the place of the App's database. Refused while the App runs, and if the backup is damaged or of a newer version.
The database that it replaces is kept beside it.

RATCHET_DATA_DIR is the data folder (data). Run it as the user of the App.

Exit codes: 0 done, 2 wrong usage or a backup that cannot be used, 3 the disk failed.
`;

/** What `ratchet <command> --help` prints. Every command has its own. */
export const USAGES = {
  serve: SERVE_USAGE,
  check: CHECK_USAGE,
  session: SESSION_USAGE,
  agents: AGENTS_USAGE,
  undo: UNDO_USAGE,
  doctor: DOCTOR_USAGE,
  backup: BACKUP_USAGE,
  restore: RESTORE_USAGE,
  plan: PLAN_USAGE,
  config: CONFIG_USAGE,
  explain: EXPLAIN_USAGE,
} as const;
