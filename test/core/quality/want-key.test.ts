import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash/sha256.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { QUALITY_CHECK_NAME } from '../../../src/core/model/quality-check-name.ts';
import { toWantKey } from '../../../src/core/quality/want-key.ts';
import { fakeSha } from '../../support/builders.ts';
import { someSettings } from '../../support/plan-builders.ts';

const head = { headSha: fakeSha('head'), baseRef: 'main' };
const engines = { auto: true, engines: {}, failLevel: 'medium' } as const;
const policy = { ...DEFAULT_POLICY, engines };

it('the check run has a name that stays: people make it a required check', () => {
  expect(QUALITY_CHECK_NAME).toBe('Ratchet / quality');
});

describe('what a run of the engines is for', () => {
  it('is the same while head, base branch and what policy says of engines are', () => {
    const other = { ...policy, maxAttempts: 1, ci: { ...policy.ci, ignore: ['x'] } };

    expect(toWantKey(head, other)).toBe(toWantKey({ ...head }, policy));
  });

  it.each([
    ['head', { ...head, headSha: fakeSha('newer') }, policy],
    ['base branch', { ...head, baseRef: 'next' }, policy],
    [
      'list of ignored codes',
      head,
      { ...policy, engines: { ...engines, engines: { a: someSettings({ ignoreExit: [3] }) } } },
    ],
    [
      'list of projects',
      head,
      { ...policy, engines: { ...engines, engines: { a: someSettings({ projects: ['a'] }) } } },
    ],
    ['level', head, { ...policy, engines: { ...engines, failLevel: 'high' } }],
    ['rule of projects', head, { ...policy, engines: { ...engines, projects: { add: [], exclude: ['x'] } } }],
    ['setup', head, { ...policy, setup: ['npm ci'] }],
    ['rules for setup', head, { ...policy, install: { ...policy.install, scripts: true } }],
  ] as const)('is another one with another %s', (_what, changed, changedPolicy) => {
    expect(toWantKey(changed, changedPolicy)).not.toBe(toWantKey(head, policy));
  });

  it('is what it was before there were projects and ignored codes where nobody names any', () => {
    const before = Object.fromEntries(
      Object.entries(someSettings()).filter(([name]) => name !== 'projects' && name !== 'ignoreExit'),
    );
    const of = (settings: object) => ({
      ...policy,
      engines: { ...engines, engines: { a: { ...someSettings(), ...settings } } },
    });
    const key = sha256(
      JSON.stringify([head.headSha, head.baseRef, { ...engines, engines: { a: before } }, policy.setup]),
    );

    expect(toWantKey(head, of({}))).toBe(key);
  });
});
