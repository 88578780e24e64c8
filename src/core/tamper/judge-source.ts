import { findRules } from '../findings/suppression-rules.ts';
import { isTestPath } from '../judge/test-paths.ts';
import type { AssertionFact, LiteralChoice, SourceEvent } from '../model/source-facts.ts';
import type { TestChangeFact } from '../model/test-change.ts';
import { toShown } from './compare-assertions.ts';
import { placeTests } from './match-tests.ts';
import { type SourceChange, toStem } from './source-change.ts';
import { type TestChange, toChangedPaths, toMissing } from './test-change.ts';

type Placed<Item> = Item & { readonly path: string };

/** What a change adds in any file: ends of the process, swallowed errors, mocks, answers that are written down. */
export function judgeEvents(change: TestChange): readonly TestChangeFact[] {
  const paths = new Set(toChangedPaths(change));
  const gather = (files: TestChange['before']): readonly Placed<SourceEvent>[] =>
    [...files].flatMap(([path, { facts }]) =>
      paths.has(path) ? facts.events.map((event) => ({ ...event, path })) : [],
    );
  const added = toMissing(gather(change.after), gather(change.before), ({ kind, text }) =>
    JSON.stringify([kind, text]),
  );
  return added.flatMap((event) => JUDGES[event.kind](event, change) ?? []);
}

type Judge = (event: Placed<SourceEvent>, change: TestChange) => TestChangeFact | null;

const JUDGES: Readonly<Record<SourceEvent['kind'], Judge>> = {
  exit: (event) =>
    toFact(
      event,
      'EXIT_FORCED',
      isTestPath(event.path) ? 'rejected' : 'held',
      'The process ends with success, whatever failed',
    ),
  swallowed_assertion: (event) => toFact(event, 'ERROR_SWALLOWED', 'rejected', 'A failed assertion goes nowhere'),
  swallowed: (event) => toFact(event, 'ERROR_SWALLOWED', 'held', 'An error goes nowhere'),
  environment: (event) =>
    isTestPath(event.path) ? null : toFact(event, 'ENVIRONMENT_DETECTED', 'held', 'The code asks whether tests run'),
  early_return: (event) =>
    event.detail === 'file'
      ? toFact(event, 'TEST_SKIPPED', 'rejected', 'A whole file is skipped')
      : toFact(event, 'TEST_CUT_SHORT', 'rejected', 'A test ends before its end'),
  equality: (event) => toFact(event, 'ASSERTION_TRIVIAL', 'rejected', 'A value is equal to everything'),
  mock: judgeMock,
  constant: judgeConstant,
};

function toFact(
  { path, line, text }: Placed<SourceEvent>,
  code: TestChangeFact['code'],
  is: TestChangeFact['is'],
  what: string,
): TestChangeFact {
  return { code, path, line, message: `${what}: ${toShown(text)}.`, is };
}

