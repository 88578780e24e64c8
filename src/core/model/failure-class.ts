/**
 * What a red check failed through. `infrastructure`: something outside of the code that may be gone next time. `flake`: a test or
 * its surroundings, by time or chance. `code`: a test, a compiler or a linter says so. `person`: only a person can mend it
 * (resolution S21). `unknown`: nothing says.
 */
export const FAILURE_CLASSES = ['infrastructure', 'flake', 'code', 'person', 'unknown'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];
