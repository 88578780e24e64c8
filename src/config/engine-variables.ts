/** Valid names of variables that a policy sets for a tool. */
const NAME = /^[A-Z][A-Z0-9_]{0,63}$/u;

/**
 * Variables that change what code runs before or instead of the tool, where it reads settings and secrets, or that
 * Ratchet and git set themselves. The list may be incomplete: tools run in a sandbox anyway.
 */
const REFUSED_NAMES = new Set(
  [
    'PATH HOME SHELL USER LOGNAME ENV IFS PS4 CDPATH TMPDIR TMP TEMP EDITOR VISUAL PAGER CI NO_COLOR FORCE_COLOR',
    'CLASSPATH GCONV_PATH LOCPATH NLSPATH RUSTFLAGS MAKEFLAGS GOFLAGS GOENV GOROOT GOPATH GOTOOLCHAIN GOPROXY GOBIN',
    'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS PYTEST_ADDOPTS PYTEST_PLUGINS VIRTUAL_ENV',
    'COVERAGE_PROCESS_START HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY',
  ].flatMap((line) => line.split(' ')),
);
const REFUSED_BEGINNINGS = [
  'LD_ DYLD_ GLIBC_ MALLOC_ BASH_ GIT_ SSH_ SSL_ XDG_ GITHUB_ ACTIONS_ RUNNER_ RATCHET_ AWS_ AZURE_ GOOGLE_',
  'NODE_ NPM_ PNPM_ YARN_ BUN_ DENO_ TS_NODE_ PYTHON PIP_ UV_ POETRY_ CONDA_ PERL RUBY GEM_ BUNDLE_ CARGO_ RUSTC',
  'DOTNET_ CORECLR_ COMPLUS_ PHP_ PHPRC LUA_',
].flatMap((line) => line.split(' '));

/** Exceptions from the prefixes above: they only affect a program's behaviour. */
const HARMLESS = new Set(['NODE_ENV', 'PYTHONHASHSEED', 'PYTHONUTF8', 'PYTHONDONTWRITEBYTECODE']);

/** Returns why a policy may not set a variable; null if it may. */
export function findVariableFault(name: string): string | null {
  if (!NAME.test(name)) return 'a name of a variable is made of capital letters, digits and _';
  const isRefused = REFUSED_NAMES.has(name) || REFUSED_BEGINNINGS.some((beginning) => name.startsWith(beginning));
  if (HARMLESS.has(name) || !isRefused) return null;
  return 'this variable decides what code runs, or belongs to Ratchet, and cannot be set here';
}
