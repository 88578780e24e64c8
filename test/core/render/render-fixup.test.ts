import { describe, expect, it } from 'vitest';
import { renderFixup } from '../../../src/core/render/render-fixup.ts';
import { aStory } from '../../support/a-story.ts';
import { aPush, aSession, aSuggestion } from '../../support/builders.ts';

describe('renderFixup', () => {
  it('tells which means resolved which conflict', () => {
    const paths = Array.from({ length: 12 }, (_, index) => `${String(index)}.ts`);
    const resolved = [
      { by: 'rerere', tool: null, paths: ['a.ts'] },
      { by: 'structure', tool: 'mergiraf 0.9.0', paths },
      { by: 'regeneration', tool: 'npm install', paths: ['package-lock.json'] },
      { by: 'agent', tool: null, paths: ['c.ts'] },
    ] as const;

    for (const outcome of [aPush({ resolved }), aSuggestion({ resolved })]) {
      const summary = renderFixup(aSession(outcome), aStory());

      expect(summary).toContain('- resolved as before: `a.ts`');
      expect(summary).toContain('- merged by structure with `mergiraf 0.9.0`: `0.ts`');
      expect(summary).toContain('`9.ts`, 2 more');
      expect(summary).toContain('- regenerated with `npm install`: `package-lock.json`');
      expect(summary).toContain('- resolved by the agent: `c.ts`');
    }
  });
});
