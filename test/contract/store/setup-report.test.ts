import { expect, it, onTestFinished } from 'vitest';
import { parsePullRequestKey } from '../../../src/core/model/ids.ts';
import { aRepository, aSession, aTransition, memoryStore } from '../../support/store.ts';

it('a session keeps how its dependencies were prepared last, and takes nothing more after its end', () => {
  const store = memoryStore();
  onTestFinished(() => store.close());
  const key = parsePullRequestKey('100#7');
  store.ensureWorkspace({ repository: aRepository(), number: 7 });
  const session = aSession('s1', { key });
  const { id } = session;
  const transition = aTransition({ key });
  store.launchSession({ session, transition, patch: {}, wake: { queue: 'fixup', key: id, notBefore: null } });
  const report = { source: 'detected', commands: ['npm ci'], isReused: false, notes: [] } as const;

  expect(store.session(id)?.setup).toBeNull();
  store.noteSetup(id, { ...report, notes: ['One.'] });
  store.noteSetup(id, { ...report, notes: ['Two.'] });
  const wake = { queue: 'evaluate', key, notBefore: null } as const;
  store.endSession(id, { outcome: { kind: 'died', detail: '' }, at: 5, patch: {}, transition, wake });
  store.noteSetup(id, { ...report, notes: ['Late.'] });

  expect(store.session(id)?.setup).toEqual({ ...report, notes: ['Two.'] });
});
