import { toComparableLine, toComparableText } from './log-text.ts';
import type { Wanted } from './recall.ts';

/** A shorter line, such as a bracket, stands in every log. */
const MIN_LINE_LENGTH = 4;

/** The labelled lines that really stand in the log; null if none does. */
export function toLabelledLines(item: string, log: Buffer, labels: readonly string[]): Wanted | null {
  const text = toComparableText(log.toString('utf8'));
  const lines = new Set(labels.map(toComparableLine).filter((line) => line.length >= MIN_LINE_LENGTH));
  const wanted = [...lines].filter((line) => text.includes(line));
  return wanted.length === 0 ? null : { item, log, text, cases: [wanted], toComparable: toComparableText };
}
