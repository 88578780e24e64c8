import { expect, it } from 'vitest';
import { renderRestart } from '../../../src/core/render/render-restart.ts';

it('the check run of an interrupted run stays open, concludes nothing, and says that nobody has to do anything', () => {
  expect(renderRestart()).toEqual({
    title: 'Restarting · continues by itself',
    summary:
      'Ratchet was asked to stop while it worked on this commit. Nothing is lost: it continues by itself after its next start.\n',
    status: 'in_progress',
    conclusion: null,
    actions: [],
  });
});
