import { CHECK_USAGE } from './check-usage.ts';
import { PLAN_USAGE } from './plan-usage.ts';
import { RUN_USAGE } from './run-usage.ts';

const ADMIN = `Variables: RATCHET_ADMIN_TOKEN, the admin token of the server, and RATCHET_URL, its address (http://127.0.0.1:3000).
`;

const SERVE_USAGE = `usage: ratchet serve

Runs the GitHub App until SIGTERM or SIGINT. If no App is registered, it first opens the page of \`ratchet init\`, and continues as soon
as an App is stored. It takes no options. docs/operating.md lists its variables, and \`ratchet doctor\` checks them.
It writes its log to stdout, one JSON object a line.

Exit codes: 0 stopped by a signal, 2 a setting cannot be used, 3 the environment failed.
`;

const INIT_USAGE = `usage: ratchet init [--org NAME] [--webhook-url URL]

Registers the GitHub App and stores its id, key and secret in the data folder. It opens a page on this machine for 15 minutes and
prints the link to it, which works once. It does not start the App.

  --org NAME          login of the organization that will own the App; the page asks for it, too
  --webhook-url URL   address at which GitHub reaches the server (RATCHET_WEBHOOK_URL); the page asks for it, too

Variables: HOST and PORT, where the page listens (localhost, 3000); GHE_HOST, the GitHub to use (github.com);
RATCHET_DATA_DIR, the data folder (data).

Exit codes: 0 an App is stored, 1 no App was registered, 2 wrong usage or an App is stored already, 3 the environment failed.
`;

const SESSION_USAGE = `usage: ratchet session start OWNER/REPO#N [--label TEXT] [--minutes N] [--hold] [--json]
       ratchet session list OWNER/REPO#N [--json]
       ratchet session end OWNER/REPO#N [ID] [--json]

Tells a running server that you, or an agent of your own, are at work on a pull request. Ratchet starts nothing there meanwhile.

  start           announce a session; with the same label again, say that it is still alive
  list            show who is at work
  end             end the session ID, or every announced session

  --label TEXT    who is at work ($USER)
  --minutes N     how long at most
  --hold          stay, keep the session alive, and end it on Ctrl-C
  --json          print one JSON document on stdout

${ADMIN}
Exit codes: 0 done, 2 wrong usage or an unknown repository, 3 the server cannot be reached or refuses.
`;

const AGENTS_USAGE = `usage: ratchet agents off [OWNER/REPO] [--reason TEXT] [--json]
       ratchet agents on [OWNER/REPO] [--json]
       ratchet agents status [OWNER/REPO[#N]] [--json]

The kill switch of a running server. While agents are off, no agent starts and no model is called.

  off, on         switch agents off or on, everywhere or in one repository
  status          show the switches, the models that are paused after errors, and what was spent

  --reason TEXT   why you switch them off; status and the check runs show it
  --json          print one JSON document on stdout

${ADMIN}
Exit codes: 0 done, 2 wrong usage or an unknown repository, 3 the server cannot be reached or refuses.
`;

const UNDO_USAGE = `usage: ratchet undo OWNER/REPO#N [--json]

Has a running server revert the last fixup that it pushed to a pull request, by a new commit, and waits until that is done.

  --json          print one JSON document on stdout

${ADMIN}
Exit codes: 0 undone, 1 not undone: stdout says why and how to do it by hand, 2 wrong usage or an unknown pull request,
3 the server cannot be reached or refuses.
`;

const LOG_USAGE = `usage: ratchet log OWNER/REPO#N [--limit N] [--verify] [--json]

Prints the transition log of a pull request, newest line first: what was decided, done and said, and when.

  --limit N       how many lines, 20000 at most (50; with --verify all)
  --verify        decide each decision again from the snapshot that was stored with it, and compare.
                  = same, ! different, ? cannot be decided again
  --json          print one JSON document on stdout, each decision with its snapshot

${ADMIN}
Exit codes: 0 done, and every decision is the same, 1 a decision differs or cannot be decided again, or there is none to verify,
2 wrong usage or an unknown repository, 3 the server cannot be reached or refuses.
`;

