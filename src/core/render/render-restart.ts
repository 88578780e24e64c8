import type { CheckText } from './render-check-run.ts';

/** The check run of a run that the service interrupts because it stops. It stays open: the next start continues. */
export function renderRestart(): CheckText<never> {
  return {
    title: 'Restarting · continues by itself',
    summary:
      'Ratchet was asked to stop while it worked on this commit. Nothing is lost: it continues by itself after its next start.\n',
    status: 'in_progress',
    conclusion: null,
    actions: [],
  };
}
