/**
 * Why a path glob of a policy cannot match the paths that it is meant for, or null. Such a mistake in a protected path would
 * silently protect nothing.
 */
export function findGlobFault(glob: string): string | null {
  if (glob.trim() !== glob) return 'begins or ends with white space';
  if (/^!(?!\()/u.test(glob)) return 'begins with `!`, and nothing can be taken out of a list of paths';
  const segments = glob.replace(/^(?:\.?\/)+/u, '').split('/');
  if (segments.every((segment) => segment === '' || segment === '.'))
    return 'names no path below the root of the repository';
  return segments.includes('..') || segments.includes('.') ? 'holds `.` or `..`, which no path in git does' : null;
}
