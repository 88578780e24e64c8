import {
  checkClock,
  checkDeliveries,
  checkEvents,
  checkInstallations,
  checkPermissions,
  checkWebhook,
} from '../../core/doctor/check-app.ts';
import { good } from '../../core/doctor/doctor-check.ts';
import type { AppReader } from '../../ports/app-reader.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Examination } from './run-examinations.ts';

const TIMEOUT_MS = 20_000;

/** What GitHub knows about the App, against what this version needs. */
export function examineGitHub(
  { app, clock }: { readonly app: AppReader; readonly clock: Clock },
  { webhookPath }: { readonly webhookPath: string },
): readonly Examination[] {
  const fix = 'Check APP_ID, the private key (PRIVATE_KEY or PRIVATE_KEY_PATH), GHE_HOST, and the way to GitHub.';
  const shared = { timeoutMs: TIMEOUT_MS, ifUnknown: { state: 'fail', fix } } as const;
  return [
    {
      ...{ ...shared, name: 'app' },
      examine: async (signal) => {
        const facts = await app.readApp(signal);
        return [
          good('app', `GitHub knows it as ${JSON.stringify(facts.slug)}`),
          ...checkPermissions(facts),
          ...checkEvents(facts),
          ...checkInstallations(facts, await app.readInstallations(signal)),
        ];
      },
    },
    {
      ...{ ...shared, name: 'webhook' },
      examine: async (signal) => [checkWebhook(await app.readHook(signal), webhookPath)],
    },
    {
      ...{ ...shared, name: 'deliveries' },
      examine: async (signal) => [checkDeliveries(await app.readDeliveries(signal))],
    },
    {
      ...{ ...shared, name: 'clock' },
      examine: async (signal) => {
        const githubTime = await app.readTime(signal);
        return [checkClock(githubTime, clock.now())];
      },
    },
  ];
}
