import { toBuildTool } from './build-tool.ts';
import { grepOf, headOf, tailOf } from './peers.ts';
import { excerptOf } from './product.ts';
import { type EvalLine, type Goal, type Miss, toLine, toPercent } from './row.ts';

export const LIMITS = [8, 32, 512] as const;
type Limit = (typeof LIMITS)[number];

export const VIEWS = ['ours', 'tail', 'grep, first bytes', 'grep, last bytes'] as const;
type View = (typeof VIEWS)[number];

/** The goal at each limit. */
export type Goals = Readonly<Record<Limit, Goal>>;

/** What should be found in one log: names or lines, and how a view is made comparable with them. */
export interface Wanted {
  readonly item: string;
  readonly log: Buffer;
  /** The log as text without colours and timestamps. */
  readonly text: string;
  /** Each list is a case. */
  readonly cases: readonly (readonly string[])[];
  readonly toComparable: (view: string) => string;
}

/** How much of what was wanted each view shows, from 0 to 1, at each limit. */
export interface RecallCase {
  readonly item: string;
  readonly tool: string;
  readonly shares: Readonly<Record<Limit, Readonly<Record<View, number>>>>;
  /** What ours does not show at the smallest limit. */
  readonly missing: readonly string[];
}

/** A build tool counts from so many logs on. */
const LOGS_OF_A_TOOL = 10;
const BYTES_PER_KIB = 1024;

/** Looks for what is wanted in the excerpt and in what its peers show. */
export function measureRecall({ item, log, text, cases, toComparable }: Wanted): readonly RecallCase[] {
  const grep = grepOf(log);
  const toViews = (limit: Limit): Readonly<Record<View, string>> => {
    const bytes = limit * BYTES_PER_KIB;
    return {
      ours: toComparable(excerptOf(log, bytes)),
      tail: toComparable(tailOf(log, bytes)),
      'grep, first bytes': toComparable(headOf(grep, bytes)),
      'grep, last bytes': toComparable(tailOf(grep, bytes)),
    };
  };
  const [at8, at32, at512] = [toViews(8), toViews(32), toViews(512)];
  const tool = toBuildTool(text);
  return cases.map((wanted) => ({
    item,
    tool,
    shares: { 8: toShares(at8, wanted), 32: toShares(at32, wanted), 512: toShares(at512, wanted) },
    missing: wanted.filter((one) => !at8.ours.includes(one)),
  }));
}

function toShares(views: Readonly<Record<View, string>>, wanted: readonly string[]): Readonly<Record<View, number>> {
  const share = (view: string): number => wanted.filter((one) => view.includes(one)).length / wanted.length;
  return {
    ours: share(views.ours),
    tail: share(views.tail),
    'grep, first bytes': share(views['grep, first bytes']),
    'grep, last bytes': share(views['grep, last bytes']),
  };
}

/** The lines of a row, one for each limit. */
export function toLimitLines(
  row: string,
  data: string,
  cases: readonly RecallCase[],
  goals: Goals,
): readonly EvalLine[] {
  return LIMITS.map((limit) =>
    toLine({ row, data: `${data}, ${limit} KiB`, ...toMeans(cases, limit), goal: goals[limit] }),
  );
}

/** One line for each build tool, at the smallest limit, the most frequent first. */
export function toToolLines(row: string, data: string, cases: readonly RecallCase[]): readonly EvalLine[] {
  const byTool = Map.groupBy(cases, ({ tool }) => tool);
  return [...byTool]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(([tool, ofTool]) => {
      const hasGoal = new Set(ofTool.map(({ item }) => item)).size >= LOGS_OF_A_TOOL;
      const input = { row, data: `${data}, 8 KiB, ${tool}`, ...toMeans(ofTool, 8) };
      return toLine(hasGoal ? { ...input, goal: { asGoodAs: 'tail' } } : input);
    });
}

function toMeans(
  cases: readonly RecallCase[],
  limit: Limit,
): { readonly ours: number; readonly n: number; readonly peer: Readonly<Record<string, number>> } {
  const mean = (view: View): number =>
    toPercent(
      cases.reduce((sum, { shares }) => sum + shares[limit][view], 0),
      cases.length,
    );
  const [, ...peers] = VIEWS;
  return {
    ours: mean('ours'),
    n: cases.length,
    peer: Object.fromEntries(peers.map((view) => [view, mean(view)])),
  };
}

const WORD = /\b(?:error|fail(?:ed|ure|ures|ing)?|fatal|exception|panic|traceback|assert(?:ion)?)\b/i;
const FRAME = /^\s*(?:at\b|from\b|File "|#\d+ )|\(\w+\.(?:java|kt|scala|groovy):\d+\)/;
const PLACE = /\.\w{1,10}(?::\d+|\(\d+|:?\[\d+)/;
const TEST = /^\s*(?:--- FAIL|not ok|FAILED|FAIL|✗|✖|×|●|\d+\))|<<< (?:FAILURE|ERROR)|Tests run:/;

/** Why a line is missing, as far as the line itself tells. */
export function toMissKind(line: string): string {
  if (TEST.test(line)) return 'line of a failed test';
  if (FRAME.test(line)) return 'stack frame';
  if (PLACE.test(line)) return 'line with a place in a file';
  return WORD.test(line) ? 'line with a word of failure' : 'line without a word of failure';
}

/** A miss for each case that shows less than half of what was wanted at the smallest limit. `find` gives the line of the log. */
export function toMisses(
  cases: readonly RecallCase[],
  find: (item: string, missing: string) => string,
): readonly Miss[] {
  return cases.flatMap(({ item, tool, shares, missing }) => {
    const [first] = missing;
    if (first === undefined || shares[8].ours >= 0.5) return [];
    const line = find(item, first);
    return [{ kind: `${tool}: ${toMissKind(line)}`, item, text: line.slice(0, 160) }];
  });
}
