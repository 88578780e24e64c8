import manifest from '../package.json' with { type: 'json' };
import { type CliResult, fail, succeed } from './cli/cli-result.ts';
import { toHint } from './cli/parse-flags.ts';
import { USAGES } from './cli/usages.ts';

const USAGE = `usage: ratchet <command>

The GitHub App:
  init [--org NAME] [--webhook-url URL]
                               register the GitHub App on a page of this machine, and store it
  serve                        run the GitHub App; if none is registered, open the page of init first
  doctor [--call-model] [--json]
                               check everything that the App needs, and say what to do; --call-model also
                               makes one small call to each model, which costs money
  agents off|on|status [OWNER/REPO]
                               switch the agents of a running server off or on, or show what they spent
  session start|list|end OWNER/REPO#N
                               tell a running server that you are at work on a pull request
  log OWNER/REPO#N [--verify]  show what was decided on a pull request; decide it again and compare
  undo OWNER/REPO#N            have a running server revert its last fixup of a pull request
  backup FILE                  copy the database of the App, also while the App runs
  restore FILE                 replace the database by such a copy, while the App does not run

In a checkout:
  check [PATH...]              run the repository's linters, type checks and tests
                               --mode both|current|target, --engine ID, --config ID=FILE, --base REV,
                               --fix, --plan, --timeout SECONDS, --fresh, --json, --sarif, --format github
  run --repo DIR               fix what these checks find, and put the fixes on a new branch
  plan validate|show FILE      check a plan of steps, or show the order of its steps
  plan run FILE --dir DIR      run a plan on a copy of DIR in a sandbox, and bring the changes back
  plan undo RUN                undo what a run did
  config validate|print|schema check or show .github/ratchet.yml, or print its JSON Schema
  config init                  write a .github/ratchet.yml with every key and its default, commented out

Explain, from data alone:
  explain decision|ci|reviews|exit|command|failure|change
                               answer from the JSON (or text) on stdin, with the server's own functions
  explain merge --repo DIR COMMIT
                               judge a merge commit as if Ratchet had made it

ratchet <command> --help has more about each. ratchet --version prints the version.

Exit codes: 0 done and clean, 1 something is not clean, 2 wrong usage or bad input, 3 the environment failed.
`;

let serving = false;

/** Whether the program is the server. */
export function isServing(): boolean {
  return serving;
}

type Command = (args: readonly string[]) => Promise<CliResult>;

/** Each command is imported on demand, so `explain` loads neither a database nor a web server. */
const COMMANDS: ReadonlyMap<string, Command> = new Map<keyof typeof USAGES | '--version', Command>([
  ['serve', serveUntilStopped],
  ['init', registerApp],
  ['explain', explain],
  ['check', checkHere],
  ['run', runHere],
  ['session', announceSession],
  ['agents', switchAgents],
  ['log', showLog],
  ['undo', undoFixup],
  ['config', checkConfig],
  ['plan', plan],
  ['doctor', diagnoseHere],
  ['backup', async (args) => saveDatabase('backup', args)],
  ['restore', async (args) => saveDatabase('restore', args)],
  ['--version', () => Promise.resolve(succeed(`${manifest.version}\n`))],
]);

/** Older ones lack functions of the language: they would fail later, and with a stack. */
const OLDEST_NODE = 24;

/** Runs a command. `argv`: what follows the name of the program. */
export async function runCli(argv: readonly string[]): Promise<CliResult> {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) return refuseNode();
  const [name, ...args] = argv;
  if (name === undefined) return refuse('no command is given; see ratchet --help');
  if (name === 'help' || name === '--help' || name === '-h') return help(args[0]);
  if (wantsHelp(args)) return help(name);
  const command = COMMANDS.get(name);
  return command === undefined ? refuseUnknown(name) : command(args);
}

function refuseNode(): CliResult {
  const found = `this is Node ${process.versions.node} (${process.execPath})`;
  return fail(3, `ratchet: needs Node ${String(OLDEST_NODE)} or later, and ${found}\n`);
}

