import { describe, expect, it } from 'vitest';
import {
  CHECK,
  DISABLE,
  findButton,
  RETRY,
  toAnswerButton,
  toAskerTag,
  UNDO,
  WHY,
} from '../../../src/core/commands/buttons.ts';
import { findCommand } from '../../../src/core/commands/command-names.ts';
import { parseSessionId } from '../../../src/core/model/ids.ts';

describe('the buttons of the check run', () => {
  it.each([RETRY, WHY, DISABLE, UNDO, CHECK])(
    'have a command of their name that is carried out: $identifier',
    (button) => {
      expect(findButton(button.identifier)).toEqual({ name: button.identifier, args: [] });
      expect(findCommand(button.identifier)).not.toBeNull();
    },
  );

  it('answer with a choice, for the session that asks', () => {
    const asker = parseSessionId('s1');
    const button = toAnswerButton('yes', 1, asker);
    expect(button).toMatchObject({ label: 'yes', identifier: `answer:2:${toAskerTag(asker)}` });
    expect(button.identifier.length).toBeLessThanOrEqual(20);
    expect(findButton(button.identifier)).toEqual({ name: 'answer', args: ['2', toAskerTag(asker)] });
    expect(toAskerTag(parseSessionId('s2'))).not.toBe(toAskerTag(asker));
  });

  it.each(['stop', 'Retry', '', 'constructor', 'answer', 'answer:4:0123456789', 'answer:1:', 'answer:1:0123456789:x'])(
    'are none called %j',
    (identifier) => {
      expect(findButton(identifier)).toBeNull();
    },
  );
});
