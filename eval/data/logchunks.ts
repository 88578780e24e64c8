import { compareNames } from './compare-names.ts';
import type { Entry, Repository } from './open-repository.ts';

export const LOGCHUNKS = 'lacinoire/master-thesis';
const LABELS = 'tool/example-sets/BuildFailureReason';
const SAMPLES = 'tool/samples';

/** A log, and the part of it that people labelled as the reason of the failure. */
export interface LabelledLog {
  /** `<language>/<owner>@<name>/failed/<job>.log`. */
  readonly item: string;
  readonly label: string;
  readonly log: Entry;
}

/** All labelled logs that the clone lists, in the order of their languages, repositories and labels. */
export async function listLabelledLogs(repository: Repository): Promise<readonly LabelledLog[]> {
  const samples = new Map((await repository.list(SAMPLES)).map((entry) => [entry.path, entry]));
  const sets = (await repository.list(LABELS)).filter(({ path }) => path.endsWith('.xml'));
  const found: LabelledLog[] = [];
  for (const set of sets.toSorted((left, right) => comparePaths(left.path, right.path))) {
    const xml = await repository.read(set);
    for (const { item, label } of parseLabels(xml?.toString('utf8') ?? '')) {
      const log = samples.get(`${SAMPLES}/${item}`);
      if (log !== undefined) found.push({ item, label, log });
    }
  }
  return found;
}

/** Folder by folder, since a path as a whole sorts differently: `C#/x` before `C/x`. */
function comparePaths(left: string, right: string): number {
  const rightParts = right.split('/');
  const pairs = left.split('/').map((part, index) => compareNames(part, rightParts[index] ?? ''));
  return pairs.find((order) => order !== 0) ?? 0;
}

/** The examples of one file of labels. */
export function parseLabels(xml: string): readonly Pick<LabelledLog, 'item' | 'label'>[] {
  const examples = [...xml.matchAll(/<ExampleDataOfString>(.*?)<\/ExampleDataOfString>/gsu)];
  return examples.flatMap(([, example = '']) => {
    const item = /<InputPath>([^<]*)</u.exec(example)?.[1];
    const label = /<Output>(.*?)<\/Output>/su.exec(example)?.[1];
    return item === undefined || label === undefined
      ? []
      : [{ item: decodeEntities(item), label: decodeEntities(label) }];
  });
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/giu,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return ENTITIES[name ?? ''] ?? whole;
    },
  );
}
