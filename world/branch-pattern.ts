import picomatch from 'picomatch';

/** Whether a branch matches a rule's pattern. As on GitHub, `*` stops at a slash and `**` does not. */
export function matchesBranch(pattern: string, branch: string): boolean {
  return picomatch.isMatch(branch, pattern, { dot: true });
}
