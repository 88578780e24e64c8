import { createHash } from 'node:crypto';
import { BUGSWARM, listPairs } from '../data/bugswarm.ts';
import { signatureOf } from '../product.ts';
import type { EvalRow } from '../row.ts';
import { type SignedPair, toSignatureLines, toSignatureMisses } from './signature-lines.ts';

interface SignedJob {
  readonly name: string;
  readonly project: string;
  readonly patch: string;
  readonly signature: string;
}

/**
 * Neighbouring jobs of a project. Jobs with the same patch failed at the same commit, mostly in another environment of the same
 * matrix. They may still fail in another way, so the goals count for labelled pairs only.
 */
export const signaturesBugswarm: EvalRow = {
  name: 'signatures-bugswarm',
  about: 'signatures of neighbouring jobs of a project, by whether the same patch repaired them',
  measure: async ({ open, part, sample }) => {
    const repository = await open(BUGSWARM);
    const listed = part(await listPairs(repository));
    const chosen = new Set(sample([...new Set(listed.map(({ name }) => toProject(name)))]));
    const jobs: SignedJob[] = [];
    for (const { name, failing, patch } of listed.filter((one) => chosen.has(toProject(one.name)))) {
      const [log, diff] = [
        failing === undefined ? null : await repository.read(failing),
        patch === undefined ? null : await repository.read(patch),
      ];
      if (log === null || diff === null) continue;
      const hash = createHash('sha256').update(diff).digest('hex');
      jobs.push({ name, project: toProject(name), patch: hash, signature: signatureOf(log) });
    }
    const pairs = jobs.flatMap((left, index): readonly SignedPair[] => {
      const right = jobs[index + 1];
      if (right?.project !== left.project) return [];
      const item = `${left.name} ~ ${right.name}`;
      return [{ item, isSame: left.patch === right.patch, isEqual: left.signature === right.signature }];
    });
    return {
      lines: toSignatureLines(signaturesBugswarm.name, 'BugSwarm-dissection', pairs, {}),
      misses: toSignatureMisses(pairs),
      notes: [`${jobs.length} jobs`],
    };
  },
};

function toProject(name: string): string {
  return name.replace(/-\d+$/u, '');
}
