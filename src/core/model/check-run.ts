/** Conclusions of our check runs. */
export const CHECK_RUN_CONCLUSIONS = ['success', 'failure', 'action_required', 'cancelled', 'timed_out'] as const;
export type CheckRunConclusion = (typeof CHECK_RUN_CONCLUSIONS)[number];

export const CHECK_RUN_STATUSES = ['in_progress', 'completed'] as const;

export const ANNOTATION_LEVELS = ['notice', 'warning', 'failure'] as const;
export type AnnotationLevel = (typeof ANNOTATION_LEVELS)[number];
