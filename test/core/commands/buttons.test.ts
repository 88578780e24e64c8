import { describe, expect, it } from 'vitest';
import { CHECK, DISABLE, findButton, RETRY, UNDO, WHY } from '../../../src/core/commands/buttons.ts';
import { findCommand } from '../../../src/core/commands/command-names.ts';

describe('the buttons of the check run', () => {
  it.each([RETRY, WHY, DISABLE, UNDO, CHECK])(
    'have a command of their name that is carried out: $identifier',
    (button) => {
      expect(findButton(button.identifier)).toBe(button);
      expect(findCommand(button.identifier)).not.toBeNull();
    },
  );

  it.each(['stop', 'Retry', '', 'constructor'])('are none called %j', (identifier) => {
    expect(findButton(identifier)).toBeNull();
  });
});
