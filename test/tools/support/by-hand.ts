import { join } from 'node:path';
import { execa } from 'execa';

/** A tool as its users call it, and how they count what it found. */
export interface HandRun {
  /** Id of the engine, and its project below the root, as the report of `ratchet check` names them. */
  readonly engine: string;
  readonly project?: string;
  /** Relative to the root of the project; left out: that root. */
  readonly cwd?: string;
  readonly argv: readonly string[];
  readonly count: (output: { readonly stdout: string; readonly stderr: string }) => number;
}

const TIMEOUT_MS = 300_000;

/** How many findings the tool has. Throws where it did not start. */
export async function countByHand(
  root: string,
  { cwd = '.', argv, count }: HandRun,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const [program = '', ...args] = argv;
  const {
    stdout,
    stderr,
    exitCode,
    shortMessage = '',
  } = await execa(program, args, {
    cwd: join(root, cwd),
    env: { ...env, NO_COLOR: '1', CI: '1' },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: TIMEOUT_MS,
  });
  if (exitCode === undefined) throw new Error(shortMessage);
  return count({ stdout, stderr });
}

function lines(pattern: RegExp): (text: string) => number {
  return (text) => text.split('\n').filter((line) => pattern.test(line)).length;
}

/** The path to Node's modules is that of the root, where the packages are. */
export function eslintByHand(place: Pick<HandRun, 'project' | 'cwd'> = {}, modules = 'node_modules'): HandRun {
  return {
    engine: 'eslint',
    argv: [process.execPath, `${modules}/eslint/bin/eslint.js`, '.'],
    // The last line: `✖ 3 problems (2 errors, 1 warning)`.
    count: ({ stdout }) => Number(/✖ (\d+) problems? \(/u.exec(stdout)?.[1] ?? 0),
    ...place,
  };
}

export function tscByHand(
  args: readonly string[],
  place: Pick<HandRun, 'project' | 'cwd'> = {},
  modules = 'node_modules',
): HandRun {
  return {
    engine: 'tsc',
    argv: [process.execPath, `${modules}/typescript/bin/tsc`, ...args, '--pretty', 'false'],
    // A file of another project belongs to that one, also where this one imports it.
    count: ({ stdout }) => lines(/^(?!\.\.\/)\S.*\(\d+,\d+\): error TS\d+: /u)(stdout),
    ...place,
  };
}

export function mypyByHand(): HandRun {
  return {
    engine: 'mypy',
    argv: ['.venv/bin/python', '-m', 'mypy'],
    count: ({ stdout }) => Number(/^Found (\d+) errors? /mu.exec(stdout)?.[1] ?? 0),
  };
}

export function pytestByHand(): HandRun {
  return {
    engine: 'pytest',
    argv: ['.venv/bin/python', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
    count: ({ stdout }) => lines(/^(?:FAILED|ERROR) /u)(stdout),
  };
}

export function goByHand(engine: 'go-vet' | 'go-test', module: string): HandRun {
  const command = engine === 'go-vet' ? 'vet' : 'test';
  return {
    engine,
    project: module,
    cwd: module,
    argv: ['go', command, './...'],
    count: ({ stdout, stderr }) =>
      engine === 'go-vet' ? lines(/^\S+\.go:\d+:\d+: /u)(stderr) : lines(/^\s*--- FAIL: /u)(stdout),
  };
}

export function clippyByHand(): HandRun {
  return {
    engine: 'clippy',
    argv: ['cargo', 'clippy', '--workspace', '--all-targets', '--message-format', 'short'],
    // The library and its tests are two targets with the same code.
    count: ({ stderr }) =>
      new Set(stderr.split('\n').filter((line) => /^\S+\.rs:\d+:\d+: (?:warning|error)/u.test(line))).size,
  };
}
