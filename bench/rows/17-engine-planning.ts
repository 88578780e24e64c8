import picomatch from 'picomatch';
import { planEngines } from '../../src/core/engines/plan-engines.ts';
import { CATALOGUE } from '../../src/engines/catalogue.ts';
import { createRandom, randomInteger } from '../random.ts';
import type { Metric, OpenRow, Row, RowContext, Turn } from '../row.ts';
import { spin } from '../spin.ts';

const SIZES = [1, 100, 10_000] as const;
const REPOSITORY_FILES = 20_000;
const PEER = 'picomatch of each file of the repository, once for each engine';

/**
 * Row 17: planning all engines in both modes for a pull request, against one matching pass over the repository's files.
 */
export const enginePlanning: Row = {
  number: 17,
  name: 'engine planning',
  metrics: [
    ...SIZES.map(toMetric),
    {
      ...{ kind: 'time', name: 'growth, 10,000 changed files / 1', ours: 'plan-10000', target: 3 },
      peer: { side: 'plan-1', name: 'the same with 1 changed file' },
    },
  ],
  open: openRow,
};

function toMetric(size: number): Metric {
  return {
    ...{ kind: 'time', name: `an engine, ${size} changed files`, ours: `plan-${size}`, target: 3 },
    peer: { side: 'match', name: PEER },
  };
}

async function openRow({ quick }: RowContext): Promise<OpenRow> {
  const files = toFiles(quick ? REPOSITORY_FILES / 20 : REPOSITORY_FILES);
  const matchers = CATALOGUE.map(({ globs }) => picomatch([...globs], { dot: true }));
  const options = { forMs: quick ? 20 : 500, batch: 1, size: CATALOGUE.length };
  const sides: readonly (readonly [string, () => unknown])[] = [
    ...SIZES.map((size) => [`plan-${size}`, () => plan(files, files.slice(0, size))] as const),
    ['match', () => matchers.map((isMatch) => files.filter((file) => isMatch(file)).length)],
  ];
  return {
    notes: [
      `${CATALOGUE.length} engines, CURRENT and TARGET of each; the repository has ${files.length} files of twelve kinds`,
      'an operation is one engine: its scope, its targets, its settings and the hashes of both plans',
    ],
    takeTurn: async (index): Promise<Turn> =>
      Object.fromEntries(
        (index % 2 === 0 ? sides : sides.toReversed()).map(([name, work]) => [name, spin(work, options)]),
      ),
    explain: async () => [],
    close: async () => undefined,
  };
}

function plan(files: readonly string[], changed: readonly string[]): unknown {
  return planEngines({
    ...{ specs: CATALOGUE, settings: {}, request: 'both', scope: { cli: changed, env: null } },
    ...{ configs: { cli: {}, env: {} }, files, dependencies: 'ready' },
  });
}

const EXTENSIONS = ['ts', 'ts', 'ts', 'tsx', 'js', 'py', 'py', 'go', 'sh', 'css', 'md', 'json'] as const;

/** Sorted paths in many folders. */
function toFiles(count: number): readonly string[] {
  const random = createRandom(17);
  return Array.from({ length: count }, (_, index) => {
    const folders = Array.from({ length: randomInteger(random, 1, 4) }, () => `part-${randomInteger(random, 1, 30)}`);
    const extension = EXTENSIONS[randomInteger(random, 0, EXTENSIONS.length - 1)] ?? 'ts';
    return `src/${folders.join('/')}/file-${index}.${extension}`;
  }).toSorted();
}
