import { describe, expect, it } from 'vitest';
import { type ConfigStory, renderConfigCheck } from '../../../src/core/render/render-config-check.ts';

function aStory(change: Partial<ConfigStory> = {}): ConfigStory {
  const quiet = { problems: [], engineErrors: [], isRemoved: false, changes: [], clamped: [], currentProblems: [] };
  return { ...quiet, effective: 'mode: push\n', ...change };
}

const change = { name: 'maxAttempts', before: '3', after: '5' };

describe('renderConfigCheck', () => {
  it.each([
    ['nothing changes', {}, 'success', 'The policy file is valid · nothing changes'],
    ['one setting changes', { changes: [change] }, 'success', 'The policy file is valid · 1 setting would change'],
    ['two do', { changes: [change, change] }, 'success', 'The policy file is valid · 2 settings would change'],
    [
      'it goes',
      { isRemoved: true, changes: [change] },
      'success',
      'The policy file is removed · 1 setting would change',
    ],
    ['it has a problem', { problems: ['line 1: x'] }, 'failure', '1 problem in the policy file'],
    ['it has two', { problems: ['line 1: x', 'line 2: y'] }, 'failure', '2 problems in the policy file'],
  ] as const)('says in the title that %s', (_what, story, conclusion, title) => {
    expect(renderConfigCheck(aStory(story))).toMatchObject({ conclusion, title });
  });

  it('shows what would change, what is capped, and the whole policy', () => {
    const { summary } = renderConfigCheck(
      aStory({ changes: [change], clamped: ['maxAttempts: 10 → 5 (operator)'], effective: 'maxAttempts: 5\n' }),
    );

    expect(summary).toMatchInlineSnapshot(`
      "This takes effect when it is merged. Until then, the policy file of the base branch applies.

      ### What would change

      - \`maxAttempts\`: \`3\` → \`5\`

      ### Above what the operator allows

      - maxAttempts: 10 → 5 (operator)

      <details><summary>The whole policy after the merge</summary>

      \`\`\`text
      maxAttempts: 5
      \`\`\`

      </details>
      "
    `);
  });

  it('leaves out the sections that have nothing to say', () => {
    const { summary } = renderConfigCheck(aStory());

    expect(summary).not.toContain('###');
  });

  it('tells each problem, and shows no policy', () => {
    const { summary } = renderConfigCheck(aStory({ problems: ['line 2, column 3: unknown key'], changes: [change] }));

    expect(summary).toContain('- line 2, column 3: unknown key');
    expect(summary).not.toContain('mode: push');
    expect(summary).not.toContain('maxAttempts');
  });

  it('tells what is wrong with the files that hold now, beside either', () => {
    const currentProblems = ["organisation's file in .github, line 1: x"];

    expect(renderConfigCheck(aStory({ currentProblems })).summary).toContain('line 1: x');
    expect(renderConfigCheck(aStory({ currentProblems, problems: ['line 9: y'] })).summary).toContain('line 1: x');
  });

  it('escapes what the file says, and cuts long values', () => {
    const { summary } = renderConfigCheck(
      aStory({
        problems: [],
        changes: [{ name: 'labels.hold', before: 'null', after: JSON.stringify('`@everyone` '.repeat(60)) }],
        clamped: ['labels.enable: @everyone <img src=x> → null (operator)'],
        effective: '```\n@everyone\n```\n',
      }),
    );

    expect(summary).toContain('…');
    expect(summary).not.toMatch(/(?<!\\)<img/u);
    expect(summary).toContain('- labels.enable: @\u2060everyone');
    expect(summary).toContain('````text');
  });

  it('stays within what GitHub takes, whatever the file says', () => {
    const changes = Array.from({ length: 60 }, () => ({ ...change, before: 'ü'.repeat(300), after: 'ü'.repeat(300) }));
    const { summary } = renderConfigCheck(aStory({ changes, effective: 'ü'.repeat(65_536) }));

    expect(new TextEncoder().encode(summary).length).toBeLessThanOrEqual(65_535);
  });
});
