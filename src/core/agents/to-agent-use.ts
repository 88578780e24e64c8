import type { AgentProgress } from '../model/agent-progress.ts';
import type { AgentUse, ModelUse, TokenUse } from '../model/model-use.ts';

const NO_TOKENS: TokenUse = { input: 0, cached: 0, written: 0, output: 0 };

/** Calls, tokens and money by the gateway's count; zero for an agent without a model. */
export function toUsed(use: ModelUse | null): Pick<AgentProgress, 'calls' | 'tokens' | 'microUsd'> {
  if (use === null) return { calls: 0, tokens: NO_TOKENS, microUsd: 0 };
  const { calls, tokens, microUsd } = use;
  return { calls, tokens, microUsd };
}

/** The sum of two runs of one session: of the same agent and model, or the later ones. */
export function addAgentUse(earlier: AgentUse | null, later: AgentUse): AgentUse {
  if (earlier === null) return later;
  return {
    ...later,
    calls: earlier.calls + later.calls,
    tokens: {
      input: earlier.tokens.input + later.tokens.input,
      cached: earlier.tokens.cached + later.tokens.cached,
      written: earlier.tokens.written + later.tokens.written,
      output: earlier.tokens.output + later.tokens.output,
    },
    microUsd: earlier.microUsd + later.microUsd,
    durationMs: earlier.durationMs + later.durationMs,
  };
}
