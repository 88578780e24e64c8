// A coding agent without a model: it reads an AgentRequest on stdin and does what a script says, the same every time.
//
//   node fake-agent-program.mjs SCRIPT.json      (in the workspace, or with the request's workspace_path)
//
// Script: { "steps": [Step, …] }, or
//         { "byAttempt": [{ "steps": […] }, …] }            the attempt is 1 + the number of previous_attempt_refs; the last
//                                                           entry serves all further attempts, or
//         { "cases": [{ "when": Condition, "steps": […] }, …], "steps": […] }
//                                                           the first case whose condition holds, else "steps".
// Condition: { "file": PATH, "contains": TEXT } | { "file": PATH, "lacks": TEXT } | { "missing": PATH } | { "attempt": N }
//            | { "prompt": TEXT } (the task prompt contains it)
// Step: { "do": "edit", "file": PATH, "find": TEXT, "replace": TEXT }    fails when TEXT is not there
//       { "do": "write", "file": PATH, "text": TEXT } | { "do": "delete", "file": PATH }
//       { "do": "chmod", "file": PATH, "mode": "755" } | { "do": "symlink", "file": PATH, "target": TEXT }
//       { "do": "mkdir-git", "folder": PATH }                            a nested repository with a hostile configuration
//       { "do": "print", "text": TEXT } | { "do": "flood", "bytes": N }
//       { "do": "hang", "ignoreSigterm": BOOL } | { "do": "crash", "exitCode": N }
//       { "do": "wait", "for": NAME }                                    until the script file's "released" list holds NAME
//       { "do": "run", "command": TEXT }                                 by the shell, to its end
//       { "do": "spawn-daemon" }                                         a child of its own session that outlives the agent
//       { "do": "result", "status": …, "summary": …, "override": {…} }   prints the result, ids from the request
//         with "answers": [{ "when": TEXT, "status": …, "reason": … }, …] it answers each item of a review with the first
//         entry whose "when" the item's evidence file contains, or that has none; an item without such an entry gets no answer
//       { "do": "two-results", … } | { "do": "none" }
// A script without a result-printing step ends with { "do": "result", "status": "success" }.
//
// One file, Node's own modules only: it runs inside the sandbox, where nothing else is.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const FLOOD_CHUNK = Buffer.alloc(64 * 1024, 'flood ');
const WAIT_MS = 20;
const SCRIPT_READS = 50;
const RESULT_STEPS = new Set(['result', 'two-results', 'none', 'crash', 'hang']);

// Do not use `readFileSync(0)`: importing `node:process` opens stdin as non-blocking, so late input would be missed.
const request = JSON.parse(await text(process.stdin));
const script = await readScript();
const attempt = request.context.previous_attempt_refs.length + 1;

for (const step of chooseSteps()) await perform(step);

/** Retries while the script is being written and is not yet valid JSON. */
async function readScript() {
  for (let left = SCRIPT_READS; ; left -= 1) {
    try {
      return JSON.parse(readFileSync(process.argv[2], 'utf8'));
    } catch (error) {
      if (left <= 1 || !(error instanceof SyntaxError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

function chooseSteps() {
  const chosen = chooseBranch();
  const steps = chosen.steps ?? [];
  return steps.some((step) => RESULT_STEPS.has(step.do)) ? steps : [...steps, { do: 'result', status: 'success' }];
}

function chooseBranch() {
  if (script.byAttempt !== undefined) return script.byAttempt[Math.min(attempt, script.byAttempt.length) - 1];
  return (script.cases ?? []).find(({ when }) => holds(when)) ?? script;
}

function holds(when) {
  if (when.attempt !== undefined && when.attempt !== attempt) return false;
  if (when.prompt !== undefined && !request.instructions.task_prompt.includes(when.prompt)) return false;
  if (when.missing !== undefined && existsSync(when.missing)) return false;
  if (when.file === undefined) return true;
  const text = existsSync(when.file) ? readFileSync(when.file, 'utf8') : null;
  if (when.contains !== undefined) return text?.includes(when.contains) === true;
  return text !== null && !text.includes(when.lacks);
}

async function perform(step) {
  const perform = {
    edit: () => edit(step),
    write: () => write(step.file, step.text),
    delete: () => rmSync(step.file, { recursive: true }),
    chmod: () => chmodSync(step.file, Number.parseInt(step.mode, 8)),
    symlink: () => symlinkSync(step.target, step.file),
    'mkdir-git': () => makeRepository(step.folder),
    print: () => print(step.text),
    flood: () => flood(step.bytes),
    hang: () => hang(step.ignoreSigterm === true),
    wait: () => waitFor(step.for),
    crash: () => process.exit(step.exitCode),
    run: () => execFileSync('/bin/sh', ['-c', step.command], { stdio: ['ignore', 'inherit', 'inherit'] }),
    'spawn-daemon': () => spawnDaemon(),
    result: () => printResult(step),
    'two-results': () => {
      printResult(step);
      printResult(step);
    },
    none: () => undefined,
  }[step.do];
  if (perform === undefined) fail(`unknown step ${JSON.stringify(step.do)}`);
  await perform();
}

function edit({ file, find, replace }) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(find)) fail(`${file} does not contain ${JSON.stringify(find)}`);
  writeFileSync(
    file,
    text.replace(find, () => replace),
  );
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Creates a repository without git, which may be missing. */
function makeRepository(folder) {
  const git = join(folder, '.git');
  for (const name of ['objects', 'refs/heads']) mkdirSync(join(git, name), { recursive: true });
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(git, 'config'), '[core]\n\tfsmonitor = "touch /tmp/ratchet-nested-repository-ran"\n');
  writeFileSync(join(folder, 'nested.txt'), 'in a nested repository\n');
}

function flood(bytes) {
  for (let left = bytes; left > 0; left -= FLOOD_CHUNK.length)
    print(FLOOD_CHUNK.subarray(0, Math.min(left, FLOOD_CHUNK.length)));
}

async function hang(ignoreSigterm) {
  if (ignoreSigterm) process.on('SIGTERM', () => undefined);
  print('hanging\n');
  setInterval(() => undefined, 60_000);
  await new Promise(() => undefined);
}

async function waitFor(name) {
  while (!((await readScript()).released ?? []).includes(name)) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

/** Starts a process in its own session that ignores SIGTERM and SIGHUP and keeps the output open. */
function spawnDaemon() {
  const program = "process.on('SIGTERM',()=>{});process.on('SIGHUP',()=>{});setInterval(()=>{},60000)";
  const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
  child.unref();
}

function printResult({ status = 'success', summary = 'done as scripted', answers, override = {} }) {
  const { run_id, task_id } = request;
  const answered = answers === undefined ? {} : { answers: answerItems(answers) };
  print(`${JSON.stringify({ schema_version: 1, run_id, task_id, status, summary, ...answered, ...override })}\n`);
}

/** The evidence file of an item is named after the item's id. */
function answerItems(answers) {
  return request.context.findings_refs.flatMap((path) => {
    const evidence = readFileSync(path, 'utf8');
    const found = answers.find(({ when }) => when === undefined || evidence.includes(when));
    if (found === undefined) return [];
    return [{ id: basename(path, '.json'), status: found.status, reason: found.reason ?? 'as scripted' }];
  });
}

/** Writes all of `text`, and waits while the pipe is full. */
function print(text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function fail(why) {
  process.stderr.write(`fake agent: ${why}\n`);
  process.exit(70);
}