function help(name: string | undefined): CliResult {
  if (name === undefined || name === '--version') return succeed(USAGE);
  const usage = Object.entries(USAGES).find(([command]) => command === name)?.[1];
  return usage === undefined ? refuseUnknown(name) : succeed(usage);
}

function refuseUnknown(name: string): CliResult {
  return refuse(`unknown command ${JSON.stringify(name)}${toHint(name, [...COMMANDS.keys()])}; see ratchet --help`);
}

async function explain(args: readonly string[]): Promise<CliResult> {
  if (args[0] === 'merge') {
    const { explainMerge } = await import('./cli/explain-merge.ts');
    return explainMerge(args.slice(1), { variables: process.env, stop: toStopSignal() });
  }
  const { runExplain } = await import('./cli/explain.ts');
  const { readText } = await import('./cli/read-text.ts');
  return runExplain(args, (maxBytes) => readText(process.stdin, maxBytes));
}

async function switchAgents(args: readonly string[]): Promise<CliResult> {
  const { runAgents } = await import('./cli/agents.ts');
  return runAgents(args, { variables: process.env, fetch });
}

async function showLog(args: readonly string[]): Promise<CliResult> {
  const { runLog } = await import('./cli/log.ts');
  return runLog(args, { variables: process.env, fetch });
}

async function undoFixup(args: readonly string[]): Promise<CliResult> {
  const { runUndo } = await import('./cli/undo.ts');
  const { setTimeout: sleepFor } = await import('node:timers/promises');
  return runUndo(args, {
    variables: process.env,
    fetch,
    stop: toStopSignal(),
    sleep: async (ms, signal) => sleepFor(ms, undefined, { signal }).catch(() => undefined),
  });
}

async function checkConfig(args: readonly string[]): Promise<CliResult> {
  const { runConfig } = await import('./cli/config.ts');
  return runConfig(args, { folder: process.cwd(), operatorPath: process.env['RATCHET_POLICY_FILE'] ?? '' });
}

async function plan(args: readonly string[]): Promise<CliResult> {
  const [action, ...rest] = args;
  if (action === 'run' || action === 'undo') return workOnFolder(action, rest);
  const { runPlan } = await import('./cli/plan.ts');
  return runPlan(args, { stdin: process.stdin });
}

async function workOnFolder(action: 'run' | 'undo', args: readonly string[]): Promise<CliResult> {
  const { runPlanRun } = await import('./cli/plan-run.ts');
  const { runPlanUndo } = await import('./cli/plan-undo.ts');
  const { createReadLine } = await import('./cli/ask-terminal.ts');
  const { stdin, stderr } = process;
  const run = action === 'run' ? runPlanRun : runPlanUndo;
  return run(args, {
    folder: process.cwd(),
    variables: process.env,
    isRoot: process.getuid?.() === 0,
    nodePath: process.execPath,
    stdin,
    isTerminal: stderr.isTTY,
    readLine: stdin.isTTY && stderr.isTTY ? createReadLine(stdin, stderr) : null,
    tell: (text) => void stderr.write(text),
    stop: toStopSignal(),
  });
}

/** What follows `--` is a name. */
function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  return flags.includes('--help') || flags.includes('-h');
}

/** Wrong usage, explained in one line. */
function refuse(problem: string): CliResult {
  return fail(2, `ratchet: ${problem}\n`);
}

async function checkHere(args: readonly string[]): Promise<CliResult> {
  await keepCompiled();
  const { runCheck } = await import('./cli/check.ts');
  const { availableParallelism } = await import('node:os');
  const isPlain = (process.env['NO_COLOR'] ?? '') !== '';
  return runCheck(args, {
    folder: process.cwd(),
    variables: process.env,
    nodePath: process.execPath,
    pid: process.pid,
    concurrency: availableParallelism(),
    isColored: process.stdout.isTTY && !isPlain,
    isTerminal: process.stderr.isTTY,
    tell: (text) => void process.stderr.write(text),
    stop: toStopSignal(),
    version: manifest.version,
  });
}

async function runHere(args: readonly string[]): Promise<CliResult> {
  const { runRun } = await import('./cli/run.ts');
  // Sandbox users must be able to read files of the service in folders that they can reach.
  process.umask(0o022);
  return runRun(args, {
    folder: process.cwd(),
    variables: process.env,
    isRoot: process.getuid?.() === 0,
    nodePath: process.execPath,
    tell: (text) => void process.stderr.write(text),
    stop: toStopSignal(),
  });
}

