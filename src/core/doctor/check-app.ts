import type { AppFacts, HookFacts, InstallationFacts } from '../model/app-facts.ts';
import type { EpochMs } from '../model/ids.ts';
import { toCountText } from '../text/words.ts';
import { bad, type DoctorCheck, good, warn } from './doctor-check.ts';
import { OPTIONAL_LEVELS, WANTED_EVENTS, WANTED_PERMISSIONS, type WantedPermission } from './wanted-access.ts';

type Levels = AppFacts['permissions'];

const SETTINGS = 'in the settings of the App on GitHub';

/** One check for each permission that is missing or too much. */
export function checkPermissions({ permissions }: Pick<AppFacts, 'permissions'>): readonly DoctorCheck[] {
  const missing = WANTED_PERMISSIONS.flatMap((wanted) => {
    const lack = findLack(wanted, permissions[wanted.name]);
    if (lack === null) return [];
    const report = OPTIONAL_LEVELS.has(wanted.name) ? warn : bad;
    const fix = `Set "${wanted.name}" to ${wanted.level} ${SETTINGS} (Permissions & events); then accept it for each installation.`;
    return [report('permissions', `${wanted.name}: ${wanted.level} is missing: ${lack}`, fix)];
  });
  const found = [...missing, ...findExcess(permissions)];
  return found.length > 0 ? found : [good('permissions', WANTED_PERMISSIONS.map(toText).join(', '))];
}

function toText({ name, level }: WantedPermission): string {
  return `${name}: ${level}`;
}

function findLack({ level, without, withReadOnly }: WantedPermission, granted: string | undefined): string | null {
  if (granted === undefined) return without;
  return level === 'write' && granted === 'read' ? (withReadOnly ?? without) : null;
}

/** Every right that the App has can be used by who steals its key. */
function findExcess(permissions: Levels): readonly DoctorCheck[] {
  const excess = Object.entries(permissions).filter(([name, granted]) => {
    const wanted = WANTED_PERMISSIONS.find((known) => known.name === name);
    return wanted === undefined || (wanted.level === 'read' && granted !== 'read') || granted === 'admin';
  });
  if (excess.length === 0) return [];
  const names = excess.map(([name, granted]) => `${name}: ${granted}`).join(', ');
  return [
    warn('permissions', `the App has more than it needs: ${names}`, `Take it away ${SETTINGS} (Permissions & events).`),
  ];
}

export function checkEvents({ events }: Pick<AppFacts, 'events'>): readonly DoctorCheck[] {
  const missing = WANTED_EVENTS.filter(({ name }) => !events.includes(name));
  const excess = events.filter((name) => WANTED_EVENTS.every((wanted) => wanted.name !== name));
  if (missing.length === 0 && excess.length === 0)
    return [good('events', `all ${String(WANTED_EVENTS.length)} are subscribed to`)];
  const lacks = missing.map(({ name, without, isNeeded }) => {
    const report = isNeeded ? bad : warn;
    return report(
      'events',
      `${name} is missing: ${without}`,
      `Subscribe to "${name}" ${SETTINGS} (Permissions & events).`,
    );
  });
  if (excess.length === 0) return lacks;
  const detail = `the App gets events that it does not use: ${excess.join(', ')}`;
  return [...lacks, warn('events', detail, `Unsubscribe from them ${SETTINGS} (Permissions & events).`)];
}

export function checkInstallations(
  { permissions }: Pick<AppFacts, 'permissions'>,
  installations: readonly InstallationFacts[],
): readonly DoctorCheck[] {
  if (installations.length === 0) {
    return [
      warn('installations', 'the App is not installed anywhere', 'Install it on the repositories it should work on.'),
    ];
  }
  const problems = installations.flatMap((installation) => checkInstallation(permissions, installation));
  return problems.length > 0 ? problems : [good('installations', toCountText(installations.length, 'installation'))];
}

function checkInstallation(
  wanted: Levels,
  { account, isSuspended, permissions }: InstallationFacts,
): readonly DoctorCheck[] {
  const name = JSON.stringify(account);
  if (isSuspended)
    return [
      warn('installations', `the installation of ${name} is suspended`, 'Whoever suspended it has to resume it.'),
    ];
  const pending = Object.keys(wanted).filter((key) => permissions[key] !== wanted[key]);
  if (pending.length === 0) return [];
  return [
    warn(
      'installations',
      `${name} has not accepted the permissions of the App: ${pending.join(', ')}`,
      `An owner of ${name} has to accept them: Settings, GitHub Apps, Configure, Review request.`,
    ),
  ];
}

/** `path`: where this server takes deliveries. */
export function checkWebhook({ url, contentType, hasSecret, verifiesTls }: HookFacts, path: string): DoctorCheck {
  const at = `${SETTINGS} (Webhook)`;
  if (url === null) return bad('webhook', 'the App has no webhook', `Set its URL, ending in ${path}, ${at}.`);
  // The address may hold a token of a proxy, so only its host and path are shown.
  const parsed = URL.parse(url);
  const shown = parsed === null ? 'its URL' : `${parsed.host}${parsed.pathname}`;
  if (parsed?.pathname !== path)
    return bad(
      'webhook',
      `GitHub sends to ${shown}, and this server listens on ${path}`,
      `Let its URL end in ${path} ${at}.`,
    );
  if (!hasSecret)
    return bad('webhook', 'it has no secret, so every delivery is refused', `Set the value of WEBHOOK_SECRET ${at}.`);
  if (contentType !== 'json')
    return bad('webhook', 'it does not send JSON, so every delivery is refused', `Choose application/json ${at}.`);
  if (!verifiesTls)
    return warn('webhook', `GitHub does not verify the certificate of ${shown}`, `Enable SSL verification ${at}.`);
  return good('webhook', shown);
}

/** Deliveries of the last page, newest first. */
export function checkDeliveries(sent: readonly { readonly isReceived: boolean }[]): DoctorCheck {
  if (sent.length === 0)
    return warn(
      'deliveries',
      'GitHub has sent nothing in the last days',
      'Send a ping by saving the webhook settings of the App.',
    );
  const lost = sent.filter(({ isReceived }) => !isReceived).length;
  if (lost === 0) return good('deliveries', `the last ${String(sent.length)} were received`);
  const detail = `${String(lost)} of the last ${String(sent.length)} were not received`;
  const fix =
    'See "Recent Deliveries" in the settings of the App: is the address reachable, and is WEBHOOK_SECRET the same?';
  // The newest ones tell whether it still happens.
  return sent[0]?.isReceived === true ? warn('deliveries', detail, fix) : bad('deliveries', detail, fix);
}

const WARN_SKEW_MS = 10_000;
const MAX_SKEW_MS = 60_000;

/** GitHub refuses tokens of an App whose clock is wrong by a minute. */
export function checkClock(githubTime: EpochMs | null, localTime: EpochMs): DoctorCheck {
  const fix = 'Synchronise the clock of this machine (for example with systemd-timesyncd or chrony).';
  if (githubTime === null) return warn('clock', 'GitHub did not say what time it is', 'Try again later.');
  const skewMs = localTime - githubTime;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const detail = `this machine is ${String(seconds)} s ${skewMs < 0 ? 'behind' : 'ahead of'} GitHub`;
  if (Math.abs(skewMs) >= MAX_SKEW_MS) return bad('clock', detail, fix);
  return Math.abs(skewMs) >= WARN_SKEW_MS ? warn('clock', detail, fix) : good('clock', detail);
}
