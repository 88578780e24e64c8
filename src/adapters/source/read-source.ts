import type { SourceFacts } from '../../core/model/source-facts.ts';
import type { ReadSource } from '../../ports/source-reader.ts';
import { type Budget, createTotalBudget, TooMuchWork } from './budget.ts';
import { UNREADABLE } from './collector.ts';
import { readGo } from './read-go.ts';
import { readPatterns } from './read-patterns.ts';
import { readPython } from './read-python.ts';
import { readRust } from './read-rust.ts';
import { readScript } from './read-script.ts';

type Reader = (path: string, text: string, budget: Budget) => SourceFacts;

const READERS: readonly (readonly [RegExp, Reader])[] = [
  // Declarations run nothing, and have forms that the grammar does not know.
  [/\.d\.[cm]?ts$/iu, (_path, text) => readPatterns(text)],
  [/\.[cm]?[jt]sx?$/iu, readScript],
  [/\.pyi?$/iu, (_path, text, budget) => readPython(text, budget)],
  [/\.go$/iu, (_path, text, budget) => readGo(text, budget)],
  [/\.rs$/iu, (_path, text, budget) => readRust(text, budget)],
  [
    /\.(?:java|kt|kts|scala|groovy|cs|rb|php|swift|exs?|cc|cpp|cxx|c|h|hpp|bats|sh|dart|lua|pl|t|jl|r)$/iu,
    (_path, text) => readPatterns(text),
  ],
];

const NOTHING: SourceFacts = { ...UNREADABLE, isReadable: true };

/** Steps of work. */
export interface ReadLimits {
  readonly perFile: number;
  readonly inAll: number;
}

/** Far above what people write needs: no file of the many that this was tried on took a fifth of it. */
const LIMITS: ReadLimits = { perFile: 50_000_000, inAll: 1_000_000_000 };

/**
 * Reads files by the extensions of their names, all of them within one budget of work. Files of no known language say nothing about
 * tests; what would take too much work is not readable.
 */
export function createSourceReader({ perFile, inAll }: ReadLimits = LIMITS): ReadSource {
  const total = createTotalBudget(inAll);
  return (path, text) => {
    const reader = READERS.find(([name]) => name.test(path))?.[1];
    if (reader === undefined) return NOTHING;
    try {
      return reader(path, text, total.forFile(perFile));
    } catch (error) {
      // A RangeError: a library's recursion ran out of stack on hostile input.
      if (error instanceof RangeError || error instanceof TooMuchWork) return UNREADABLE;
      throw error;
    }
  };
}
