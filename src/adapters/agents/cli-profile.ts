import type { JsonObject } from '../../core/json/parse-json-object.ts';
import type { Dialect } from '../../core/model/model-use.ts';
import type { AgentCommand, AgentEvent, AgentModel } from '../../ports/agent.ts';

/** The parts of a launch that differ between agents. */
export interface CliLaunch {
  /** Real path of the program. */
  readonly program: string;
  readonly model: AgentModel;
  /** Of the model's API. */
  readonly dialect: Dialect;
  readonly prompt: string;
  /** Absolute paths of the folders outside of the tree that it has to read. */
  readonly readable: readonly string[];
}

/** What Ratchet knows about one command line of an agent. All functions are pure. */
export interface CliProfile {
  readonly kind: 'claude' | 'codex' | 'gemini' | 'opencode';
  /** Name of its program, and the npm package that has it. */
  readonly program: string;
  readonly npmPackage: string;
  /** The versions that were tried. Older ones are not started; newer ones are, and reported. */
  readonly tried: { readonly oldest: string; readonly newest: string };
  readonly toCommand: (launch: CliLaunch) => AgentCommand;
  /** What one line of its output says. Paths are as it prints them. */
  readonly toEvents: (line: JsonObject) => readonly AgentEvent[];
  /** Its last message to the user, given the lines at the end of its output; null: it has not printed one. */
  readonly findMessage: (lines: readonly JsonObject[]) => string | null;
}

/** A backstop only: the gateway counts calls, and ends the session. */
export const MAX_TURNS = 1000;
/** Longer than any silence that an operator can allow, so that the gateway ends it and knows why. */
export const SILENCE_MS = 2 * 60 * 60 * 1000;
export const RETRIES = 2;
