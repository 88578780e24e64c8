import { findBraceFault, findTextFault } from '../policy/value-faults.ts';

/**
 * Why a path glob of a policy cannot match the paths that it is meant for, or null. Such a mistake in a protected path would
 * silently protect nothing.
 */
export function findGlobFault(glob: string): string | null {
  const fault = findTextFault(glob);
  if (fault !== null) return fault;
  const slashed = glob.replaceAll(/\\(?![()[\]{}])/gu, '/').replaceAll(/\/{2,}/gu, '/');
  if (glob.includes('\\') && slashed !== glob)
    return `holds \`\\\`, and folders are separated by \`/\`; write ${JSON.stringify(slashed)}`;
  if (/^!(?!\()/u.test(glob)) return 'begins with `!`, and nothing can be taken out of a list of paths';
  const segments = glob.replace(/^(?:\.?\/)+/u, '').split('/');
  if (segments.every((segment) => segment === '' || segment === '.'))
    return 'names no path below the root of the repository';
  if (segments.includes('..') || segments.includes('.')) return 'holds `.` or `..`, which no path in git does';
  return findBraceFault(glob);
}
