import { toByteLength } from '../text/cut-bytes.ts';
import { isForeign } from './foreign-code.ts';
import { toOwnText } from './own-text.ts';

/** Collects the names of files that stand near failures. */
export interface FileNames {
  /** `weight` is higher for a line that is surely part of a failure. */
  readonly add: (line: string, weight: number) => void;
  /** The same of a line that stands near no failure, if a build tool says something of a file there. */
  readonly addNote: (line: string) => void;
  /** The heaviest names first, those of notes last. */
  readonly list: () => readonly string[];
}

/** A path, or a name of a file; only such a name has an extension that says so. */
const FILE =
  /(?<![\w.@+/-])\/?(?:[\w.@+~-]{1,80}\/){0,12}[\w@+-][\w.@+-]{0,120}\.(?:java|kt|kts|scala|groovy|clj|py|pyx|pyi|ts|tsx|js|jsx|mjs|cjs|vue|go|rs|rb|rake|php|phpt|cs|fs|vb|csproj|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|ex|exs|erl|hs|cabal|ml|mli|lua|pl|pm|t|jl|r|R|dart|cr|xml|json|ya?ml|toml|gradle|cfg|ini|properties|sql|txt|md|rst|sh|bash|html|erb|haml|slim|css|scss|less|lock|proto|feature|snap|mk|cmake|in)(?![\w-])/gu;
/** A build tool says something of a file, which is not called a failure. */
const NOTE = /^\[(?:INFO|WARN(?:ING)?)\] .*\//u;
const MAX_NAMES = 5000;
const FOREIGN_WEIGHT = 0.5;

export function createFileNames(): FileNames {
  const near: Weights = new Map();
  const noted: Weights = new Map();
  return {
    add: (line, weight) => addNames(near, line, weight),
    addNote: (line) => {
      if (NOTE.test(line)) addNames(noted, line, 1);
    },
    list: () => [...new Set([...toSorted(near), ...toSorted(noted)])],
  };
}

type Weights = Map<string, number>;

function addNames(weights: Weights, line: string, weight: number): void {
  // The project itself may be installed beside libraries, or be one.
  const own = isForeign(line) ? FOREIGN_WEIGHT : weight;
  for (const [name] of line.matchAll(FILE)) {
    const known = weights.get(name) ?? 0;
    weights.delete(name);
    weights.set(toOwnText(name), Math.max(known, own));
  }
  dropOldest(weights);
}

/** Of equal weights the last one comes first: the end of a log is nearer to what stopped it. */
function toSorted(weights: Weights): readonly string[] {
  return [...weights]
    .toReversed()
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

function dropOldest(weights: Weights): void {
  for (const oldest of weights.keys()) {
    if (weights.size <= MAX_NAMES) return;
    weights.delete(oldest);
  }
}

const LABEL = 'Also named near failures: ';

/** What the names may be, and the bytes for them. */
export interface NamesLimit {
  readonly maxBytes: number;
  /** Finds the tracked path that a name means; null where the paths of the repository are not known. */
  readonly resolve: ((name: string) => string | null) | null;
}

/** Whether a text has this name or path of a file, and not only as the end of a longer one. */
export function namesFile(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w.@+-]/u.test(text.charAt(at - 1))) return true;
  }
  return false;
}

/**
 * One line with the names that `text` does not have; empty if there are none. If the paths of the repository are known, only these
 * are named, in full. Otherwise the names of the files.
 */
export function toNamesLine(names: readonly string[], text: string, { maxBytes, resolve }: NamesLimit): string {
  const shown = new Set<string>();
  let used = LABEL.length;
  for (const name of names) {
    const base = name.slice(name.lastIndexOf('/') + 1);
    if (namesFile(text, base)) continue;
    const path = resolve === null ? base : resolve(name);
    if (path === null || shown.has(path)) continue;
    used += toByteLength(path) + 2;
    if (used > maxBytes) break;
    shown.add(path);
  }
  return shown.size === 0 ? '' : `${LABEL}${[...shown].join(', ')}`;
}
