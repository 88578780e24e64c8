const TEST_FOLDERS: ReadonlySet<string> = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e']);

const TEST_NAMES: readonly RegExp[] = [
  /[._-](?:test|tests|spec|specs)\.[^.]+$/u,
  /^(?:test|spec)[._-].+/u,
  /(?:Test|Tests|Spec|Specs)\.[A-Za-z]+$/u,
];

/** Lists of packages, and texts: `test-requirements.txt` is no test. */
const NO_TEST_NAMES: readonly RegExp[] = [
  /(?:^|[._-])(?:requirements|constraints)(?:[._-].*)?\.(?:txt|in)$/iu,
  /\.(?:md|mdx|rst|adoc)$/iu,
];

/** Whether a path is a test by the naming conventions of common languages, for folders and for files. */
export function isTestPath(path: string): boolean {
  const segments = path.split('/');
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (NO_TEST_NAMES.some((pattern) => pattern.test(name))) return false;
  if (segments.slice(0, -1).some((segment) => TEST_FOLDERS.has(segment.toLowerCase()))) return true;
  return TEST_NAMES.some((pattern) => pattern.test(name));
}

const SNAPSHOT =
  /\.(?:snap|ambr|approved\.\w+|golden|snap\.\w+)$|(?:^|\/)(?:__(?:image_)?snapshots__|__golden__|goldens?|snapshots)\//u;

/** Whether a path is a recorded expectation of tests, by the conventions of common tools. */
export function isSnapshotPath(path: string): boolean {
  return SNAPSHOT.test(path);
}
