import { describe, expect, it } from 'vitest';
import type { Fixup } from '../../../src/core/model/session.ts';
import { renderSuggestion } from '../../../src/core/render/render-suggestion.ts';
import { aFixup, fakeSha } from '../../support/builders.ts';

const PATCH = '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n';
const HEAD = fakeSha('head');
const BASE = fakeSha('base');

function render(patch: string, change: Partial<Fixup> = {}): readonly string[] {
  return renderSuggestion({ patch }, aFixup({ headSha: HEAD, baseSha: BASE, ...change }));
}

describe('what is suggested', () => {
  it.each(['FIX_CI', 'FIX_REVIEW'] as const)(
    'for %s is a patch for the head, with the command that applies it',
    (action) => {
      const [patch, steps] = render(PATCH, { action });

      expect(patch).toContain(`\`\`\`diff\n${PATCH.trimEnd()}\n\`\`\``);
      expect(steps).toContain(`on \`feature\` at \`${HEAD}\``);
      expect(steps).toContain('```sh\ngit apply fix.patch\n```');
    },
  );

  it('for a conflict leads from what git makes of the merge, with the commands that make it (S15)', () => {
    const [patch, steps] = render(PATCH, { action: 'FIX_MERGE_CONFLICT' });

    expect(patch).toContain('+2');
    expect(steps).toContain(
      `\`\`\`sh\ngit -c merge.conflictStyle=merge -c rerere.enabled=false merge ${BASE}\ngit apply fix.patch\ngit commit --all --no-edit\n\`\`\``,
    );
  });

  it('for a merge that git makes by itself is that one command, and no empty patch', () => {
    const parts = render('', { action: 'FIX_MERGE_CONFLICT' });

    expect(parts).toHaveLength(1);
    expect(parts[0]).toContain(`\`\`\`sh\ngit merge ${BASE}\n\`\`\``);
    expect(parts[0]).not.toContain('patch');
  });

  it('says that a patch which was cut does not apply', () => {
    const parts = render('+x\n'.repeat(20_000));

    expect(parts[0]).toContain('(cut)');
    expect(parts[1]).toMatch(/cut: apply it by hand\.$/u);
    expect(parts.join('\n')).not.toContain('git apply');
  });

  it('shows carriage returns by a mark, and gives the command that makes them of it again', () => {
    const [patch, steps] = render(PATCH.replace('+2', '+2\r'), { action: 'FIX_CI' });

    expect(patch).toContain('\n+2␍\n');
    expect(patch).toContain('Lines that end as on Windows have the mark `␍` at their end.');
    expect(patch).not.toContain('\r');
    expect(patch).not.toContain('left out');
    expect(steps).toContain(String.raw`perl -pe 's/␍/\r/g' fix.patch | git apply`);
  });

  it('takes another mark where the patch has that one itself, and none where it has all of them', () => {
    const [, steps] = render('+␍ is a mark\r\n');
    const [patch, byHand] = render('+␍ ⟨CR⟩ ⟨carriage return⟩\r\n');

    expect(steps).toContain(String.raw`s/⟨CR⟩/\r/g`);
    expect(patch).toContain('Characters that cannot be seen are left out here.');
    expect(byHand).toBe('It is not complete: apply it by hand.');
  });

  it('gives no command for a patch with characters that cannot be seen: it would not apply', () => {
    const [patch, steps] = render('+a\u200Bb\n');

    expect(patch).toContain('left out here');
    expect(steps).toBe('It is not complete: apply it by hand.');
  });

  it('names no branch in a command: a name may be one itself (T23)', () => {
    for (const action of ['FIX_CI', 'FIX_MERGE_CONFLICT'] as const) {
      const steps = render(PATCH, { action, headRef: '`x`;$(id)' })[1] ?? '';

      expect(steps.slice(steps.indexOf('```sh'))).not.toContain('$(id)');
      expect(steps).toContain('`` `x`;$(id) ``');
    }
  });
});
