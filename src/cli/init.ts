import { runSetup, SETUP_MINUTES, type SetupEnd, toSetupPlace } from '../compose/run-setup.ts';
import { judgeHookUrl } from '../core/setup/judge-hook-url.ts';
import { findOrganizationFault } from '../core/setup/setup-view.ts';
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
  const asked = parseInitArgs(args);
  if (typeof asked === 'string') return fail(2, `ratchet: init: ${asked}\n`);
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
    const hook = judgeHookUrl(asked.webhookUrl ?? '', toSetupPlace(surroundings));
    if (asked.webhookUrl !== null && hook.kind !== 'usable')
      return fail(2, `ratchet: init: --webhook-url: ${hook.why}\n`);
    const end = await runSetup({
      surroundings: { ...surroundings, webhookUrl: asked.webhookUrl ?? surroundings.webhookUrl },
      ...{ organization: asked.organization, goesOn: false },
      ...{ logDestination: { write: () => undefined }, fetch, stop },
      announce: (announcement) => tell(announceSetup({ ...announcement, minutes: SETUP_MINUTES, hasAgent: null })),
    });
    return toResult(end);
  } catch (error) {
    return toStartFailure(error);
  }
}

function toResult(end: SetupEnd): CliResult {
  if (end.kind === 'stored') return succeed(`${reportStored(end.app, end.path)}${NEXT}`);
  if (end.kind === 'expired') return fail(1, `ratchet: init: ${reportExpired(SETUP_MINUTES, end.settings)}`);
  return fail(1, 'ratchet: init: stopped, no App was stored\n');
}

/** One line that says what is wrong, or what was asked for. `webhookUrl` null: the variable, if it is set. */
function parseInitArgs(
  args: readonly string[],
): { readonly organization: string; readonly webhookUrl: string | null } | string {
  const flags = parseFlags(args, OPTIONS);
  if (typeof flags === 'string') return flags;
  const [extra] = flags.positionals;
  if (extra !== undefined) return `unexpected argument ${JSON.stringify(extra)}`;
  const { org: organization = '', 'webhook-url': webhookUrl = null } = flags.values;
  const fault = findOrganizationFault(organization);
  return fault === null ? { organization, webhookUrl } : `--org ${JSON.stringify(organization)}: ${fault}`;
}
