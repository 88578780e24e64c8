/** GitHub's limit for the title of a check run, and for that of an annotation. */
export const MAX_TITLE_LENGTH = 255;
/** Of a reason within a text that says more. */
export const MAX_REASON_LENGTH = 600;
