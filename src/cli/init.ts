import { runSetup, SETUP_MINUTES } from '../compose/run-setup.ts';
import { announceSetup, reportAlreadyStored, reportExpired, reportStored } from '../core/setup/setup-words.ts';
import { type CliResult, fail, succeed } from './cli-result.ts';
import { parseFlags } from './parse-flags.ts';
import { findAppSource, readSurroundings } from './read-settings.ts';
import { toStartFailure } from './serve.ts';

/** Process input of `init`. */
export interface InitInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Writes to stderr, for people. */
  readonly tell: (text: string) => void;
  readonly fetch: typeof fetch;
  readonly stop: AbortSignal;
}

const OPTIONS = { org: { type: 'string' }, 'webhook-url': { type: 'string' } } as const;
const NEXT = 'Start Ratchet with `ratchet serve`. `ratchet doctor` says what is missing.\n';

/**
 * Runs `ratchet init [--org NAME] [--webhook-url URL]`: registers the App and stores it, and starts nothing. Exit code 1 if nobody
 * registered one, 2 for wrong usage, or if there is an App already.
 */
export async function runInit(
  args: readonly string[],
  { variables, tell, fetch, stop }: InitInput,
): Promise<CliResult> {
  const flags = parseFlags(args, OPTIONS);
  if (typeof flags === 'string') return fail(2, `ratchet: init: ${flags}\n`);
  const [extra] = flags.positionals;
  if (extra !== undefined) return fail(2, `ratchet: init: unexpected argument ${JSON.stringify(extra)}\n`);
  try {
    const source = await findAppSource(variables);
    if (source?.kind === 'stored') return fail(2, reportAlreadyStored(source.app, source.path));
    if (source?.kind === 'variables') {
      return fail(
        2,
        'ratchet: init: variables name a GitHub App, and they win over a stored one: unset APP_ID, PRIVATE_KEY, PRIVATE_KEY_PATH, WEBHOOK_SECRET and WEBHOOK_SECRET_PREVIOUS to register another\n',
      );
    }
    const { surroundings } = await readSurroundings(variables);
    const webhookUrl = flags.values['webhook-url'] ?? surroundings.webhookUrl;
    const end = await runSetup({
      ...{ surroundings: { ...surroundings, webhookUrl }, organization: flags.values.org ?? '', goesOn: false },
      ...{ logDestination: { write: () => undefined }, fetch, stop },
      announce: (announcement) => tell(announceSetup({ ...announcement, minutes: SETUP_MINUTES, hasAgent: null })),
    });
    if (end.kind === 'stored') return succeed(`${reportStored(end.app, end.path)}${NEXT}`);
    if (end.kind === 'expired') return fail(1, `ratchet: init: ${reportExpired(SETUP_MINUTES, end.settings)}`);
    return fail(1, 'ratchet: init: stopped, no App was stored\n');
  } catch (error) {
    return toStartFailure(error);
  }
}
