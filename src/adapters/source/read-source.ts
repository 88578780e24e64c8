import type { SourceFacts } from '../../core/model/source-facts.ts';
import type { ReadSource } from '../../ports/source-reader.ts';
import { UNREADABLE } from './collector.ts';
import { readGo } from './read-go.ts';
import { readPatterns } from './read-patterns.ts';
import { readPython } from './read-python.ts';
import { readRust } from './read-rust.ts';
import { readScript } from './read-script.ts';

const READERS: readonly (readonly [RegExp, ReadSource])[] = [
  [/\.[cm]?[jt]sx?$/iu, readScript],
  [/\.pyi?$/iu, (_path, text) => readPython(text)],
  [/\.go$/iu, (_path, text) => readGo(text)],
  [/\.rs$/iu, (_path, text) => readRust(text)],
  [
    /\.(?:java|kt|kts|scala|groovy|cs|rb|php|swift|exs?|cc|cpp|cxx|c|h|hpp|bats|sh|dart|lua|pl|t|jl|r)$/iu,
    (_path, text) => readPatterns(text),
  ],
];

const NOTHING: SourceFacts = { ...UNREADABLE, isReadable: true };

/** Reads a file by the extension of its name. Files of no known language say nothing about tests. */
export const readSource: ReadSource = (path, text) => {
  const reader = READERS.find(([name]) => name.test(path))?.[1];
  if (reader === undefined) return NOTHING;
  try {
    return reader(path, text);
  } catch (error) {
    // A library's recursion ran out of stack on hostile input.
    if (error instanceof RangeError) return UNREADABLE;
    throw error;
  }
};
