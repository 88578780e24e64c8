import { createAppReader } from '../adapters/github/create-app-reader.ts';
import type { GitHubLimits } from '../adapters/github/create-github.ts';
import { createMachine } from '../adapters/machine/create-machine.ts';
import type { Environment } from '../config/environment.ts';
import { examineGitHub } from '../pipeline/doctor/examine-github.ts';
import { examineDisk, examineSpending } from '../pipeline/doctor/examine-machine.ts';
import { reportDiagnosis } from '../pipeline/doctor/report-diagnosis.ts';
import { runExaminations } from '../pipeline/doctor/run-examinations.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { CircuitStore, SwitchStore } from '../ports/spend-store.ts';
import { USER_AGENT } from './app-parts.ts';

/** A person waits for the answer: fewer tries than those of the service. */
export const DIAGNOSIS_LIMITS: Partial<GitHubLimits> = { requestMs: 8_000, callMs: 15_000, maxTries: 2 };

/**
 * The part of the diagnosis that is quick and that the start does not make anyway: the App on GitHub, the clock, the disk, open
 * circuits and switches. It runs beside the start and only writes to the log.
 */
export function diagnoseStart(
  {
    environment,
    privateKey,
  }: {
    readonly environment: Pick<Environment, 'appId' | 'githubApiUrl' | 'webhookPath'>;
    readonly privateKey: string;
  },
  parts: {
    readonly log: Log;
    readonly clock: Clock;
    readonly redact: (text: string) => string;
    readonly store: Pick<CircuitStore, 'circuits'> & Pick<SwitchStore, 'agentSwitches'>;
    readonly dataDir: string;
  },
): { readonly ended: Promise<void>; readonly stop: () => Promise<void> } {
  const { log, clock, redact, store, dataDir } = parts;
  const stopped = new AbortController();
  const { appId, githubApiUrl: baseUrl, webhookPath } = environment;
  const app = createAppReader({
    appId,
    privateKey,
    baseUrl,
    userAgent: USER_AGENT,
    log,
    clock,
    limits: DIAGNOSIS_LIMITS,
  });
  const machine = createMachine({ uid: null, fetch, userAgent: USER_AGENT });
  const ended = runExaminations(
    { redact, newDeadline: (ms) => AbortSignal.any([stopped.signal, AbortSignal.timeout(ms)]) },
    [
      // What failed while the service was down is asked for again anyway.
      ...examineGitHub({ app, clock }, { webhookPath }).filter(({ name }) => name !== 'deliveries'),
      examineDisk(machine, dataDir),
      examineSpending({ store, clock }),
    ],
  ).then((checks) => {
    if (!stopped.signal.aborted) reportDiagnosis(log, checks);
  });
  return {
    ended,
    stop: () => {
      stopped.abort();
      return ended;
    },
  };
}
