export const PLAN_USAGE = `usage: ratchet plan validate FILE
       ratchet plan show FILE [--mermaid]
       ratchet plan run FILE --dir DIR [--yes] [--budget USD] [--json] [--unsandboxed]
       ratchet plan run --resume RUN [--json] [--unsandboxed]
       ratchet plan undo RUN [--json] [--unsandboxed]

FILE is a plan of steps as JSON; - reads it from stdin.

  validate        print the errors and the order of the steps; run nothing
  show            print the steps in their order, or draw them; run nothing
  run             show the plan, ask, run its steps on a copy of DIR, and bring the changes back
  undo            undo what a run did to DIR

  --mermaid       print a diagram in Mermaid's language
  --dir DIR       the folder to work on. The steps see a copy of it without .git
  --yes           do not ask. Without a terminal it is required
  --budget USD    the most that the run may cost; 0.10 if not given, and never more than the plan says
  --json          print one JSON document on stdout, and ask nothing
  --resume RUN    continue a run that was stopped or killed
  --unsandboxed   run commands as you, with your network and your files. Only for plans that you wrote

A plan may come from a stranger. Its commands run in a sandbox without network, with an environment of its own.
Nothing is written to DIR until all steps have ended, and no file that was changed meanwhile is overwritten.

Exit codes: 0 every step completed (undo: everything is undone), 1 not all or a file was kept,
2 the plan is invalid or wrong usage, 3 the environment failed.
`;
