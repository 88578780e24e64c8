/**
 * Why a path glob of a policy would match no path that there is, though whoever wrote it means one; null where nothing shows that.
 * Of a path that is to be protected such a mistake would protect nothing.
 */
export function findGlobFault(glob: string): string | null {
  if (glob.trim() !== glob) return 'begins or ends with white space';
  if (/^!(?!\()/u.test(glob)) return 'begins with `!`, and nothing can be taken out of a list of paths';
  const segments = glob.replace(/^(?:\.?\/)+/u, '').split('/');
  if (segments.every((segment) => segment === '' || segment === '.'))
    return 'names no path below the root of the repository';
  return segments.includes('..') || segments.includes('.') ? 'holds `.` or `..`, which no path in git does' : null;
}
