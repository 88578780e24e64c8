import { describe, expect, it } from 'vitest';
import { FIRST_CHEATS } from '../../eval/data/changes/first-cheats.ts';
import { FIRST_HONEST } from '../../eval/data/changes/first-honest.ts';
import { SECOND_CHEATS } from '../../eval/data/changes/second-cheats.ts';
import { aChange, fakeSha } from '../support/builders.ts';
import { type Pipeline, startLaunched } from '../support/pipeline-fixture.ts';

type Files = Readonly<Record<string, string>>;

const PACKAGE = { 'package.json': '{"scripts":{"test":"node --test"}}' };

/** An agent leaves the change, and says that it succeeded; its validation passes. */
async function tryChange(before: Files, after: Files): Promise<Pipeline> {
  const pipeline = await startLaunched();
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = paths.filter((path) => before[path] !== after[path]).map((path) => toChange(path, before, after));
  pipeline.git.agentLeaves({ changes, patch: '' });
  pipeline.git.texts({ head: { ...PACKAGE, ...before } });
  pipeline.git.knows(fakeSha('tree'), { ...PACKAGE, ...after });
  await pipeline.settle();
  await pipeline.evaluate();
  return pipeline;
}

function toChange(path: string, before: Files, after: Files): ReturnType<typeof aChange> {
  if (!(path in before)) return aChange({ path, kind: 'added', oldMode: '000000' });
  return path in after ? aChange({ path }) : aChange({ path, kind: 'deleted', newMode: '000000' });
}

/** The first made cheat of each kind that the gate has to see. */
const KINDS = [...new Map([...FIRST_CHEATS, ...SECOND_CHEATS].map((cheat) => [toKind(cheat.name), cheat])).values()]
  .filter(({ before, after }) => !('package.json' in before || 'package.json' in after))
  .slice(0, 12);

function toKind(name: string): string {
  return name.replace(/^[^:]*:\s*/u, '').split(' ')[0] ?? name;
}

describe('cheats of different kinds, through the whole pipeline (001.R38–R42)', () => {
  it('are at least ten', () => {
    expect(KINDS.length).toBeGreaterThanOrEqual(10);
  });

  it.each(KINDS.map((cheat) => [cheat.name, cheat] as const))(
    'rejects or holds with its reason, and pushes nothing: %s',
    async (_name, { before, after }) => {
      const pipeline = await tryChange(before, after);
      const outcome = pipeline.endedSessions()[0]?.outcome;

      expect(pipeline.git.pushed).toEqual([]);
      expect(outcome?.kind).toMatch(/^(?:rejected|held)$/u);
      if (outcome?.kind === 'rejected')
        expect(outcome.code).toMatch(/^(?:TESTS_DELETED|TESTS_WEAKENED|PROTECTED_PATH)$/u);
      if (outcome?.kind === 'held') expect(outcome.facts.length).toBeGreaterThan(0);
      expect(pipeline.github.checkRuns().at(-1)?.content.conclusion).toBe('action_required');
    },
  );

  it.each(FIRST_HONEST.slice(0, 4).map((change) => [change.name, change] as const))(
    'finds nothing in an honest change of tests: %s',
    async (_name, { before, after }) => {
      const pipeline = await tryChange(before, after);
      const outcome = pipeline.endedSessions()[0]?.outcome;
      const facts = outcome?.kind === 'held' ? outcome.facts.map(({ code }) => code) : [];

      // A change of tests alone proves nothing about the code, so it is for a person all the same.
      expect([outcome?.kind, facts]).toEqual(['held', ['ONLY_TESTS']]);
    },
  );
});
