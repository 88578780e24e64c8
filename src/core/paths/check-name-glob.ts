import picomatch from 'picomatch';

/** Longest glob that is compiled; a longer one matches nothing. */
export const MAX_NAME_GLOB_LENGTH = 256;

/** Compiles the policy's `ignore` globs. */
export function createNameMatcher(globs: readonly string[]): (name: string) => boolean {
  const matchers = globs.filter((glob) => glob.length <= MAX_NAME_GLOB_LENGTH).map(createMatcher);
  return (name) => matchers.some((isMatch) => isMatch(name));
}

/** A check name is not a path: `*` also matches `/`. Only `*`, `?` and `{a,b}` are special; parentheses are literal. */
function createMatcher(glob: string): (name: string) => boolean {
  const escaped = glob.replace(/[()[\]|+@!^$\\]/g, String.raw`\$&`);
  return picomatch(escaped, { bash: true, dot: true, noextglob: true, nonegate: true });
}
