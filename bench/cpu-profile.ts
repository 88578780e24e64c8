import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/** The functions with the most self time in the profiles of `folder`, as lines of text. Idle time is left out. */
export function readTopSelfTimes(folder: string, count: number): readonly string[] {
  const times = new Map<string, number>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'))) {
    const profile = Profile.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, toName(callFrame)]));
    for (const [index, sample] of profile.samples.entries()) {
      const key = names.get(sample) ?? '?';
      times.set(key, (times.get(key) ?? 0) + (profile.timeDeltas[index] ?? 0));
    }
  }
  for (const idle of ['(idle)', '(root)']) times.delete(idle);
  const total = times.values().reduce((sum, time) => sum + time, 0);
  const top = [...times].toSorted(([, left], [, right]) => right - left).slice(0, count);
  return top.map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
}

function toName(frame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }): string {
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
  const place = /(?:node_modules\/(?!.*node_modules\/)|\/(?=(?:src|bench)\/)|^(?=node:))(.*)$/.exec(frame.url)?.[1];
  return place === undefined ? name : `${name}  ${place}:${frame.lineNumber + 1}`;
}
