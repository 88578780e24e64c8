import type { MicroUsd, TokenUse } from './model-use.ts';

/** What an agent says that it does. */
export const AGENT_DOINGS = ['thinking', 'reading', 'editing', 'running'] as const;

/** What the agent of a working session does and has used so far. */
export interface AgentProgress {
  /** Its name in the operator's configuration. */
  readonly agent: string;
  readonly model: string | null;
  /** By its own words: untrusted, redacted and cut. null: it has said nothing yet. */
  readonly doing: { readonly what: (typeof AGENT_DOINGS)[number]; readonly detail: string } | null;
  /** By the gateway's count. */
  readonly calls: number;
  readonly tokens: TokenUse;
  readonly microUsd: MicroUsd;
}
