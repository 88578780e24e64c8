import { BY_HAND } from './by-hand.ts';
import type { LiveCheck, Seen } from './check.ts';
import { listReadChecks } from './read-checks.ts';
import type { Scene } from './scene.ts';
import { listWriteChecks } from './write-checks.ts';

export const LIVE_CHECKS: readonly LiveCheck[] = [...listReadChecks(), ...listWriteChecks()];

/** Runs the checks one after the other and prints expected and seen. Returns how many saw something else than expected. */
export async function runChecks(
  scene: Scene,
  variables: Readonly<Record<string, string | undefined>>,
  print: (line: string) => void,
): Promise<number> {
  let differing = 0;
  for (const check of LIVE_CHECKS) {
    const needed = check.needs === undefined ? '' : variables[check.needs];
    if (needed === undefined || (check.needs !== undefined && needed === '')) {
      print(`skip ${check.name}: set ${check.needs ?? ''}`);
      continue;
    }
    const { seen, isExpected } = await lookSafely(check, scene, needed);
    if (isExpected === false) differing += 1;
    print(`${toMark(isExpected)} ${check.name}`);
    print(`     expected: ${check.expected}`);
    print(`     seen:     ${seen}`);
  }
  for (const { name, todo, expected } of BY_HAND) print(`hand ${name}: ${todo}\n     expected: ${expected}`);
  return differing;
}

async function lookSafely(check: LiveCheck, scene: Scene, needed: string): Promise<Seen> {
  try {
    return await check.look(scene, needed);
  } catch (error) {
    return { seen: `the check failed: ${error instanceof Error ? error.message : String(error)}`, isExpected: false };
  }
}

function toMark(isExpected: boolean | null): string {
  if (isExpected === null) return 'seen';
  return isExpected ? 'ok  ' : 'DIFF';
}
