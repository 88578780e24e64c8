import type { AgentRequest, AgentResult } from '../core/model/agent-contract.ts';

/** How to start an agent in a site that has its programs. */
export interface AgentCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** What an agent left for its result. */
export interface AgentPrinted {
  /** The last 64 KiB of what it printed. */
  readonly stdout: string;
  /** Text of its result file; null: there is a file (or a link …) that cannot be used as one. Missing: there is nothing. */
  readonly file?: string | null;
}

/** What an agent's output says. */
export type AgentOutput =
  | { readonly kind: 'result'; readonly result: AgentResult }
  | { readonly kind: 'invalid'; readonly why: string };

/** One coding agent. It is started, never called: a site runs its command. */
export interface Agent {
  readonly name: string;
  /** Whether it can be started at all, before anything is spent. */
  readonly check: () => Promise<{ readonly kind: 'ok' } | { readonly kind: 'unavailable'; readonly why: string }>;
  readonly command: (request: AgentRequest) => AgentCommand;
  /** Where there is a result file it alone counts; without one, the last JSON object on stdout (001.R36). */
  readonly parseOutput: (printed: AgentPrinted, request: AgentRequest) => AgentOutput;
}
