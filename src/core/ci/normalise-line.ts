/** What compares values: nothing in it is taken for noise but what never repeats. */
const COMPARES =
  /\b(?:assert\w*|expect(?:ed|s|ing)?|received|actual(?:ly)?|want(?:ed)?|got|wrong|mismatch(?:ed)?|digest|checksum|instead|should|differs?|equals?)\b| (?:!=|==|===|!==) |^[+-] |^E {2,}/iu;

type Replacement = readonly [RegExp, string];

/** What changes from run to run in any line. The order matters: no pattern may leave half of a match to a later one. */
const ALWAYS: readonly Replacement[] = [
  [/\b\d{4}-\d{2}-\d{2}[T _]\d{2}[:_]\d{2}(?:[:_]\d{2}(?:[.,_]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/gu, '<time>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/giu, '<id>'],
  [/\b0x[0-9a-f]{6,}\b/giu, '<address>'],
  // Where a frame of Go is in its function.
  [/(?<=:\d+ )\+0x[0-9a-f]+$/gu, '<offset>'],
  [/(?<=\w)@[0-9a-f]{5,8}\b/gu, '@<address>'],
  [/(?:\/private)?\/var\/folders\/\w{2}\/[\w+]+\/[A-Z]\/[\w.-]+/gu, '<temp>'],
  [
    /(?:\/tmp|\/var\/folders|\/private\/var)\/\S*?(?:tmp|temp|[a-z]+[-_.])?[\w.-]*\d[\w.-]*(?=[/\\:'"\s)]|$)/giu,
    '<temp>',
  ],
  [/\/home\/runner\/work\/_temp\/[\w-]+/gu, '<temp>'],
  [/\b[A-Z]:\\(?:\S*?\\Temp|a\\_temp)\\[\w.-]+/giu, '<temp>'],
  [/(?<=\.[A-Za-z]{1,6}):\d+(?::\d+)?/gu, ':<place>'],
  [/(?<=\.[A-Za-z]{1,6})[([]\d+,\d+[)\]]/gu, '(<place>)'],
  // The line of a file, but not that of anything else.
  [/\bline \d+\b(?! of\b(?! \S*\w\.[a-z]))/giu, 'line <place>'],
  [/(?<=\[)L\d+(?=\])/gu, '<place>'],
  [/\[gw\d+\]/gu, '[worker]'],
  [/^==\d+==/gu, '=='],
  [/ ?\(\d+:\d{2}:\d{2}\)/gu, ''],
  [/\b\d+ ?(?:m(?:in)?|h) ?\d+ ?(?:s|m)(?:in)?\b/gu, '<duration>'],
  // Behind the name of a test, and in JUnit. Nothing but a clock has so many decimals.
  [/\(\d+\.\d{3,} ?m?s\)/gu, '(<duration>)'],
  [/\btime="[\d.]+"/gu, 'time="#"'],
  [/\( *\d+\/\d+\)/gu, '(#/#)'],
  [/\.{3,}/gu, '...'],
  [
    /(?:\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? +\d{1,2}\b(?:,? +\d{4}\b)?/gu,
    '<date>',
  ],
];

/** What also changes in a line that compares nothing. */
const OTHERWISE: readonly Replacement[] = [
  [/(?<=\bhttps?:\/\/[^\s?]+\?)[^\s"'<>)]+/gu, '<query>'],
  [/\b\d+(?:[.,]\d+)? ?[KMG]i?B\/s/gu, '<speed>'],
  [/\b\d+(?:\.\d+)?e[+-]?\d+\b/giu, '#'],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M)?\b/gu, '<time>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/gu, '<ip>'],
  [/(?<=[@/-]v?)\d+(?:\.\d+)+/gu, '#'],
  [/\b(?:[0-9a-f]{40}|[0-9a-f]{64})\b/giu, '<hash>'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/giu, '<hash>'],
  [
    /(?<!\b(?:time ?out|timed out|within|exceeded|limit)(?: after| of| in)? )\b(?!(?<=\bafter )\d+ ?ms\b)(?:\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|m|min|minutes?|h|hours?)(?![A-Za-z/]) ?)+/giu,
    '<duration> ',
  ],
  [/\bduration\w*\W{1,3}\d+(?:\.\d+)?/giu, '<duration>'],
  [/(?<=\b(?:process|pid|worker|thread) )\d+\b/giu, '#'],
  [/(?<=(?:db|database|test)_)\d+(?=["'`]| |$)/giu, '#'],
  [
    /(?<!\b(?:(?:time ?out|timed out|within|exceeded|limit)(?: after| of| in)?|line|code|status|http|exit|error|returned|signal|version|v) ?|==)(?<![\w.-])(?!(?<=\bafter )\d+ ?ms\b)(?!(?<=(?:^|[,|(]) ?)\d+ (?:fail(?:ed|ures?|ing)|errors?|problems?)\b)\d+(?:\.\d+)?(?![\w.]*\.\d)(?=\b(?![-\w]))/giu,
    '#',
  ],
];

/** Longer lines are cut. */
const MAX_LENGTH = 400;

/**
 * A line without what changes from run to run: times, durations, addresses, temporary paths, counts, and line numbers, which a fixup
 * moves. A line that compares values keeps them, because another value is another failure.
 */
export function normaliseLine(line: string): string {
  let text = line.slice(0, MAX_LENGTH).trim();
  for (const [pattern, replacement] of COMPARES.test(text) ? ALWAYS : [...ALWAYS, ...OTHERWISE]) {
    text = text.replaceAll(pattern, replacement);
  }
  return text.replaceAll(/\s+/gu, ' ').trim();
}
