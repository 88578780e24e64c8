import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSwitch, ModelCircuit } from '../../../src/core/model/spend.ts';
import type { Store } from '../../../src/ports/store.ts';
import { memoryStore, NOTHING_OLD } from '../../support/store.ts';

let store: Store;
beforeEach(() => {
  store = memoryStore();
});
afterEach(() => store.close());

describe('circuits', () => {
  const circuit: ModelCircuit = {
    ...{ fingerprint: 'f1', agent: 'claude', fault: 'rate_limited', failures: 1, openedAt: 10, until: 60 },
  };
  const forever: ModelCircuit = { ...circuit, fingerprint: 'f2', fault: 'auth', openedAt: 20, until: null };

  it('are kept by fingerprint until they are closed', () => {
    store.saveCircuit(forever);
    store.saveCircuit(circuit);
    expect(store.circuits()).toEqual([circuit, forever]);
    store.saveCircuit({ ...circuit, failures: 2, until: 120 });
    expect(store.circuit('f1')).toEqual({ ...circuit, failures: 2, until: 120 });
    store.closeCircuit('f1');
    expect(store.circuit('f1')).toBeNull();
    expect(store.circuit('f2')).toEqual(forever);
  });

  it('are forgotten long after they ended, or were opened until the configuration changes', () => {
    store.saveCircuit(circuit);
    store.saveCircuit(forever);
    store.prune({ ...NOTHING_OLD, spend: 20 }, 500);
    expect(store.circuits()).toEqual([circuit, forever]);
    store.prune({ ...NOTHING_OLD, spend: 21 }, 500);
    expect(store.circuits()).toEqual([circuit]);
    store.prune({ ...NOTHING_OLD, spend: 61 }, 500);
    expect(store.circuits()).toEqual([]);
  });
});

describe('switches', () => {
  const ofOne: AgentSwitch = { repositoryId: 100, offSince: 10, by: 'ada', reason: 'costs' };
  const ofAll: AgentSwitch = { repositoryId: null, offSince: 20, by: 'admin', reason: 'an incident' };

  it('are on by default, and off for one repository', () => {
    expect(store.agentSwitch(100)).toBeNull();
    store.switchAgentsOff(ofOne);
    expect(store.agentSwitch(100)).toEqual(ofOne);
    expect(store.agentSwitch(101)).toBeNull();
  });

  it('are off for all, until both are on again', () => {
    store.switchAgentsOff(ofOne);
    store.switchAgentsOff(ofAll);
    expect(store.agentSwitch(100)).toEqual(ofAll);
    expect(store.agentSwitch(101)).toEqual(ofAll);
    expect(store.agentSwitches()).toEqual([ofAll, ofOne]);
    store.switchAgentsOn(null);
    expect(store.agentSwitch(100)).toEqual(ofOne);
    store.switchAgentsOn(100);
    expect(store.agentSwitches()).toEqual([]);
  });

  it('keep the newest reason', () => {
    store.switchAgentsOff(ofOne);
    store.switchAgentsOff({ ...ofOne, offSince: 30, reason: 'still' });
    expect(store.agentSwitches()).toEqual([{ ...ofOne, offSince: 30, reason: 'still' }]);
  });
});
