import { createRandom, randomInteger } from './random.ts';

/** Size of a generated repository. */
export interface RepositoryShape {
  readonly files: number;
  /** Lines of the lockfile, which every third commit changes. */
  readonly lockfileLines: number;
  readonly commits: number;
  /** References below `refs/pull`, as a repository of that age has on GitHub. */
  readonly pullRequests: number;
  /** Commits on top of one another for the pull request that is worked on: one for each push. */
  readonly pushes: number;
}

/** A line put in, or in the place of another. */
interface Edit {
  readonly line: number;
  readonly replaces: 0 | 1;
  readonly text: string;
}

/** A file's first lines, and the edits that led to each later version. */
interface FileHistory {
  readonly path: string;
  readonly first: readonly string[];
  readonly versions: (readonly Edit[])[];
  lines: number;
}

/** Version `version` of file `file`, as one commit has it. */
interface Change {
  readonly file: number;
  readonly version: number;
}

const EPOCH_SECONDS = 1_700_000_000;
const FIRST_LINES = 70;
const WORDS = 4_000;
const COMMITS_PER_LOCKFILE_CHANGE = 3;
/** Versions of one file after which a whole one is stored: git's own limit for chains of differences. */
const CHAIN_LENGTH = 50;
/** Commits are numbered from 1; the numbers of blobs begin where theirs cannot come. */
const FIRST_BLOB_MARK = 1_000_000;
const SEED = 7;

/** The whole history as a stream for `git fast-import`; the same for the same shape. */
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

/** One to four source files change a little; every third commit changes some lines of the lockfile too. */
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

/** All versions of a file, the newest of each chain first: git too keeps new versions whole and old ones as differences. */
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

/** The commits of `main`, then one reference `refs/bench/<push>` for each push to the pull request. */
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
  // Squared: a few words are common, most are rare.
  const chosen = Array.from(
    { length: randomInteger(random, 3, 11) },
    () => words[Math.floor(random() ** 2 * words.length)],
  );
  return `${indent}${chosen.join(' ')};`;
}
