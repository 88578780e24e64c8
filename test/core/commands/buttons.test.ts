import { describe, expect, it } from 'vitest';
import { CHECK, DISABLE, findButton, RETRY, WHY } from '../../../src/core/commands/buttons.ts';
import { findCommand } from '../../../src/core/commands/command-names.ts';

describe('the buttons of the check run', () => {
  it.each([RETRY, WHY, DISABLE, CHECK])('have a command of their name that is carried out: $identifier', (button) => {
    expect(findButton(button.identifier)).toBe(button);
    expect(findCommand(button.identifier)?.isAvailable).toBe(true);
  });

  it.each(['undo', 'Retry', '', 'constructor'])('are none called %j', (identifier) => {
    expect(findButton(identifier)).toBeNull();
  });
});
