import type { AgentRequest, AgentResult } from '../core/model/agent-contract.ts';
import type { AgentKind, ModelEndpoint } from '../core/model/agent-settings.ts';
import type { ShownStep } from '../core/model/shown-step.ts';

/** How to start an agent in a site that holds its programs. */
export interface AgentCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Files of its home folder, which is empty otherwise: texts by relative path. */
  readonly homeFiles: Readonly<Record<string, string>>;
}

/** A model as an agent in a site reaches it. */
export interface AgentModel {
  /** Root of the gateway inside the site: `http://127.0.0.1:<port>`, without a trailing slash or path. */
  readonly address: string;
  /** Token of the session. It is worth nothing outside of it. */
  readonly token: string;
  readonly model: string;
  /** The most that the session may spend, in USD; null: no limit of its own. The gateway enforces it. */
  readonly maxUsd: number | null;
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
  /** `dropped`: paths of its fields that the contract does not know. Untrusted; for the log. */
  | { readonly kind: 'result'; readonly result: AgentResult; readonly dropped: readonly string[] }
  | { readonly kind: 'invalid'; readonly why: string };

/** What an agent says that it does. Untrusted; only for people to see. */
export type AgentEvent =
  | { readonly kind: 'doing'; readonly what: 'thinking' | 'reading' | 'editing' | 'running'; readonly detail: string }
  /** The steps of its own plan, when they have ended. */
  | { readonly kind: 'plan'; readonly steps: readonly ShownStep[]; readonly detail: '' }
  /** Its last event. `isError`: by its own words. */
  | { readonly kind: 'final'; readonly isError: boolean; readonly detail: string };

/** Reads the events of one run from its stdout, as it arrives. Memory is bounded; what is not understood is skipped. */
export interface AgentEventReader {
  readonly push: (chunk: Uint8Array) => readonly AgentEvent[];
}

export type AgentCheck =
  /** `isNewer`: than the versions that were tried. null: the program has no version. */
  | { readonly kind: 'ok'; readonly version: string | null; readonly isNewer: boolean }
  | { readonly kind: 'unavailable'; readonly why: string };

/** A coding agent. A site runs its command; the service never calls it. */
export interface Agent {
  /** Its name in the operator's configuration. */
  readonly name: string;
  readonly kind: AgentKind;
  /** The model that it calls; null: none. */
  readonly endpoint: ModelEndpoint | null;
  /** Checks whether the agent can be started, before any work is done for it. */
  readonly check: () => Promise<AgentCheck>;
  /** `model` is null exactly if `endpoint` is. */
  readonly command: (request: AgentRequest, model: AgentModel | null) => AgentCommand;
  readonly newEventReader: () => AgentEventReader;
  /** The result file wins if there is one. Otherwise the last JSON object on stdout counts (001.R36). */
  readonly parseOutput: (printed: AgentPrinted, request: AgentRequest) => AgentOutput;
}

/** The agents that the operator configured. */
export interface Agents {
  readonly all: readonly Agent[];
  /** The agent of that name, or the default one for null. null: there is none of that name. */
  readonly find: (name: string | null) => Agent | null;
}
