import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliResult } from '../../src/cli/cli-result.ts';
import { USAGES } from '../../src/cli/usages.ts';

const COMMANDS = Object.keys(USAGES);
const PROGRAM = join(import.meta.dirname, 'children/answer-commands.ts');

/** One program for all commands here, each of which ends before it does anything. */
let program: ChildProcess;

beforeAll(() => {
  program = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
});

afterAll(() => program.kill());

async function ratchet(...args: readonly string[]): Promise<CliResult> {
  program.send({ args });
  const answered = new AbortController();
  const { signal } = answered;
  try {
    const [answer]: CliResult[] = await Promise.race([
      once(program, 'message', { signal }),
      once(program, 'exit', { signal }).then(() => []),
    ]);
    if (answer === undefined) throw new Error(`the program ended at: ${args.join(' ')}`);
    return answer;
  } finally {
    answered.abort();
  }
}

describe('the help of the command line', () => {
  it('names every command, and nothing that is none', async () => {
    const { stdout } = await ratchet('--help');
    const named = [...stdout.matchAll(/^ {2}([a-z]+) /gmu)].map(([, name]) => name);

    expect(new Set(named)).toEqual(new Set(COMMANDS));
  });

  it.each(COMMANDS)('of %s is its own, and says what its exit codes mean', async (name) => {
    const { exitCode, stdout, stderr } = await ratchet(name, '--help');

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^usage: ratchet ${name}\\b`, 'u'));
    expect(stdout).toContain('Exit codes: 0 ');
    expect(stdout.split('\n').filter((line) => line.length > 140)).toEqual([]);
  });

  it.each([
    [['help', 'backup'], 'backup'],
    [['backup', '-h'], 'backup'],
    [['session', 'start', '--help'], 'session'],
    [['config', '--help', 'validate'], 'config'],
  ])('is found however one asks: %j', async (args, name) => {
    expect((await ratchet(...args)).stdout).toMatch(new RegExp(`^usage: ratchet ${name}\\b`, 'u'));
  });

  it('is not what a name asks for that follows --', async () => {
    expect(await ratchet('backup', '--', '--help', 'extra')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

/** The lines of a usage: command, action if there is one, and the flags of that line, each with a value if it takes one. */
const LINES = Object.entries(USAGES).flatMap(([name, usage]) => {
  const [head = ''] = usage.split('\n\n');
  const described = Array.from(
    usage.matchAll(/^ {2}(--[a-z-]+)(?: ([A-Z]\S*|[a-z]+\|\S+))?/gmu),
    ([, flag = '', value]) => (value === undefined ? flag : `${flag}=1`),
  );
  return head.split('\n').flatMap((line) => {
    const [, actions = ''] = /^(?:usage:| {6}) ratchet [a-z]+ ([a-z|]+)?/u.exec(`${line} `) ?? [];
    const flags = Array.from(line.matchAll(/--[a-z-]+/gu), ([flag]) => flag);
    const named = described.filter((flag) => /\[options\]/u.test(line) || flags.includes(flag.replace('=1', '')));
    return actions.split('|').map((action) => [[name, ...(action === '' ? [] : [action])], named] as const);
  });
});

describe('a usage', () => {
  it.each(LINES.filter(([, flags]) => flags.length > 0))(
    'names no flag that is refused: %j %j',
    async (words, flags) => {
      // The last one is refused before anything is done, so every other one has been taken.
      const { exitCode, stderr } = await ratchet(...words, ...flags, '--no-such-flag');

      expect(exitCode).toBe(2);
      expect(stderr).toContain('--no-such-flag');
    },
  );

  it('describes every flag that it names', () => {
    const missing = Object.entries(USAGES).flatMap(([name, usage]) => {
      const [head = '', ...rest] = usage.split('\n\n');
      const flags = Array.from(head.matchAll(/--[a-z-]+/gu), ([flag]) => flag);
      return flags.filter((flag) => !rest.join('\n').includes(`  ${flag} `)).map((flag) => `${name} ${flag}`);
    });

    expect(missing).toEqual([]);
  });
});

describe('a flag that a command takes', () => {
  const folder = join(import.meta.dirname, '../../src/cli');
  /** Files declare flags for `parseArgs`. Their names begin with the command. */
  const declared = readdirSync(folder).flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const flags = source.matchAll(/['"]?(?<flag>[a-z][a-z-]*)['"]?: \{ type: '(?:string|boolean)'/gu);
    const [command = ''] = file.split(/[-.]/u, 1);
    return Array.from(flags, ({ groups }) => [command, groups?.['flag'] ?? ''] as const);
  });

  it('is found where it is declared', () => {
    expect(new Set(declared.map(([command]) => command))).toEqual(
      new Set(['agents', 'backup', 'check', 'explain', 'init', 'log', 'plan', 'run', 'session', 'undo']),
    );
  });

  it.each(declared)('is described by the usage of %s: --%s', (command, flag) => {
    const usage = Object.entries(USAGES).find(([name]) => name === command)?.[1];

    expect(usage).toMatch(new RegExp(`^ +--${flag}\\b`, 'mu'));
  });
});

describe('a mistyped word', () => {
  it.each([
    [['serv'], 'did you mean serve?'],
    [['bakcup', '--help'], 'did you mean backup?'],
    [['help', 'doctro'], 'did you mean doctor?'],
    [['plan', 'valdate', 'x'], 'did you mean validate?'],
    [['plan', 'show', 'x', '--mermiad'], 'did you mean --mermaid?'],
    [['explain', 'decison'], 'did you mean decision?'],
    [['explain', 'failure', '--max-byts=9'], 'did you mean --max-bytes?'],
    [['explain', 'merge', '--rpo', '.', 'HEAD'], 'did you mean --repo?'],
    [['config', 'pritn'], 'did you mean print?'],
    [['session', 'strat'], 'did you mean start?'],
    [['agents', 'statsu'], 'did you mean status?'],
    [['undo', '--jsn', 'a/b#1'], 'did you mean --json?'],
    [['doctor', '--jsno'], 'did you mean --json?'],
    [['restore', '--forec', 'x'], "Unknown option '--forec'"],
  ])('gets a suggestion in one line, and exit code 2: %j', async (args, words) => {
    const { exitCode, stdout, stderr } = await ratchet(...args);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/^.+\n$/u);
  });

  it.each([['constructor'], ['__proto__']])('is never taken for a command by accident: %s', async (name) => {
    expect(await ratchet(name, '--help')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
