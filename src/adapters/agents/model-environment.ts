import { assertNever } from '../../core/model/errors.ts';
import type { Dialect } from '../../core/model/model-use.ts';
import type { AgentModel } from '../../ports/agent.ts';

/** The variables by which any program finds the session's model. */
export function toModelEnvironment({ address, token, model }: AgentModel): Readonly<Record<string, string>> {
  return { RATCHET_MODEL_ADDRESS: address, RATCHET_MODEL_TOKEN: token, RATCHET_MODEL: model };
}

/** The variables that most clients of an API read. */
export function toUsualEnvironment(
  dialect: Dialect,
  { address, token, model }: AgentModel,
): Readonly<Record<string, string>> {
  switch (dialect) {
    case 'anthropic':
      return { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: token, ANTHROPIC_MODEL: model };
    case 'openai':
      return { OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: token, OPENAI_MODEL: model };
    case 'gemini':
      return { GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: token, GEMINI_MODEL: model };
    default:
      return assertNever(dialect);
  }
}
