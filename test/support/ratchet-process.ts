import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { World } from '../../world/start-world.ts';
import { BUNDLE_FOLDER } from './build-bundle.ts';

/** One line of the App's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** How the App is started. */
export interface RatchetOptions {
  readonly world: World;
  /** Steps of the scripted agent. */
  readonly script: object;
  /** Kept over restarts; made when left out. */
  readonly dataDir?: string;
  readonly redisUrl?: string | null;
  readonly env?: Readonly<Record<string, string>>;
  /** Hears what it writes to stderr, also before it listens. */
  readonly onStderr?: (text: string) => void;
}

/** The App as a process of its own. */
export interface Ratchet {
  readonly dataDir: string;
  readonly lines: readonly LogLine[];
  readonly pid: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Resolves with the first line that matches, past ones included. */
  readonly untilLog: (
    matches: (line: LogLine) => boolean,
    what: string,
    /** The lines to show where it never comes; all by default. */
    isAbout?: (line: LogLine) => boolean,
  ) => Promise<LogLine>;
  /** Lets scripted agents go on that wait for this name. */
  readonly release: (name: string) => Promise<void>;
  /** Ends the process at once, as a crash does. */
  readonly crash: () => Promise<void>;
  /** Asks it to stop and waits for it; returns its exit code. */
  readonly stop: () => Promise<number | null>;
}

const MAIN = fileURLToPath(new URL(`../../${BUNDLE_FOLDER}/main.js`, import.meta.url));
/** As long as the world waits (`until`), and for the same reason. */
const TIMEOUT_MS = 300_000;

/** A folder that sandbox users may pass through, as the App wants its data folder to be. */
export async function makeDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ratchet-e2e-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Starts `ratchet serve` against `world`, waits until it listens, and points the world's webhooks at it. */
export async function startRatchet(options: RatchetOptions): Promise<Ratchet> {
  const { world } = options;
  const dataDir = options.dataDir ?? (await makeDataDir());
  const scriptPath = join(dataDir, 'agent-script.json');
  await writeFile(scriptPath, JSON.stringify(options.script), { mode: 0o644 });
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing is inherited: the test decides what the App sees.
    env: { ...toEnvironment(options, { dataDir, scriptPath }), ...options.env },
  });
  const log = collectLog(child);
  if (options.onStderr !== undefined) child.stderr.on('data', options.onStderr);
  const listening = await log.until((line) => line.msg === 'listening', 'the App to listen');
  const url = `http://127.0.0.1:${String(listening['port'])}`;
  world.setWebhookUrl(`${url}/api/github/webhooks`);
  const released: string[] = [];
  const { pid } = child;
  if (pid === undefined) throw new Error('the App has no process id');
  return {
    dataDir,
    lines: log.lines,
    pid,
    url,
    untilLog: log.until,
    async release(name) {
      released.push(name);
      await writeFile(scriptPath, JSON.stringify({ ...options.script, released }));
    },
    async crash() {
      const exited = hasExited(child) ? Promise.resolve() : once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      if (!hasExited(child)) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      return child.exitCode;
    },
  };
}

/** Runs `ratchet <args>` with `input` on its stdin, to its end: what it prints, and its exit code. */
export async function runRatchet(
  args: readonly string[],
  input: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string; readonly exitCode: number | null }> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env['PATH'], ...env } });
  child.stdin.end(input);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  await once(child, 'close');
  return { stdout, exitCode: child.exitCode };
}

/** Removes a data folder, whatever an agent left in it. */
export async function removeDataDir(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
}

function toEnvironment(
  { world, redisUrl, env = {} }: RatchetOptions,
  paths: { readonly dataDir: string; readonly scriptPath: string },
): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    APP_ID: String(world.app.id),
    PRIVATE_KEY: world.app.privateKey,
    WEBHOOK_SECRET: world.app.webhookSecret,
    HOST: '127.0.0.1',
    PORT: '0',
    GHE_HOST: new URL(world.url).host,
    GHE_PROTOCOL: 'http',
    LOG_LEVEL: 'debug',
    RATCHET_DATA_DIR: paths.dataDir,
    RATCHET_SANDBOX_UID_BASE: String(toUidBase(paths.dataDir)),
    // The file names all agents.
    ...('RATCHET_AGENTS_FILE' in env ? {} : { RATCHET_AGENT: 'fake', RATCHET_FAKE_AGENT_SCRIPT: paths.scriptPath }),
    ...(typeof redisUrl === 'string' ? { REDIS_URL: redisUrl } : {}),
  };
}

/** Two Apps on one machine must not share sandbox users, nor those of `uniqueUidBase`; one installation keeps its own over restarts. */
function toUidBase(dataDir: string): number {
  return 2_000_000 + 16 * createHash('sha256').update(dataDir).digest().readUInt16BE(0);
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

interface Waiter {
  readonly matches: (line: LogLine) => boolean;
  readonly resolve: (line: LogLine) => void;
}

function collectLog(child: ChildProcess): {
  readonly lines: readonly LogLine[];
  readonly until: Ratchet['untilLog'];
} {
  const lines: LogLine[] = [];
  const waiters = new Set<Waiter>();
  let stderr = '';
  let rest = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-4_000);
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const line = parseLine(part);
      lines.push(line);
      for (const waiter of waiters) if (waiter.matches(line)) waiter.resolve(line);
    }
  });
  return {
    lines,
    async until(matches, what, isAbout = () => true) {
      const past = lines.find(matches);
      if (past !== undefined) return past;
      const { promise, resolve, reject } = Promise.withResolvers<LogLine>();
      const waiter = { matches, resolve };
      waiters.add(waiter);
      const fail = (why: string): void =>
        reject(new Error(`waited for ${what}: ${why}\n${describe(lines.filter(isAbout))}\n${stderr}`));
      const timer = setTimeout(() => fail(`${String(TIMEOUT_MS)} ms passed`), TIMEOUT_MS);
      const onExit = (): void => fail('the process ended');
      child.once('exit', onExit);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        child.off('exit', onExit);
        waiters.delete(waiter);
      }
    },
  };
}

function describe(lines: readonly LogLine[]): string {
  return lines
    .filter((line) => line['level'] !== 20)
    .slice(-30)
    .map((line) => JSON.stringify(line).slice(0, 500))
    .join('\n');
}

function parseLine(text: string): LogLine {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'msg' in value && typeof value.msg === 'string') {
      return { ...value, msg: value.msg };
    }
  } catch {
    // A line that is no JSON is kept as it is.
  }
  return { msg: text };
}
