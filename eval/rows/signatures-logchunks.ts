import { LOGCHUNKS, listLabelledLogs } from '../data/logchunks.ts';
import { withoutNumbers } from '../log-text.ts';
import { signatureOf } from '../product.ts';
import type { EvalRow } from '../row.ts';
import { type SignedPair, toSignatureLines, toSignatureMisses } from './signature-lines.ts';

/** A shorter label does not tell one failure from another. */
const MIN_LABEL_LENGTH = 20;

interface SignedLog {
  readonly item: string;
  readonly label: string;
  readonly signature: string;
}

/** Pairs of logs of the same repository; the failure is the same if the labels are, but for their numbers. */
export const signaturesLogchunks: EvalRow = {
  name: 'signatures-logchunks',
  about: 'signatures of pairs of labelled logs of the same repository',
  measure: async ({ open, part, sample }) => {
    const repository = await open(LOGCHUNKS);
    const labelled = part(await listLabelledLogs(repository));
    const chosen = new Set(sample([...new Set(labelled.map(toRepositoryName))]));
    const logs: SignedLog[] = [];
    for (const { item, label, log } of labelled.filter((one) => chosen.has(toRepositoryName(one)))) {
      const comparable = label
        .split('\n')
        .map(withoutNumbers)
        .filter((line) => line !== '')
        .join('\n');
      const content = comparable.length < MIN_LABEL_LENGTH ? null : await repository.read(log);
      if (content !== null) logs.push({ item, label: comparable, signature: signatureOf(content) });
    }
    const ofRepository = Map.groupBy(logs, toRepositoryName);
    const pairs = [...ofRepository.values()].flatMap(toPairs);
    return {
      lines: toSignatureLines(signaturesLogchunks.name, 'LogChunks', pairs, {
        same: { atLeast: 70 },
        different: { atLeast: 93 },
      }),
      misses: toSignatureMisses(pairs),
      notes: [`${logs.length} logs`],
    };
  },
};

/** `<language>/<owner>@<name>`. */
function toRepositoryName({ item }: Pick<SignedLog, 'item'>): string {
  return item.split('/').slice(0, 2).join('/');
}

function toPairs(logs: readonly SignedLog[]): readonly SignedPair[] {
  return logs.flatMap((left, index) =>
    logs.slice(index + 1).map((right) => ({
      item: `${left.item} ~ ${right.item}`,
      isSame: left.label === right.label,
      isEqual: left.signature === right.signature,
    })),
  );
}
