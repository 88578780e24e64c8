import { normaliseLine } from '../ci/normalise-line.ts';
import { replacePath } from '../findings/replace-path.ts';
import { sha256 } from '../hash/sha256.ts';
import { isTestPath } from '../judge/test-paths.ts';
import type { Finding } from '../model/finding.ts';

/** Names of what a test raises itself when its expectation is not met. */
const EXPECTATION = /^(?:\w+\.)*(?:Assertion\w*|Failed|fail|ComparisonFailure|Error)$/u;
/** The first line of a message that shows an exception by its type. */
const RAISED = /^(?<type>(?:\w+\.)*[A-Za-z_$][\w$]*(?:Error|Exception|Warning|NotFound))\b/u;
/** A message that names something of the code, so that equal ones are about the same thing. */
const NAMES_SOMETHING = /["'`‘“][^"'`’”\s]{2,}["'`’”]/u;

/**
 * What findings in several files have in common if they have one cause (001.R22); null: nothing shows it. For a test it is the
 * exception and the place in the code that threw it, or else what the exception says; for a type, a message that names what is
 * wrong. An expectation that is not met says nothing: many tests expect something.
 */
export function findSignature(
  finding: Pick<Finding, 'tool' | 'project' | 'kind' | 'rule' | 'path' | 'identity' | 'message'>,
): string | null {
  const parts = toParts(finding);
  return parts === null ? null : sha256(JSON.stringify([finding.tool, finding.project, ...parts]));
}

function toParts({
  kind,
  rule,
  path,
  identity,
  message,
}: Parameters<typeof findSignature>[0]): readonly (string | null)[] | null {
  switch (kind) {
    case 'test_failure':
    case 'collection_error':
      return isThrownElsewhere(identity, path) ? ['at', identity] : toRaised(message, path);
    case 'type':
      return NAMES_SOMETHING.test(message) ? ['type', rule, toStable(message, path)] : null;
    default:
      return null;
  }
}

/** Whether an identity (`exception|path|function`) names a place in the code, and not in the test or a helper of tests. */
function isThrownElsewhere(identity: string | null, path: string | null): boolean {
  const [exception = '', place = ''] = identity?.split('|') ?? [];
  if (place === '' || place === path) return false;
  return !(isTestPath(place) && EXPECTATION.test(exception));
}

function toRaised(message: string, path: string | null): readonly string[] | null {
  const lines = message.split('\n').map((line) => line.trim());
  const raised = lines.find((line) => RAISED.test(line));
  const type = RAISED.exec(raised ?? '')?.groups?.['type'] ?? '';
  if (raised === undefined || raised === type || EXPECTATION.test(type)) return null;
  return ['raised', toStable(raised, path)];
}

/** Without what changes from run to run, and without the file's own path. */
function toStable(text: string, path: string | null): string {
  return normaliseLine(path === null ? text : replacePath(text, path, '<path>'));
}
