/** Conclusions of our check runs. Never `cancelled`: GitHub counts it as failed. */
export const CHECK_RUN_CONCLUSIONS = ['success', 'failure', 'action_required', 'neutral', 'timed_out'] as const;
export type CheckRunConclusion = (typeof CHECK_RUN_CONCLUSIONS)[number];

export const CHECK_RUN_STATUSES = ['in_progress', 'completed'] as const;

export const ANNOTATION_LEVELS = ['notice', 'warning', 'failure'] as const;

/** An annotation at lines of a file, in GitHub's format. */
export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** 1-based. Only allowed if start line and end line are equal. */
  readonly startColumn?: number;
  readonly endColumn?: number;
  readonly level: (typeof ANNOTATION_LEVELS)[number];
  /** At most 255 characters. */
  readonly title?: string;
  /** At most 64 KiB. */
  readonly message: string;
}
