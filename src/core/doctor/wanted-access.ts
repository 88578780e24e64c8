/** A permission of the App, as `app.yml` requests it. */
export interface WantedPermission {
  readonly name: string;
  readonly level: 'read' | 'write';
  /** What stops working without it. */
  readonly without: string;
  /** What stops working with `read` only; null: the same. */
  readonly withReadOnly: string | null;
}

export const WANTED_PERMISSIONS: readonly WantedPermission[] = [
  {
    name: 'actions',
    level: 'write',
    without: 'agents get no logs of failed jobs, and failed jobs are not run again before an agent starts',
    withReadOnly: 'failed jobs are not run again before an agent starts',
  },
  { name: 'checks', level: 'write', without: 'no check run can be written', withReadOnly: null },
  {
    name: 'contents',
    level: 'write',
    without: 'nothing can be cloned or pushed',
    withReadOnly: 'nothing can be pushed',
  },
  {
    name: 'issues',
    level: 'write',
    without: 'comments are not read and not answered',
    withReadOnly: 'comments are not answered',
  },
  { name: 'metadata', level: 'read', without: 'nobody has permission to give a command', withReadOnly: null },
  {
    name: 'pull_requests',
    level: 'write',
    without: 'no pull request can be read',
    withReadOnly: 'review comments are not answered, and branches are not updated',
  },
  { name: 'statuses', level: 'read', without: 'CI that reports commit statuses is not seen', withReadOnly: null },
];

/** The least that every token needs. Without one of these Ratchet cannot work at all. */
export const OPTIONAL_LEVELS: ReadonlySet<string> = new Set(['actions']);

/** An event of the App. Without it a change is noticed only by the next timed look. */
export interface WantedEvent {
  readonly name: string;
  readonly without: string;
  /** No timed look makes up for it. */
  readonly isNeeded: boolean;
}

const LATE = 'is noticed only by the next timed look';

export const WANTED_EVENTS: readonly WantedEvent[] = [
  { name: 'check_run', without: `CI that ends ${LATE}, and buttons and Re-run do nothing`, isNeeded: true },
  { name: 'check_suite', without: `a finished check suite ${LATE}`, isNeeded: false },
  { name: 'issue_comment', without: 'commands in comments do nothing', isNeeded: true },
  { name: 'pull_request', without: 'new pull requests and labels are not noticed', isNeeded: true },
  { name: 'pull_request_review', without: `a review ${LATE}`, isNeeded: false },
  { name: 'pull_request_review_comment', without: 'commands in review comments do nothing', isNeeded: true },
  { name: 'pull_request_review_thread', without: `a resolved thread ${LATE}`, isNeeded: false },
  { name: 'push', without: 'conflicts that a push to the base causes are noticed late', isNeeded: false },
  { name: 'status', without: `a commit status ${LATE}`, isNeeded: false },
  { name: 'workflow_run', without: `a finished workflow ${LATE}`, isNeeded: false },
];
