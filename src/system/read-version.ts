import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const VERSION = /\b\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?\b/u;

/** The version that a program prints, or why it prints none. */
export type ReadVersion =
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Reads versions of programs by their real path. A program is asked again only after its file has changed. */
export function createVersionReader(
  nodePath: string,
  timeoutMs = TIMEOUT_MS,
): (program: string) => Promise<ReadVersion> {
  const known = new Map<string, Promise<ReadVersion>>();
  return async (program) => {
    const { mtimeMs, size, ino } = await stat(program);
    const key = JSON.stringify([program, mtimeMs, size, ino]);
    const reading = known.get(key) ?? readVersion(program, { nodePath, timeoutMs });
    known.set(key, reading);
    const read = await reading;
    // What failed for lack of time or memory may work the next time.
    if (read.kind === 'failed') known.delete(key);
    return read;
  };
}

/** Runs the program with an empty environment and an empty home folder, since some write there. */
async function readVersion(
  program: string,
  { nodePath, timeoutMs }: { readonly nodePath: string; readonly timeoutMs: number },
): Promise<ReadVersion> {
  const home = await mkdtemp(join(tmpdir(), 'ratchet-version-'));
  try {
    const result = await execa(program, ['--version'], {
      env: { HOME: home, PATH: `${dirname(nodePath)}:/usr/local/bin:/usr/bin:/bin`, NO_COLOR: '1' },
      extendEnv: false,
      cwd: home,
      reject: false,
      stdin: 'ignore',
      timeout: timeoutMs,
      maxBuffer: MAX_OUTPUT_BYTES,
      killDescendants: true,
    });
    const version = VERSION.exec(result.stdout)?.[0];
    if (!result.failed && version !== undefined) return { kind: 'version', version };
    const why = result.timedOut ? `did not answer within ${String(timeoutMs / 1000)} s` : toWhy(result);
    return { kind: 'failed', why: `\`${program} --version\` ${why}` };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function toWhy({ exitCode, stderr }: { readonly exitCode?: number | undefined; readonly stderr: string }): string {
  const said = stderr.trim().split('\n')[0]?.slice(0, 200) ?? '';
  return `printed no version (exit code ${String(exitCode)})${said === '' ? '' : `: ${said}`}`;
}
