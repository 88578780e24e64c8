import picomatch from 'picomatch';

/** True when a branch fits the pattern of a rule. As on GitHub, `*` stops at a slash and `**` does not. */
export function matchesBranch(pattern: string, branch: string): boolean {
  return picomatch.isMatch(branch, pattern, { dot: true });
}
