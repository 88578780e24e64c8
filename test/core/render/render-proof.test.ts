import { describe, expect, it } from 'vitest';
import type { Proof } from '../../../src/core/model/proof.ts';
import { renderProof } from '../../../src/core/render/render-proof.ts';

const RUN = { exitCode: 1, timedOut: false, excerpt: '1 failed' };

function aProof(change: Partial<Proof> = {}): Proof {
  return {
    ...{ verdict: 'proven', command: 'npm test', hasTests: true, notes: [], counts: [] },
    ...{ oldHead: RUN, result: { ...RUN, exitCode: 0, excerpt: '' }, withoutSource: { ...RUN, exitCode: null } },
    ...change,
  };
}

describe('a proof in the check run', () => {
  it('shows the exit codes of its runs, and what they printed last', () => {
    const text = renderProof(aProof());

    expect(text).toContain(
      'Proof: red before the change, and green with it. These tests pass; nothing more is proven.',
    );
    expect(text).toContain('- at the old head: exit code 1\n- with the change: exit code 0\n');
    expect(text).toContain('- with all but its test files reverted: ended by a signal');
    expect(text.match(/1 failed/gu)).toHaveLength(2);
  });

  it('says which run did not end, and shows none that was not made', () => {
    const text = renderProof(aProof({ verdict: 'unknown', withoutSource: { ...RUN, timedOut: true } }));

    expect(text).toContain('reverted: did not end in time');
    expect(renderProof(aProof({ withoutSource: null }))).not.toContain('reverted');
  });

  it('tells what was tried where nothing was red, without obeying what a log says', () => {
    const none = { command: null, oldHead: null, result: null, withoutSource: null } as const;
    const text = renderProof(aProof({ ...none, verdict: 'not_reproduced', notes: ['tried <b>@all</b>'] }));

    expect(text).toContain('Proof: not reproduced here, not proven.');
    expect(text).not.toContain('<b>');
  });

  it('tells how many tests ran where the number changed', () => {
    const counts = [
      { command: 'npm test', before: 12, after: 13 },
      { command: 'make', before: 4, after: 4 },
      { command: 'make lint', before: null, after: 4 },
      { command: 'make x', before: 4, after: null },
    ];

    const text = renderProof(aProof({ counts }));

    expect(text).toContain('`npm test` ran 12 tests before the change and 13 with it.');
    expect(text).not.toContain('make');
    expect(text).not.toContain('not known');
  });

  it.each([
    ['says none', null, null],
    ['said none before', null, 4],
    ['says none any more', 4, null],
  ])('tells that the numbers are not compared where the only command %s', (_how, before, after) => {
    const unknown = 'Ratchet could not compare the number of tests';

    expect(renderProof(aProof({ counts: [{ command: 'make x', before, after }] }))).toContain(unknown);
    expect(renderProof(aProof({ counts: [] }))).not.toContain(unknown);
  });

  it('is nothing for a merge, and for a review that names no test', () => {
    const none = { verdict: null, command: null, oldHead: null, result: null, withoutSource: null } as const;

    expect(renderProof(null)).toBe('');
    expect(renderProof(aProof(none))).toBe('');
  });
});
