import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckReport } from '../../cli/check-fixture.ts';
import { countByHand, type HandRun } from './by-hand.ts';
import { openWorkshop, type Workshop } from './ratchet-check.ts';
import type { ThirdPartyProject } from './third-party-projects.ts';

const TIMEOUT_MS = 300_000;
const TOOLS = join(import.meta.dirname, '../../../.cache/tools');
const DEBIAN = join(TOOLS, 'debian/root');
const GO = join(DEBIAN, 'usr/lib/go-1.19');

function toKey({ engine, project = '.' }: { readonly engine: string; readonly project?: string }): string {
  return project === '.' ? engine : `${engine} ${project}`;
}

function toText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');
}

async function countAllByHand(
  root: string,
  runs: readonly HandRun[],
  variables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const run of runs) counts[toKey(run)] = await countByHand(root, run, variables);
  return counts;
}

/** Of the engines and projects that were counted by hand, and of all others that ran. */
function toCounts({ runs }: CheckReport): Readonly<Record<string, number>> {
  return Object.fromEntries(runs.map((run) => [toKey(run), run.findings]));
}

/**
 * Defines the tests of these projects: `ratchet check` counts as their users do who call the tools, and a comment is neither new
 * nor fixed. Prints the table of the counts.
 */
export function testThirdPartyProjects(projects: readonly ThirdPartyProject[]): void {
  let workshop: Workshop;
  const table: string[] = [];

  beforeAll(async () => {
    // Caches of compiled standard libraries outlive the test: they are the slowest part of it.
    const compiled = join(TOOLS, 'compiled');
    const bin = join(compiled, 'bin');
    await mkdir(bin, { recursive: true });
    // Cargo needs libraries of Debian that are not where the linker looks, and `ratchet check` passes no such variable on.
    const cargo = join(bin, 'cargo');
    const libraries = join(DEBIAN, 'usr/lib/x86_64-linux-gnu');
    await writeFile(cargo, `#!/bin/sh\nLD_LIBRARY_PATH=${libraries} exec ${join(DEBIAN, 'usr/bin/cargo')} "$@"\n`);
    await chmod(cargo, 0o755);
    workshop = await openWorkshop({
      PATH: `${bin}:${join(GO, 'bin')}`,
      GOROOT: GO,
      GOCACHE: join(compiled, 'go'),
      CARGO_HOME: join(compiled, 'cargo'),
    });
  });

  afterAll(async () => {
    await workshop.close();
    console.log(['project | kind | made by the test | by hand | ratchet check', ...table].join('\n'));
  });

  describe('projects that nobody here wrote', { timeout: TIMEOUT_MS }, () => {
    it.each(projects)('$kind: $name', async ({ name, kind, made, lay, byHand, argv = [], commented }) => {
      const root = await lay(workshop, name.replaceAll(/\W+/gu, '-'));
      const path = join(root, commented);
      const mark = commented.endsWith('.py') ? '#' : '//';
      await writeFile(path, `${(await readFile(path, 'utf8')).trimEnd()}\n${mark} a comment\n`);

      const hand = await countAllByHand(root, byHand, workshop.variables);
      const { report, stderr } = await workshop.check(root, ['--base', 'HEAD', ...argv]);
      const counts = toCounts(report);
      table.push([name, kind, made ?? '-', toText(hand), toText(counts)].join(' | '));

      expect(report.engineErrors, stderr).toEqual([]);
      expect(report.runs.filter(({ complete }) => !complete)).toEqual([]);
      expect(counts).toEqual(hand);
      expect(Object.values(hand).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
      const compared = report.comparison?.engines ?? [];
      expect(compared.map((one) => [toKey(one), one.comparable, one.new, one.fixed])).toEqual(
        compared.map((one) => [toKey(one), true, [], []]),
      );
      expect(compared).toHaveLength(report.runs.length);
    });
  });
}
