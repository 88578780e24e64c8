/** A permission of the App, as its manifest requests it. */
export interface WantedPermission {
  readonly name: string;
  readonly level: 'read' | 'write';
  /** What Ratchet does with it: one sentence without a full stop. `app.yml` and the set-up page show it. */
  readonly why: string;
  /** What stops working without it. */
  readonly without: string;
  /** What stops working with `read` only; null: the same. */
  readonly withReadOnly: string | null;
}

export const WANTED_PERMISSIONS: readonly WantedPermission[] = [
  {
    name: 'actions',
    level: 'write',
    why: 'read the logs of failed jobs, and run failed jobs again before an agent starts',
    without: 'agents get no logs of failed jobs, and failed jobs are not run again before an agent starts',
    withReadOnly: 'failed jobs are not run again before an agent starts',
  },
  {
    name: 'checks',
    level: 'write',
    why: 'write the check runs "Ratchet", "Ratchet / config" and "Ratchet / quality", and read the results of others',
    without: 'no check run can be written',
    withReadOnly: null,
  },
  {
    name: 'contents',
    level: 'write',
    why: 'clone, read the policy files, push the commit, update a branch to its base; changes of workflow files stay out of reach',
    without: 'nothing can be cloned or pushed',
    withReadOnly: 'nothing can be pushed',
  },
  {
    name: 'issues',
    level: 'write',
    why: 'read and write comments and reactions in the conversation of a pull request',
    without: 'comments are not read and not answered',
    withReadOnly: 'comments are not answered',
  },
  {
    name: 'metadata',
    level: 'read',
    why: 'read which permission a person has who gives a command or reviews',
    without: 'nobody has permission to give a command',
    withReadOnly: null,
  },
  {
    name: 'pull_requests',
    level: 'write',
    why: 'read reviews and their threads, answer and resolve them, update a branch, turn auto-merge off',
    without: 'no pull request can be read',
    withReadOnly: 'review comments are not answered, and branches are not updated',
  },
  {
    name: 'statuses',
    level: 'read',
    why: 'read the results of CI that reports commit statuses',
    without: 'CI that reports commit statuses is not seen',
    withReadOnly: null,
  },
];

/** The least that every token needs. Without one of these Ratchet cannot work at all. */
export const OPTIONAL_LEVELS: ReadonlySet<string> = new Set(['actions']);

/** An event of the App. Without it a change is noticed only by the next timed look. */
export interface WantedEvent {
  readonly name: string;
  /** What Ratchet learns by it: a noun phrase. `app.yml` and the set-up page show it. */
  readonly why: string;
  readonly without: string;
  /** No timed look makes up for it. */
  readonly isNeeded: boolean;
}

const LATE = 'is noticed only by the next timed look';

export const WANTED_EVENTS: readonly WantedEvent[] = [
  {
    name: 'check_run',
    why: 'results of CI, buttons of check runs, Re-run',
    without: `CI that ends ${LATE}, and buttons and Re-run do nothing`,
    isNeeded: true,
  },
  { name: 'check_suite', why: 'finished check suites', without: `a finished check suite ${LATE}`, isNeeded: false },
  { name: 'issue_comment', why: 'commands in comments', without: 'commands in comments do nothing', isNeeded: true },
  {
    name: 'pull_request',
    why: 'new commits, labels, drafts, closed pull requests',
    without: 'new pull requests and labels are not noticed',
    isNeeded: true,
  },
  { name: 'pull_request_review', why: 'reviews', without: `a review ${LATE}`, isNeeded: false },
  {
    name: 'pull_request_review_comment',
    why: 'commands in review comments',
    without: 'commands in review comments do nothing',
    isNeeded: true,
  },
  {
    name: 'pull_request_review_thread',
    why: 'resolved threads',
    without: `a resolved thread ${LATE}`,
    isNeeded: false,
  },
  {
    name: 'push',
    why: 'base branches that moved, policy files that changed',
    without: 'conflicts that a push to the base causes are noticed late',
    isNeeded: false,
  },
  { name: 'status', why: 'commit statuses of CI', without: `a commit status ${LATE}`, isNeeded: false },
  { name: 'workflow_run', why: 'finished workflows', without: `a finished workflow ${LATE}`, isNeeded: false },
];
