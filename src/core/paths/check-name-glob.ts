import picomatch from 'picomatch';

/** Longest glob that is compiled; a longer one matches nothing. */
export const MAX_NAME_GLOB_LENGTH = 256;

/** Compiles the globs `ignore` of the policy. */
export function createNameMatcher(globs: readonly string[]): (name: string) => boolean {
  const matchers = globs.filter((glob) => glob.length <= MAX_NAME_GLOB_LENGTH).map(createMatcher);
  return (name) => matchers.some((isMatch) => isMatch(name));
}

/** A name is not a path: `*` also matches `/`, and `build (*)` means its parentheses; `*`, `?` and `{a,b}` alone are special. */
function createMatcher(glob: string): (name: string) => boolean {
  const escaped = glob.replace(/[()[\]|+@!^$\\]/g, String.raw`\$&`);
  return picomatch(escaped, { bash: true, dot: true, noextglob: true, nonegate: true });
}
