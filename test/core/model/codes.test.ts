import { describe, expect, it } from 'vitest';
import * as agentContract from '../../../src/core/model/agent-contract.ts';
import * as agentProgress from '../../../src/core/model/agent-progress.ts';
import * as agentSettings from '../../../src/core/model/agent-settings.ts';
import * as agentStanding from '../../../src/core/model/agent-standing.ts';
import * as checkRun from '../../../src/core/model/check-run.ts';
import * as decision from '../../../src/core/model/decision.ts';
import * as engine from '../../../src/core/model/engine.ts';
import * as event from '../../../src/core/model/event.ts';
import * as finding from '../../../src/core/model/finding.ts';
import * as pullRequest from '../../../src/core/model/pull-request.ts';
import * as qualityRun from '../../../src/core/model/quality-run.ts';
import * as queues from '../../../src/core/model/queues.ts';
import * as session from '../../../src/core/model/session.ts';
import * as snapshot from '../../../src/core/model/snapshot.ts';
import * as workspace from '../../../src/core/model/workspace.ts';

const MODULES = {
  agentContract,
  agentProgress,
  agentSettings,
  agentStanding,
  checkRun,
  decision,
  engine,
  event,
  finding,
  pullRequest,
  qualityRun,
  session,
  snapshot,
};
const LISTS = Object.entries({ ...MODULES, workspace }).flatMap(([module, exported]) =>
  Object.entries(exported).flatMap(([name, value]) =>
    Array.isArray(value) ? [{ list: `${module}.${name}`, names: value.map(String) }] : [],
  ),
);

describe('lists of codes', () => {
  it('are found', () => {
    expect(LISTS.length).toBeGreaterThan(25);
  });

  it.each(LISTS)('name nothing twice: $list', ({ names }) => {
    expect(names).toEqual([...new Set(names)]);
    expect(names.every((name) => /^(?:[A-Za-z][A-Za-z_-]*|\+1)$/u.test(name))).toBe(true);
  });

  it('hold the parts that they are made of', () => {
    expect(workspace.STOP_CODES).toEqual(expect.arrayContaining([...decision.DECISION_CODES]));
    expect(event.COMMAND_PLACES).toEqual(expect.arrayContaining([...event.COMMENT_KINDS]));
    expect(qualityRun.QUALITY_CONCLUSIONS).toEqual([...checkRun.CHECK_RUN_CONCLUSIONS, 'cancelled', 'interrupted']);
    expect(decision.FIXUP_ACTIONS).toEqual(expect.arrayContaining([...session.FIXUP_KINDS]));
  });
});

describe('names of the queues', () => {
  it('stay as the rows of every database have them', () => {
    expect(queues).toMatchObject({
      ...{ EVALUATE_QUEUE: 'evaluate', FIXUP_QUEUE: 'fixup', SWEEP_QUEUE: 'sweep', QUALITY_QUEUE: 'quality' },
    });
  });
});
