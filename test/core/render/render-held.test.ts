import { expect, it } from 'vitest';
import { renderFixup } from '../../../src/core/render/render-fixup.ts';
import { aStory } from '../../support/a-story.ts';
import { aHeldChange, aSession } from '../../support/builders.ts';

it('shows a held change with what a person has to look at, whole and inert (S28)', () => {
  const facts = [
    { code: 'TEST_SKIPPED', path: 'test/a.test.js', line: 3, message: 'The test "@octocat" is skipped.' },
    { code: 'SNAPSHOT_REWRITTEN', path: 'a`.snap', line: null, message: 'The snapshot is another one.' },
    { code: 'NOT_PROVEN', path: null, line: null, message: 'Nothing proves it.' },
  ];

  const text = renderFixup(aSession(aHeldChange({ facts })), aStory());

  expect(text).toMatchInlineSnapshot(`
    "### Attempt 1 on \`0000000000\`

    Held, not pushed: 1 file, +1 −1. This does not count as an attempt.

    Look at this before you accept it:

    - \`TEST_SKIPPED\` in \`test/a.test.js:3\`: The test "@⁠octocat" is skipped.
    - \`SNAPSHOT_REWRITTEN\` in \`\` a\`.snap \`\`: The snapshot is another one.
    - \`NOT_PROVEN\`: Nothing proves it.

    - \`src/a.ts\`

    The agent says: Corrected the sum.

    <details><summary>The patch</summary>

    \`\`\`diff
    --- a/src/a.ts
    +++ b/src/a.ts
    @@ -1 +1 @@
    -1
    +2
    \`\`\`

    </details>

    To apply it, save it as \`fix.patch\` and, on \`feature\` at \`0000000000000000000000000000000068656164\`, after a \`git fetch\`:

    \`\`\`sh
    git apply fix.patch
    \`\`\`

    Validation (in a new sandbox without network):

    - \`npm test\`: passed, 12 s"
  `);
});

it('says of a held merge what was done: there may have been no agent', () => {
  const text = renderFixup(aSession(aHeldChange({ madeBy: 'rerere', summary: 'As before.' })), aStory());

  expect(text).toContain('What was done: As before.');
});