/** Compiling takes half of the start time of `check`. The cache lies where only this person can write. */
async function keepCompiled(): Promise<void> {
  const { findCacheFolder } = await import('./system/find-cache-folder.ts');
  const node = await import('node:module');
  const caches = findCacheFolder({ variables: process.env, folder: process.cwd() });
  if (caches !== null) node.enableCompileCache(`${caches}/compiled`);
}

async function announceSession(args: readonly string[]): Promise<CliResult> {
  const { runSession } = await import('./cli/session.ts');
  const { setTimeout: sleepFor } = await import('node:timers/promises');
  return runSession(args, {
    variables: process.env,
    fetch,
    stop: toStopSignal(),
    sleep: async (ms, signal) => sleepFor(ms, undefined, { signal }).catch(() => undefined),
    write: (text) => void process.stdout.write(text),
  });
}

async function diagnoseHere(args: readonly string[]): Promise<CliResult> {
  const { runDoctor } = await import('./cli/doctor.ts');
  const uid = process.getuid?.() ?? null;
  const isPlain = (process.env['NO_COLOR'] ?? '') !== '';
  return runDoctor(args, {
    variables: process.env,
    uid,
    nodePath: process.execPath,
    isColored: process.stdout.isTTY && !isPlain,
    fetch,
    stop: toStopSignal(),
  });
}

async function saveDatabase(command: 'backup' | 'restore', args: readonly string[]): Promise<CliResult> {
  const { runBackup, runRestore } = await import('./cli/backup.ts');
  const run = command === 'backup' ? runBackup : runRestore;
  return run(args, { variables: process.env, uid: process.getuid?.() ?? null, now: new Date() });
}

async function serveUntilStopped(args: readonly string[]): Promise<CliResult> {
  serving = true;
  if (args[0] !== undefined)
    return refuse(`serve: unexpected argument ${JSON.stringify(args[0])}; it takes none, see ratchet serve --help`);
  const { serve } = await import('./cli/serve.ts');
  // Sandbox users must be able to read files of the service in folders that they can reach.
  process.umask(0o022);
  const end = await serve({
    variables: process.env,
    stdout: process.stdout,
    tell: (text) => void process.stderr.write(text),
    fetch,
    isRoot: process.getuid?.() === 0,
    nodePath: process.execPath,
    version: manifest.version,
    stop: toServerStop(),
  });
  // Connections that are still being tried (to a Redis that is gone) would keep the process alive.
  setTimeout(() => process.exit(end.exitCode), LINGER_MS).unref();
  return end;
}

async function registerApp(args: readonly string[]): Promise<CliResult> {
  const { runInit } = await import('./cli/init.ts');
  process.umask(0o022);
  const tell = (text: string): void => void process.stderr.write(text);
  return runInit(args, { variables: process.env, tell, fetch, stop: toStopSignal() });
}

function toStopSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => stop.abort(signal);
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return stop.signal;
}

/** A container is killed after ten seconds. */
const STOP_MS = 9_000;
/** For what is still to be written after the stop. */
const LINGER_MS = 300;
/** Ctrl-C reaches this process twice below npm: from the terminal, and from npm. */
const REPEATED_MS = 500;

/**
 * Of a process that has something to bring to an end. A closed terminal asks, too. It is over after a while, or at once if a person
 * asks again: whatever is left then is left as by a crash, and the next start takes it up.
 */
function toServerStop(): AbortSignal {
  const stop = new AbortController();
  let askedAt = 0;
  const leave = (why: string): void => {
    process.stderr.write(`ratchet: ${why}: what was going on is taken up by the next start\n`);
    process.exit(3);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      if (performance.now() - askedAt > REPEATED_MS) leave(`asked to stop again (${signal})`);
      return;
    }
    askedAt = performance.now();
    setTimeout(leave, STOP_MS, `not stopped within ${String(STOP_MS / 1000)} s`).unref();
    stop.abort(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  return stop.signal;
}
