import { BUGSWARM, listPairs } from '../data/bugswarm.ts';
import type { Entry, Repository } from '../data/open-repository.ts';
import { toComparableText, withoutNumbers } from '../log-text.ts';
import { measureRecall, type RecallCase, toLimitLines, toMisses, toToolLines } from '../recall.ts';
import type { EvalContext, EvalRow, Measurement } from '../row.ts';

const DATA = 'BugSwarm-dissection';
/** A shorter name stands in many lines by chance. */
const MIN_NAME_LENGTH = 4;

/** Does the excerpt name the files that the repair touches, if the failing log names them and the passing one does not? */
export const excerptBugswarm: EvalRow = {
  name: 'excerpt-bugswarm',
  about: 'patched files that only the failing log names, found in the excerpt',
  measure: async (context) => measureBugswarm(context, await context.open(BUGSWARM)),
};

async function measureBugswarm({ select }: EvalContext, repository: Repository): Promise<Measurement> {
  const pairs = select(await listPairs(repository));
  const cases: RecallCase[] = [];
  const lines = new Map<string, string>();
  let lacking = 0;
  for (const pair of pairs) {
    const read = async (entry: Entry | undefined): Promise<Buffer | null> =>
      entry === undefined ? null : repository.read(entry);
    const patch = await read(pair.patch);
    const failing = await read(pair.failing);
    if (patch === null || failing === null) {
      lacking += 1;
      continue;
    }
    const named = await findNamed({ patch, failing, readPassing: () => read(pair.passing) });
    if (named.size === 0) continue;
    const text = toComparableText(failing.toString('utf8'));
    const wanted = [...named.keys()].map((name) => [name]);
    cases.push(
      ...measureRecall({ item: pair.name, log: failing, text, cases: wanted, toComparable: toComparableText }),
    );
    for (const [name, line] of named) lines.set(`${pair.name} ${name}`, line);
  }
  const goals = { 8: { atLeast: 90 }, 32: { atLeast: 97 }, 512: { atLeast: 99 } };
  return {
    lines: [
      ...toLimitLines(excerptBugswarm.name, DATA, cases, goals),
      ...toToolLines(excerptBugswarm.name, DATA, cases),
    ],
    misses: toMisses(cases, (item, name) => lines.get(`${item} ${name}`) ?? ''),
    notes: [`${pairs.length} pairs of logs; ${lacking} of them incomplete in this clone`],
  };
}

/** The names of files in a patch, without their folders. */
export function toPatchedNames(patch: string): readonly string[] {
  const paths = [...patch.matchAll(/^(?:\+\+\+|---) (?:[ab]\/)?(\S+)/gmu)].map(([, path = '']) => path);
  const names = paths.filter((path) => path !== '/dev/null').map((path) => path.split('/').at(-1) ?? path);
  return [...new Set(names)].filter((name) => name.length >= MIN_NAME_LENGTH);
}

interface Logs {
  readonly patch: Buffer;
  readonly failing: Buffer;
  readonly readPassing: () => Promise<Buffer | null>;
}

/** The patched files that a line of the failing log alone names, each with that line. */
export async function findNamed({ patch, failing, readPassing }: Logs): Promise<ReadonlyMap<string, string>> {
  const text = toComparableText(failing.toString('utf8'));
  const names = toPatchedNames(patch.toString('utf8')).filter((name) => text.includes(name));
  const passing = names.length === 0 ? null : await readPassing();
  if (passing === null) return new Map();
  const passed = new Set(passing.toString('utf8').split('\n').map(withoutNumbers));
  const own = text.split('\n').filter((line) => !passed.has(line.replaceAll(/\d+/gu, '#')));
  return new Map(
    names.flatMap((name) => {
      const line = own.find((one) => one.includes(name));
      return line === undefined ? [] : [[name, line] as const];
    }),
  );
}
