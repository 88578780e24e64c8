import type { JobFault, JobFaultKind } from '../faults.ts';
import type { StepResult } from '../state.ts';
import { createJobLog, renderStepHeader } from './job-log.ts';
import type { JobResult } from './job-result.ts';
import type { WorkflowJobPlan } from './workflow.ts';

type Symptoms = {
  readonly conclusion: 'failure' | 'cancelled';
  readonly output: readonly string[];
  /** The annotations. They also end the log as errors. */
  readonly messages: readonly string[];
};

const LOST =
  'The hosted runner lost communication with the server. Anything in your workflow that terminates the runner ' +
  'process, starves it for CPU/Memory, or blocks its network access can cause this error.';
const SHUTDOWN =
  'The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually ' +
  'started runner is canceled.';
const NETWORK_OUTPUT = [
  'npm error code ECONNRESET',
  'npm error network read ECONNRESET',
  'npm error network This is a problem related to network connectivity.',
];

/** GitHub starts no job for an account that does not pay. */
const UNPAID =
  'The job was not started because recent account payments have failed or your spending limit needs to be increased. ' +
  "Please check the 'Billing & plans' section in your settings";

/** The result of a job whose first command is hit by the fault. Nothing of the job is run. */
export function toFaultResult(plan: WorkflowJobPlan, fault: JobFault, at: string): JobResult {
  const { kind } = fault;
  if (kind === 'billing') return { conclusion: 'failure', steps: [], log: '', failureMessages: [UNPAID] };
  const { conclusion, output, messages } = toSymptoms({ ...fault, kind });
  const struck = Math.max(
    plan.steps.findIndex((step) => step.run !== null),
    0,
  );
  const log = createJobLog();
  log.add(...renderStepHeader(plan.steps[struck]?.run ?? plan.name), ...output);
  log.add(...messages.map((message) => `##[error]${message}`));
  const steps = plan.steps.map((step, index): StepResult => {
    const ended = index < struck ? 'success' : 'skipped';
    return {
      number: index + 1,
      name: step.name,
      status: 'completed',
      conclusion: index === struck ? conclusion : ended,
      startedAt: at,
      completedAt: at,
    };
  });
  return { conclusion: fault.conclusion ?? conclusion, steps, log: log.text(), failureMessages: messages };
}

function toSymptoms(fault: JobFault & { readonly kind: Exclude<JobFaultKind, 'billing'> }): Symptoms {
  switch (fault.kind) {
    case 'infrastructure':
      return { conclusion: 'failure', output: [], messages: [LOST] };
    case 'shutdown':
      return { conclusion: 'failure', output: [], messages: [SHUTDOWN, 'Process completed with exit code 143.'] };
    case 'timeout': {
      const limit = `exceeded the maximum execution time of ${fault.minutes ?? 360} minutes.`;
      const messages = [`The job running on runner GitHub Actions 1 has ${limit}`, 'The operation was canceled.'];
      return { conclusion: 'cancelled', output: [], messages };
    }
    case 'network':
      return { conclusion: 'failure', output: NETWORK_OUTPUT, messages: ['Process completed with exit code 1.'] };
  }
}
