import type { AgentStanding } from '../../../src/core/model/agent-standing.ts';
import type { DecisionCode, FixupAction } from '../../../src/core/model/decision.ts';
import { NOW } from '../../support/builders.ts';
import { CIRCUIT_OPEN, OVER_BUDGET, SWITCHED_OFF } from '../../support/model-builders.ts';

/** What is decided where CI is red and no agent may be launched. */
export const AGENT_ROWS = {
  AGENT_UNKNOWN: { action: 'CLEANUP_ONLY', when: { agent: { kind: 'unknown', agent: 'x' } } },
  AGENT_NOT_ALLOWED: { action: 'CLEANUP_ONLY', when: { agent: { kind: 'not_allowed', agent: 'x' } } },
  AGENTS_SWITCHED_OFF: { action: 'CLEANUP_ONLY', when: { agent: SWITCHED_OFF } },
  BUDGET_EXHAUSTED: { action: 'TERMINAL_FAILED', when: { agent: OVER_BUDGET } },
  BUDGET_AWAITED: { action: 'WAIT', when: { agent: { ...OVER_BUDGET, scope: 'day', until: NOW + 1 } } },
  MODEL_AWAITED: { action: 'WAIT', when: { agent: { ...CIRCUIT_OPEN, until: NOW + 1 } } },
  MODEL_UNUSABLE: { action: 'DONE', when: { agent: CIRCUIT_OPEN } },
} satisfies Partial<
  Record<DecisionCode, { readonly action: FixupAction; readonly when: { readonly agent: AgentStanding } }>
>;
