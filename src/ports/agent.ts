import type { AgentRequest, AgentResult } from '../core/model/agent-contract.ts';

/** How to start an agent in a site that holds its programs. */
export interface AgentCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** The output of an agent. */
export interface AgentPrinted {
  /** The last 64 KiB of stdout. */
  readonly stdout: string;
  /** Text of the result file. null: the path exists but is not a usable file (a link, say). Undefined: nothing is there. */
  readonly file?: string | null;
}

/** The parsed output of an agent. */
export type AgentOutput =
  | { readonly kind: 'result'; readonly result: AgentResult }
  | { readonly kind: 'invalid'; readonly why: string };

/** A coding agent. A site runs its command; the service never calls it. */
export interface Agent {
  readonly name: string;
  /** Checks whether the agent can be started, before any work is done for it. */
  readonly check: () => Promise<{ readonly kind: 'ok' } | { readonly kind: 'unavailable'; readonly why: string }>;
  readonly command: (request: AgentRequest) => AgentCommand;
  /** The result file wins if there is one. Otherwise the last JSON object on stdout counts (001.R36). */
  readonly parseOutput: (printed: AgentPrinted, request: AgentRequest) => AgentOutput;
}
