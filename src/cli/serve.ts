import { type AppInput, startApp } from '../compose/compose-app.ts';
import { runSetup, SETUP_MINUTES } from '../compose/run-setup.ts';
import { CodedError, ConfigError } from '../core/model/errors.ts';
import { announceSetup, reportExpired, reportStored } from '../core/setup/setup-words.ts';
import { type CliResult, fail, succeed } from './cli-result.ts';
import { findAssets } from './find-assets.ts';
import { findAppSource, readSettings, readSurroundings } from './read-settings.ts';

/** Process input of `serve`. */
export interface ServeInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: AppInput['logDestination'];
  /** Writes to stderr, for people. */
  readonly tell: (text: string) => void;
  readonly fetch: typeof fetch;
  readonly isRoot: boolean;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly version: string;
  /** Fires when the process is asked to stop. */
  readonly stop: AbortSignal;
}

/**
 * Runs the App until `stop` fires. Bad configuration ends it at once and lists every problem. Without any App it first serves the page
 * that registers one.
 */
export async function serve(input: ServeInput): Promise<CliResult> {
  try {
    if ((await findAppSource(input.variables)) === null) {
      const end = await registerApp(input);
      if (end !== null) return end;
    }
    const app = await startApp({
      ...(await readSettings(input.variables)),
      logDestination: input.stdout,
      isRoot: input.isRoot,
      nodePath: input.nodePath,
      version: input.version,
      ...findAssets(),
    });
    await new Promise<void>((resolve) => {
      if (input.stop.aborted) resolve();
      else input.stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await app.stop(String(input.stop.reason));
    return succeed('');
  } catch (error) {
    return toStartFailure(error);
  }
}

/** Null: an App is stored, and the start goes on. */
async function registerApp({ variables, stdout, tell, fetch, stop }: ServeInput): Promise<CliResult | null> {
  const { surroundings, hasAgent } = await readSurroundings(variables);
  const end = await runSetup({
    ...{ surroundings, organization: '', goesOn: hasAgent, logDestination: stdout, fetch, stop },
    announce: (announcement) => tell(announceSetup({ ...announcement, minutes: SETUP_MINUTES, hasAgent })),
  });
  if (end.kind === 'stopped') return succeed('');
  if (end.kind === 'expired') return fail(2, `ratchet: ${reportExpired(SETUP_MINUTES, end.settings)}`);
  tell(reportStored(end.app, end.path));
  return null;
}

/** What a failed start says. */
export function toStartFailure(error: unknown): CliResult {
  if (error instanceof ConfigError) {
    return fail(2, `ratchet: cannot start:\n${error.problems.map((problem) => `  - ${problem}\n`).join('')}`);
  }
  return fail(3, `ratchet: cannot start: ${toDetail(error)}\n`);
}

/** Errors of the operating system and of ours have clear messages. Any other error is a bug: show its stack. */
function toDetail(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isSystemError = 'syscall' in error && 'code' in error;
  return isSystemError || error instanceof CodedError ? error.message : (error.stack ?? error.message);
}
