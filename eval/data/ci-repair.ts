import { z } from 'zod';
import { compareNames } from './compare-names.ts';
import type { Repository } from './open-repository.ts';

export const CI_REPAIR = 'RabeyaMuna/CI-REPAIR-BENCH';
const PATCHES = 'results/generated_patches.json';
const DETAILS = /^baselines\/results\/.+\/log_details\.json$/u;

/** A failed head: the files that its recorded patch touches, and the lines of its log that the data set quotes. */
export interface Repair {
  readonly sha: string;
  readonly files: readonly string[];
  readonly quotes: readonly string[];
}

const patchesSchema = z.array(z.object({ sha_fail: z.string(), diff: z.string() }));
const detailsSchema = z.array(z.looseObject({ sha_fail: z.string() }));

/** All heads with a patch, by name. The logs themselves are not in the repository. */
export async function listRepairs(repository: Repository): Promise<readonly Repair[]> {
  const entries = await repository.list('.');
  const readText = async (path: string): Promise<string> => {
    const entry = entries.find((one) => one.path === path);
    return (entry === undefined ? null : await repository.read(entry))?.toString('utf8') ?? '[]';
  };
  const quotes = new Map<string, Set<string>>();
  for (const { path } of entries.filter((entry) => DETAILS.test(entry.path))) {
    for (const details of detailsSchema.parse(JSON.parse(await readText(path)))) {
      const known = quotes.get(details.sha_fail) ?? new Set();
      quotes.set(details.sha_fail, known.union(new Set(toStrings(details).flatMap(toQuotes))));
    }
  }
  const patches = patchesSchema.parse(JSON.parse(await readText(PATCHES)));
  return patches
    .map(({ sha_fail: sha, diff }) => ({ sha, files: toPaths(diff), quotes: [...(quotes.get(sha) ?? [])] }))
    .toSorted((left, right) => compareNames(left.sha, right.sha));
}

function toStrings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(toStrings) : [];
}

/** What stands in quotes and is long enough to be a line of a log. */
export function toQuotes(text: string): readonly string[] {
  const quotes = [...text.matchAll(/"([^"]{20,})"|'([^']{20,})'|`([^`]{20,})`/gu)];
  return quotes.map(([, double, single, back]) => double ?? single ?? back ?? '');
}

function toPaths(diff: string): readonly string[] {
  return [...new Set([...diff.matchAll(/^\+\+\+ b\/(\S+)/gmu)].map(([, path = '']) => path))];
}
