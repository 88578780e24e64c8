import type { CheckAnnotation } from '../model/check-run.ts';
import type { FailureSign } from './log-failure.ts';

/** Where GitHub puts what a runner says about a whole job. */
const NO_PLACE = '.github';

/**
 * The failures of annotations in the form of what a log names, each place once. Those that `signs` has are left out: the log says more
 * about them. Warnings and notices are no failures.
 */
export function toAnnotationSigns(
  annotations: readonly CheckAnnotation[],
  signs: readonly FailureSign[],
): readonly FailureSign[] {
  const own = annotations.filter(({ level, path }) => level === 'failure' && path !== NO_PLACE);
  return own
    .filter((annotation, index) => own.findIndex((other) => isSamePlace(annotation, other)) === index)
    .filter((annotation) => !signs.some((sign) => isNamedBy(annotation, sign)))
    .map(({ path, startLine: line, startColumn: column = null, message }) => ({
      ...{ kind: 'place', tool: null, path, line, column, rule: null, testId: null, message },
    }));
}

function isSamePlace(left: CheckAnnotation, right: CheckAnnotation): boolean {
  return left.path === right.path && left.startLine === right.startLine && left.message === right.message;
}

/** A log may name a file from another folder, or by its whole path. */
function isNamedBy({ path, startLine }: CheckAnnotation, sign: FailureSign): boolean {
  if (sign.path === null || sign.line !== startLine) return false;
  return `/${sign.path}`.endsWith(`/${path}`) || `/${path}`.endsWith(`/${sign.path}`);
}
