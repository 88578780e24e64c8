import type { AgentRequest, AgentResult } from '../core/model/agent-contract.ts';
import type { Mount } from './sandbox.ts';

/** How to start an agent inside the sandbox. */
export interface AgentCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Programs of the agent that do not lie under /usr. */
  readonly mounts: readonly Mount[];
}

/** What an agent's output says. */
export type AgentOutput =
  | { readonly kind: 'result'; readonly result: AgentResult }
  | { readonly kind: 'invalid'; readonly why: string };

/** One coding agent. It is started, never called: the sandbox runs its command. */
export interface Agent {
  readonly name: string;
  /** Whether it can be started at all, before anything is spent. */
  readonly check: () => Promise<{ readonly kind: 'ok' } | { readonly kind: 'unavailable'; readonly why: string }>;
  readonly command: (request: AgentRequest) => AgentCommand;
  /** `stdout` is the last 64 KiB of what it printed. */
  readonly parseOutput: (stdout: string, request: AgentRequest) => AgentOutput;
}