const DOCTOR_USAGE = `usage: ratchet doctor [--call-model] [--json]

Checks everything that the App needs: variables and files, GitHub and the App's permissions, data folder and disk, sandbox, agents,
registries and Redis. Says what to do about each problem. It changes nothing, and may run beside the App.

  --call-model    also make one small call to each model, which costs money
  --json          print one JSON document on stdout

Exit codes: 0 all is well, 1 there is a warning, 2 wrong usage, 3 there is a failure.
`;

const CONFIG_USAGE = `usage: ratchet config validate [FILE] [--json]
       ratchet config print [FILE] [--json]
       ratchet config schema
       ratchet config init

FILE is a policy file; without it, .github/ratchet.yml of the current folder.

  validate        list the problems of the file, each with its line
  print           print the policy in effect: the file, the defaults, and the operator's file (RATCHET_POLICY_FILE)
  schema          print the JSON Schema of the file, for editors
  init            write .github/ratchet.yml with every key and its default, commented out; an existing file is never replaced

  --json          print one JSON document on stdout

Exit codes: 0 the file is valid, or was written, 1 the file has problems, 2 wrong usage, no such file, or a file exists already,
3 the file cannot be read or written.
`;

const EXPLAIN_USAGE = `usage: ratchet explain decision|ci|reviews|exit|command|change <INPUT
       ratchet explain failure [--max-bytes N] <INPUT
       ratchet explain merge --repo DIR COMMIT

Answers from the JSON (or text) on stdin alone, with the functions that the server uses. docs/explain.md describes the input and
the answers.

  decision        the action for a snapshot, or for a line of the transition log
  ci              what the check runs and statuses of a head mean
  reviews         which review threads ask for something, of whom
  exit            what the exit code of a tool means
  command         which commands a comment gives
  change          what a change does to tests and checks
  failure         the class of failed jobs, from their logs, and the part of them that an agent sees
  merge           judge a merge commit of a local repository as if Ratchet had made it

  --max-bytes N   the most bytes of log to quote (32768)
  --json          changes nothing: the answer is always JSON
  --repo DIR      the repository of COMMIT

Exit codes: 0 answered, 2 wrong usage or invalid input, 3 git failed.
`;

const BACKUP_USAGE = `usage: ratchet backup FILE [--force]

Writes a consistent copy of the App's database to FILE, also while the App runs, and checks it. Only its owner can read the copy. It
contains no keys and no other files of the data folder: see docs/operating.md. Run it as the user of the App.

  --force         replace FILE if it exists

Variable: RATCHET_DATA_DIR, the data folder (data).

Exit codes: 0 done, 2 wrong usage, or the database cannot be copied, 3 the disk failed.
`;

const RESTORE_USAGE = `usage: ratchet restore FILE

Replaces the App's database by a backup, and keeps the old database beside it. Refuses while the App runs, and if the backup is damaged
or from a newer version. Run it as the user of the App.

Variable: RATCHET_DATA_DIR, the data folder (data).

Exit codes: 0 done, 2 wrong usage, or the backup cannot be used, 3 the disk failed.
`;

/** What `ratchet <command> --help` prints. Every command has its own. */
export const USAGES = {
  serve: SERVE_USAGE,
  init: INIT_USAGE,
  check: CHECK_USAGE,
  session: SESSION_USAGE,
  agents: AGENTS_USAGE,
  log: LOG_USAGE,
  undo: UNDO_USAGE,
  doctor: DOCTOR_USAGE,
  backup: BACKUP_USAGE,
  restore: RESTORE_USAGE,
  plan: PLAN_USAGE,
  run: RUN_USAGE,
  config: CONFIG_USAGE,
  explain: EXPLAIN_USAGE,
} as const;