/** A mock of the module that the tests are named after, or of a function whose result they assert. */
function judgeMock(event: Placed<SourceEvent>, { after }: TestChange): TestChangeFact | null {
  const parts = event.detail.split(/[./#]+/u).filter((part) => part !== '');
  const stem = toStem(event.path);
  const subjects = assertionsOf(after, event.path).map(({ subject }) => subject);
  const called = new Set(
    subjects.flatMap((subject) => [...subject.matchAll(/(?<name>[\w$]+)\(/gu)].map((match) => match[1])),
  );
  const isModule = toStem(event.detail) === stem && /\//u.test(event.detail);
  if (isModule)
    return toFact(
      event,
      'SUBJECT_MOCKED',
      event.detail.endsWith('#') ? 'held' : 'rejected',
      'The thing under test is replaced',
    );
  if (called.has(parts.at(-1)))
    return toFact(event, 'SUBJECT_MOCKED', 'rejected', 'The function whose result is asserted is replaced');
  return parts.includes(stem) && event.detail.split('.').length > 2
    ? toFact(event, 'SUBJECT_MOCKED', 'held', 'A part of the thing under test is replaced')
    : null;
}

function assertionsOf(files: TestChange['after'], at: string): readonly AssertionFact[] {
  return [...files].flatMap(([path, { facts }]) =>
    path === at ? [...facts.assertions, ...facts.tests.flatMap(({ assertions }) => assertions)] : [],
  );
}

/** A function that computed something gives a literal now. */
function judgeConstant(event: Placed<SourceEvent>, { before, after }: TestChange): TestChangeFact | null {
  const sign = event.detail.indexOf('=');
  const [name, value] = [event.detail.slice(0, sign), event.detail.slice(sign + 1)];
  const wasDefined = before.get(event.path)?.facts.definitions.includes(name) === true;
  if (!wasDefined || isTestPath(event.path)) return null;
  const old =
    before
      .get(event.path)
      ?.facts.events.some(({ kind, detail }) => kind === 'constant' && detail.startsWith(`${name}=`)) === true;
  if (old) return null;
  const isExpected = placeTests(after).some(({ assertions }) =>
    assertions.some(({ expected }) => expected.replaceAll(/^"|"$/gu, '') === value),
  );
  return toFact(
    event,
    'ANSWER_HARD_CODED',
    isExpected ? 'rejected' : 'held',
    'A function gives a literal instead of computing',
  );
}

/** Literals by which the code chooses the very answers that tests ask for. */
export function judgeChoices(change: TestChange, source: SourceChange): readonly TestChangeFact[] {
  const tests = placeTests(change.before).map(({ words, assertions, cases }) => ({
    words: new Set(words),
    answers: new Set(cases > 1 ? words : assertions.map(({ expected }) => expected.replaceAll(/^"|"$/gu, ''))),
  }));
  const choicesOf = (files: TestChange['before'], at: string): readonly LiteralChoice[] =>
    [...files].flatMap(([path, { facts }]) => (path === at ? facts.choices : []));
  return source.files.flatMap(({ path }) => {
    const added = toMissing(choicesOf(change.after, path), choicesOf(change.before, path), ({ key, value }) =>
      JSON.stringify([key, value]),
    );
    const asked = added.filter(
      ({ key, value }) =>
        /^[[{(]/u.test(value) ||
        (key !== value && tests.some(({ words, answers }) => words.has(key) && answers.has(value))),
    );
    return asked.map(({ key, value, line }) => ({
      ...{ code: 'ANSWER_HARD_CODED' as const, path, line, is: 'held' as const },
      message: `The code answers ${toShown(key)} with ${toShown(value)}, as a test asks for.`,
    }));
  });
}

/** Suppressions that no removed one excuses. Skipped and focused tests are judged by their tests where a parser reads them. */
export function judgeSuppressions(change: TestChange): readonly TestChangeFact[] {
  const paths = toChangedPaths(change);
  const gather = (files: TestChange['before']): readonly Suppression[] =>
    paths.flatMap((path) => findSuppressed(path, files.get(path)?.text ?? ''));
  const added = toMissing(gather(change.after), gather(change.before), ({ name, text }) => `${name} ${text}`);
  return added.map(({ path, line, name, text }) =>
    name === 'skipped-file'
      ? { code: 'TEST_SKIPPED', path, line, message: `A whole file is skipped: ${toShown(text)}.`, is: 'rejected' }
      : { code: 'SUPPRESSION_ADDED', path, line, message: `A check is switched off: ${toShown(text)}.`, is: 'held' },
  );
}

interface Suppression {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

const BY_TESTS: ReadonlySet<string> = new Set(['skipped-test', 'only']);
const MAX_LINE = 2000;

function findSuppressed(path: string, text: string): readonly Suppression[] {
  const rules = findRules(path).filter(({ name }) => !BY_TESTS.has(name));
  if (rules.length === 0) return [];
  return text.split('\n').flatMap((whole, index) => {
    const line = whole.slice(0, MAX_LINE);
    return rules.flatMap(({ name, pattern }) => {
      const at = line.search(pattern);
      return at === -1 ? [] : [{ path, line: index + 1, name, text: line.slice(at).replaceAll(/\s+/gu, '') }];
    });
  });
}

const SNAPSHOT =
  /\.(?:snap|ambr|approved\.\w+|golden|snap\.\w+)$|(?:^|\/)(?:__(?:image_)?snapshots__|__golden__|goldens?|snapshots)\//u;

/** Snapshots that changed without a change of the code that shows in them. */
export function judgeSnapshots(change: TestChange, source: SourceChange): readonly TestChangeFact[] {
  const moved = new Set([...change.after].flatMap(([path, { text }]) => (change.before.has(path) ? [] : [text])));
  return [...change.before].flatMap(([path, { text }]): readonly TestChangeFact[] => {
    if (!SNAPSHOT.test(path)) return [];
    const now = change.after.get(path)?.text ?? '';
    const different = new Set([
      ...toMissing(toWords(now), toWords(text), String),
      ...toMissing(toWords(text), toWords(now), String),
    ]);
    const isShown = source.files.some(({ added, removed }) =>
      toWords([...added, ...removed].join(' ')).some((word) => different.has(word)),
    );
    const isGone = now === '' && text !== '';
    if (different.size === 0 || (isGone ? moved.has(text) || source.removedNames.size > 0 : isShown)) return [];
    const message = isGone
      ? 'A snapshot is gone.'
      : 'A snapshot is another one, and no change of the code shows in it.';
    return [{ code: 'SNAPSHOT_REWRITTEN', path, line: null, message, is: 'held' }];
  });
}

function toWords(text: string): readonly string[] {
  return text.match(/[\p{L}_][\p{L}\d_]*|\d[\d.]*|[^\p{L}\d\s"'`]/gu) ?? [];
}
