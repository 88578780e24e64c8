import { expect, it } from 'vitest';
import { parseSessionId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import { toSessionDeadline, toUserSession } from '../../../src/core/sessions/user-session.ts';
import { NOW } from '../../support/builders.ts';

it('a session of a person works from its announcement on, for so many minutes at most, and is no fixup (S6)', () => {
  const announced = { id: parseSessionId('u1'), key: toPullRequestKey(10, 7), label: 'ada', minutes: 90, now: NOW };

  expect(toUserSession(announced)).toEqual({
    ...{ id: 'u1', key: '10#7', label: 'ada', kind: 'user', status: 'working', fixup: null },
    ...{
      startedAt: NOW,
      heartbeatAt: NOW,
      deadlineAt: NOW + 5_400_000,
      endedAt: null,
      outcome: null,
      agentUse: null,
      setup: null,
    },
  });
});

it('a session of which nobody says how long it may last ends after eight hours', () => {
  expect(toSessionDeadline(NOW, null)).toBe(NOW + 8 * 3_600_000);
});
