import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { gitEnvironment } from './run-git.ts';

/** An object of a repository; `bytes` is its content without git's own header. */
export type GitObject = { readonly sha: string; readonly kind: string; readonly size: number; readonly bytes: Buffer };

/**
 * Reads the objects of one repository through one `git cat-file` that runs until `close`, because starting git for each
 * object takes a hundred times longer. It finds objects that were written after its start.
 */
export type ObjectReader = {
  /** The object with this name (everything that `git rev-parse` takes), or null. */
  readonly read: (name: string) => Promise<GitObject | null>;
  /** The same without its content: `bytes` is empty. */
  readonly find: (name: string) => Promise<GitObject | null>;
  /** Ends the process. Later reads start another one. */
  readonly close: () => Promise<void>;
};

type Command = 'contents' | 'info';

type Question = {
  readonly command: Command;
  readonly resolve: (object: GitObject | null) => void;
  readonly reject: (error: Error) => void;
};

type Process = { readonly child: ChildProcessByStdio<Writable, Readable, null>; readonly questions: Question[] };

const HEADER = /^(?<sha>[0-9a-f]{40}) (?<kind>\w+) (?<size>\d+)$/u;
const NEWLINE = 0x0a;

/** Creates the reader of the repository at `dir`. The process starts with the first read. */
export function createObjectReader(dir: string): ObjectReader {
  let running: Process | null = null;

  function start(): Process {
    const child = spawn('git', ['cat-file', '--batch-command'], {
      cwd: dir,
      env: gitEnvironment(),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const process: Process = { child, questions: [] };
    const fail = (error: Error): void => {
      if (running === process) running = null;
      for (const question of process.questions.splice(0)) question.reject(error);
    };
    child.once('error', fail);
    child.once('close', () => fail(new Error(`git cat-file ended in ${dir}`)));
    // The process has ended, which `close` reports.
    child.stdin.on('error', () => undefined);
    answerQuestions(process);
    return process;
  }

  async function ask(command: Command, name: string): Promise<GitObject | null> {
    // A question is one line.
    if (name === '' || /[\n\0]/u.test(name)) return null;
    running ??= start();
    const { child, questions } = running;
    return await new Promise((resolve, reject) => {
      questions.push({ command, resolve, reject });
      child.stdin.write(`${command} ${name}\n`);
    });
  }

  return {
    read: async (name) => await ask('contents', name),
    find: async (name) => await ask('info', name),
    close: async () => {
      if (running === null) return;
      const { child } = running;
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  };
}

/** Gives each question its answer, in the order of the questions. */
function answerQuestions({ child, questions }: Process): void {
  let unread: Buffer[] = [];
  let size = 0;
  let needed = 1;
  child.stdout.on('data', (chunk: Buffer) => {
    unread.push(chunk);
    size += chunk.length;
    if (size < needed) return;
    let rest = Buffer.concat(unread);
    let [question] = questions;
    for (; question !== undefined; [question] = questions) {
      const answer = parseAnswer(question.command, rest);
      needed = answer.end;
      if (answer.object === undefined) break;
      rest = rest.subarray(answer.end);
      questions.shift();
      question.resolve(answer.object);
      needed = 1;
    }
    unread = [rest];
    size = rest.length;
  });
}

/** The first answer in `bytes`. `object` is undefined as long as there are fewer than `end` bytes. */
function parseAnswer(command: Command, bytes: Buffer): { object: GitObject | null | undefined; end: number } {
  const lineEnd = bytes.indexOf(NEWLINE);
  if (lineEnd === -1) return { object: undefined, end: bytes.length + 1 };
  const { sha, kind, size } = HEADER.exec(bytes.toString('utf8', 0, lineEnd))?.groups ?? {};
  const start = lineEnd + 1;
  // `<name> missing`, or `ambiguous`.
  if (sha === undefined || kind === undefined) return { object: null, end: start };
  const header = { sha, kind, size: Number(size) };
  if (command === 'info') return { object: { ...header, bytes: Buffer.alloc(0) }, end: start };
  const end = start + header.size;
  if (bytes.length <= end) return { object: undefined, end: end + 1 };
  return { object: { ...header, bytes: bytes.subarray(start, end) }, end: end + 1 };
}
