/** GitHub's limit for the title of a check run, and for that of an annotation. */
export const MAX_TITLE_LENGTH = 255;
/** Longest reason in a text that says more than that. */
export const MAX_REASON_LENGTH = 600;
