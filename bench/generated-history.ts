import { createRandom, randomInteger } from './random.ts';

/** Size of a generated repository. */
export interface RepositoryShape {
  readonly files: number;
  /** Lines of the lockfile. On average, every third commit changes it. */
  readonly lockfileLines: number;
  readonly commits: number;
  /** Number of refs below `refs/pull`, as GitHub keeps them for a repository of that age. */
  readonly pullRequests: number;
  /** Number of consecutive commits of the measured pull request, one per push. */
  readonly pushes: number;
}

/** Inserts a line, or replaces one. */
interface Edit {
  readonly line: number;
  readonly replaces: 0 | 1;
  readonly text: string;
}

/** A file's first version, and the edits that lead to each later one. */
interface FileHistory {
  readonly path: string;
  readonly first: readonly string[];
  readonly versions: (readonly Edit[])[];
  lines: number;
}

/** File `file` gets version `version` in a commit. */
interface Change {
  readonly file: number;
  readonly version: number;
}

const EPOCH_SECONDS = 1_700_000_000;
const FIRST_LINES = 70;
const WORDS = 4_000;
const COMMITS_PER_LOCKFILE_CHANGE = 3;
/** Most versions per delta chain, which is git's default limit. */
const CHAIN_LENGTH = 50;
/** Marks of commits start at 1. Marks of blobs start here, above all of those. */
const FIRST_BLOB_MARK = 1_000_000;
const SEED = 7;

/** The whole history as a stream for `git fast-import`. Equal shapes give equal streams. */
export function* renderHistory(shape: RepositoryShape): Generator<string> {
  const random = createRandom(SEED);
  const words = Array.from({ length: WORDS }, () => makeWord(random));
  const files = makeFiles(random, words, shape);
  const commits: Change[][] = [files.map((_, file) => ({ file, version: 0 }))];
  while (commits.length < shape.commits + shape.pushes) commits.push(makeCommit(random, words, files));
  const firstMarks = new Map<number, number>();
  let nextMark = FIRST_BLOB_MARK;
  for (const [index, file] of files.entries()) {
    firstMarks.set(index, nextMark);
    yield* renderVersions(file, nextMark);
    nextMark += file.versions.length + 1;
  }
  for (const [index, changes] of commits.entries()) {
    const number = index + 1;
    yield renderCommitHead(number, shape);
    for (const { file, version } of changes) {
      yield `M 100644 :${(firstMarks.get(file) ?? 0) + version} ${files[file]?.path ?? ''}\n`;
    }
    yield '\n';
  }
  for (let number = 2; number <= shape.pullRequests + 1; number += 1) {
    yield `reset refs/pull/${number}/head\nfrom :${randomInteger(random, 1, shape.commits)}\n\n`;
  }
}

function makeFiles(random: () => number, words: readonly string[], shape: RepositoryShape): readonly FileHistory[] {
  const make = (path: string, lines: number): FileHistory => {
    const first = Array.from({ length: lines }, () => makeLine(random, words));
    return { path, first, versions: [], lines };
  };
  const sources = Array.from({ length: shape.files - 1 }, (_, index) =>
    make(`packages/part-${index % 20}/area-${index % 7}/module-${index}.ts`, FIRST_LINES),
  );
  return [make('lockfile.yaml', shape.lockfileLines), ...sources];
}

/** Changes one to four source files a little, and on average every third time some lines of the lockfile. */
function makeCommit(random: () => number, words: readonly string[], files: readonly FileHistory[]): Change[] {
  const chosen = new Set<number>();
  const count = randomInteger(random, 1, 4);
  while (chosen.size < count) chosen.add(randomInteger(random, 1, files.length - 1));
  if (randomInteger(random, 1, COMMITS_PER_LOCKFILE_CHANGE) === 1) chosen.add(0);
  return [...chosen].flatMap((file) => {
    const history = files[file];
    return history === undefined ? [] : [{ file, version: addVersion(random, words, history) }];
  });
}

function addVersion(random: () => number, words: readonly string[], file: FileHistory): number {
  const edits = Array.from({ length: randomInteger(random, 2, 12) }, (): Edit => {
    const isLockfile = file.first.length > FIRST_LINES;
    const replaces = isLockfile || random() < 0.3 ? 1 : 0;
    const line = randomInteger(random, 0, file.lines - 1);
    file.lines += 1 - replaces;
    return { line, replaces, text: makeLine(random, words) };
  });
  return file.versions.push(edits);
}

/** All versions of a file, newest first within a chain: git, too, stores new versions whole and old ones as deltas. */
function* renderVersions(file: FileHistory, firstMark: number): Generator<string> {
  const lines = [...file.first];
  let chain: (readonly [mark: number, lines: readonly string[]])[] = [[firstMark, [...lines]]];
  for (const [index, edits] of file.versions.entries()) {
    for (const { line, replaces, text } of edits) lines.splice(line, replaces, text);
    chain.push([firstMark + index + 1, [...lines]]);
    if (chain.length < CHAIN_LENGTH) continue;
    yield* renderChain(chain);
    chain = [];
  }
  yield* renderChain(chain);
}

function* renderChain(chain: readonly (readonly [mark: number, lines: readonly string[]])[]): Generator<string> {
  for (const [mark, lines] of chain.toReversed()) {
    const text = lines.join('\n');
    yield `blob\nmark :${mark}\ndata ${text.length}\n${text}\n`;
  }
}

/** First the commits of `main`, then one commit with a ref `refs/bench/<push>` for each push to the pull request. */
function renderCommitHead(number: number, shape: RepositoryShape): string {
  const push = number - shape.commits;
  const ref = push > 0 ? `refs/bench/${String(push).padStart(4, '0')}` : 'refs/heads/main';
  const message = `Change number ${number}`;
  const from = number > 1 ? `from :${number - 1}\n` : '';
  const committer = `committer Bench <bench@example.com> ${EPOCH_SECONDS + number * 3600} +0000`;
  return `commit ${ref}\nmark :${number}\n${committer}\ndata ${message.length}\n${message}\n${from}`;
}

function makeWord(random: () => number): string {
  const letters = 'etaoinshrdlcumwfgypbvk';
  return Array.from({ length: randomInteger(random, 3, 10) }, () => letters.charAt(randomInteger(random, 0, 21))).join(
    '',
  );
}

function makeLine(random: () => number, words: readonly string[]): string {
  const indent = '  '.repeat(randomInteger(random, 0, 3));
  // Squared, so that a few words are common and most are rare.
  const chosen = Array.from(
    { length: randomInteger(random, 3, 11) },
    () => words[Math.floor(random() ** 2 * words.length)],
  );
  return `${indent}${chosen.join(' ')};`;
}
