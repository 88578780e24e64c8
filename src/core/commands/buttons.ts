import type { CommandName } from '../model/event.ts';

/** A button of the check run: it works like the command of its name. GitHub allows three per check run, with short texts. */
export interface Button {
  /** At most 20 characters. */
  readonly identifier: CommandName;
  /** At most 20 characters. */
  readonly label: string;
  /** At most 40 characters. */
  readonly description: string;
}

export const RETRY: Button = { identifier: 'retry', label: 'Retry', description: 'Try again with new attempts' };
export const WHY: Button = { identifier: 'why', label: 'Why', description: 'Explain the last decisions' };
export const DISABLE: Button = {
  identifier: 'disable',
  label: 'Disable',
  description: 'Stop working on this pull request',
};

export const RESUME: Button = { identifier: 'resume', label: 'Resume', description: 'Continue after a pause' };

export const UNDO: Button = { identifier: 'undo', label: 'Undo', description: 'Revert the last fixup' };

export const CHECK: Button = {
  identifier: 'check',
  label: 'Re-run checks',
  description: 'Run the engines on this commit again',
};

const BUTTONS: readonly Button[] = [RETRY, WHY, DISABLE, RESUME, UNDO, CHECK];

/** The button with this identifier, or null. */
export function findButton(identifier: string): Button | null {
  return BUTTONS.find((button) => button.identifier === identifier) ?? null;
}
