import { describe, expect, it } from 'vitest';
import {
  checkClock,
  checkDeliveries,
  checkEvents,
  checkInstallations,
  checkPermissions,
  checkWebhook,
} from '../../../src/core/doctor/check-app.ts';
import type { DoctorCheck } from '../../../src/core/doctor/doctor-check.ts';
import { WANTED_EVENTS, WANTED_PERMISSIONS } from '../../../src/core/doctor/wanted-access.ts';
import type { HookFacts } from '../../../src/core/model/app-facts.ts';

const PERMISSIONS = Object.fromEntries(WANTED_PERMISSIONS.map(({ name, level }) => [name, level]));
const EVENTS = WANTED_EVENTS.map(({ name }) => name);

function toTexts(checks: readonly DoctorCheck[]): readonly string[] {
  for (const { state, fix } of checks) expect(fix === '').toBe(state === 'ok');
  return checks.map(({ name, state, detail }) => `${state} ${name}: ${detail}`);
}

describe('checkPermissions', () => {
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(PERMISSIONS).filter(([key]) => key !== name));

  it('is content with what is wanted', () => {
    expect(toTexts(checkPermissions({ permissions: PERMISSIONS }))).toEqual([
      'ok permissions: actions: write, checks: write, contents: write, issues: write, metadata: read, pull_requests: write, statuses: read',
    ]);
  });

  it.each(WANTED_PERMISSIONS.map(({ name, level, without: lost }) => [name, level, lost] as const))(
    'names %s: %s where it is missing',
    (name, level, lost) => {
      const state = name === 'actions' ? 'warn' : 'fail';

      expect(toTexts(checkPermissions({ permissions: without(name) }))).toEqual([
        `${state} permissions: ${name}: ${level} is missing: ${lost}`,
      ]);
    },
  );

  it.each([
    ['contents', 'nothing can be pushed'],
    ['checks', 'no check run can be written'],
    ['actions', 'failed jobs are not run again before an agent starts'],
  ])('says what %s: read is not enough for', (name, lost) => {
    const [check] = checkPermissions({ permissions: { ...PERMISSIONS, [name]: 'read' } });

    expect(check?.detail).toBe(`${name}: write is missing: ${lost}`);
    expect(check?.fix).toContain(`Set "${name}" to write`);
  });

  it.each([
    [{ statuses: 'write' }, 'statuses: write'],
    [{ workflows: 'write', members: 'read' }, 'workflows: write, members: read'],
    [{ contents: 'admin' }, 'contents: admin'],
  ])('names what is too much: %j', (more, names) => {
    expect(toTexts(checkPermissions({ permissions: { ...PERMISSIONS, ...more } }))).toEqual([
      `warn permissions: the App has more than it needs: ${names}`,
    ]);
  });
});

describe('checkEvents', () => {
  it('is content with what is wanted', () => {
    expect(toTexts(checkEvents({ events: EVENTS }))).toEqual(['ok events: all 10 are subscribed to']);
  });

  it.each(WANTED_EVENTS.map(({ name, isNeeded, without }) => [name, isNeeded ? 'fail' : 'warn', without] as const))(
    'names %s where it is missing: %s',
    (name, state, without) => {
      expect(toTexts(checkEvents({ events: EVENTS.filter((event) => event !== name) }))).toEqual([
        `${state} events: ${name} is missing: ${without}`,
      ]);
    },
  );

  it('names what is too much', () => {
    expect(toTexts(checkEvents({ events: [...EVENTS, 'star'] }))).toEqual([
      'warn events: the App gets events that it does not use: star',
    ]);
  });
});

describe('checkInstallations', () => {
  const ours = { account: 'acme', isSuspended: false, permissions: PERMISSIONS };

  it.each([
    ['all accepted', [ours, ours], 'ok installations: 2 installations'],
    ['none', [], 'warn installations: the App is not installed anywhere'],
    [
      'one suspended',
      [ours, { ...ours, isSuspended: true }],
      'warn installations: the installation of "acme" is suspended',
    ],
    [
      'one lags behind',
      [{ ...ours, permissions: { ...PERMISSIONS, issues: 'read' } }, ours],
      'warn installations: "acme" has not accepted the permissions of the App: issues',
    ],
  ])('says what is so: %s', (_what, installations, text) => {
    expect(toTexts(checkInstallations({ permissions: PERMISSIONS }, installations))).toEqual([text]);
  });
});

describe('checkWebhook', () => {
  const HOOK: HookFacts = {
    ...{ url: 'https://ratchet.example.com/hook', contentType: 'json', hasSecret: true, verifiesTls: true },
  };

  it.each<readonly [Partial<HookFacts>, string]>([
    [{}, 'ok webhook: ratchet.example.com/hook'],
    [{ url: null }, 'fail webhook: the App has no webhook'],
    [
      { url: 'https://ratchet.example.com/?key=x' },
      'fail webhook: GitHub sends to ratchet.example.com/, and this server listens on /hook',
    ],
    [{ url: 'nonsense' }, 'fail webhook: GitHub sends to its URL, and this server listens on /hook'],
    [{ hasSecret: false }, 'fail webhook: it has no secret, so every delivery is refused'],
    [{ contentType: 'form' }, 'fail webhook: it does not send JSON, so every delivery is refused'],
    [{ verifiesTls: false }, 'warn webhook: GitHub does not verify the certificate of ratchet.example.com/hook'],
  ])('says what is so: %j', (change, text) => {
    expect(toTexts([checkWebhook({ ...HOOK, ...change }, '/hook')])).toEqual([text]);
  });
});

describe('checkDeliveries', () => {
  const [good, lost] = [{ isReceived: true }, { isReceived: false }];

  it.each([
    [[], 'warn deliveries: GitHub has sent nothing in the last days'],
    [[good, good], 'ok deliveries: the last 2 were received'],
    [[good, lost], 'warn deliveries: 1 of the last 2 were not received'],
    [[lost, good, lost], 'fail deliveries: 2 of the last 3 were not received'],
  ])('judges %j', (sent, text) => {
    expect(toTexts([checkDeliveries(sent)])).toEqual([text]);
  });
});

describe('checkClock', () => {
  it.each([
    [0, 'ok clock: this machine is 0 s ahead of GitHub'],
    [-9_999, 'ok clock: this machine is 10 s behind GitHub'],
    [10_000, 'warn clock: this machine is 10 s ahead of GitHub'],
    [-59_999, 'warn clock: this machine is 60 s behind GitHub'],
    [60_000, 'fail clock: this machine is 60 s ahead of GitHub'],
    [-3_600_000, 'fail clock: this machine is 3600 s behind GitHub'],
  ])('judges a difference of %i ms', (skew, text) => {
    expect(toTexts([checkClock(1_000_000_000, 1_000_000_000 + skew)])).toEqual([text]);
  });

  it('does not know without an answer', () => {
    expect(toTexts([checkClock(null, 0)])).toEqual(['warn clock: GitHub did not say what time it is']);
  });
});
