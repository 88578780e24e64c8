import type { ExitCategory, ExitCodes } from '../model/engine.ts';
import { findExitCodeList } from './exit-codes.ts';

/** Version of the rules in this file; stored beside each category that they gave (003.R23). */
export const CLASSIFIER_VERSION = 1;

/** One tool exit. */
export interface ExitFacts {
  /** Name of the tool, or of the convention that its exit codes follow. */
  readonly tool: string;
  /** As the tool gave it; null: it gave none (a signal, a time-out, a tool that is not there). */
  readonly exitCode: number | null;
  /** How many findings its parser read. */
  readonly diagnostics: number;
  readonly isFix: boolean;
  readonly ignoreExit: readonly number[];
  readonly exitCodes: ExitCodes;
}

/** How the exit is to be understood (003.R11). */
export interface ExitVerdict {
  readonly category: ExitCategory;
  /** The exit code, but 0 where the category is success; null where there is none. */
  readonly returnCode: number | null;
}

const CATEGORY_OF = { toolFailure: 'tool_failure', success: 'success', diagnostic: 'diagnostic' } as const;

/** Understands an exit by its code and the number of findings alone. Total: every integer has a category (003.R1). */
export function classifyExit(facts: ExitFacts): ExitVerdict {
  const { exitCode } = facts;
  if (exitCode === null) return { category: 'tool_failure', returnCode: null };
  const category = toCategory(exitCode, facts);
  return { category, returnCode: category === 'success' ? 0 : exitCode };
}

/** The order is that of 003.R6 to R10; what is listed counts also for 0 (resolution C9). */
function toCategory(code: number, facts: ExitFacts): ExitCategory {
  const list = findExitCodeList(code, facts.exitCodes);
  if (list !== null) return CATEGORY_OF[list];
  if (code === 0) return 'success';
  // It read nothing, so what was parsed is none of its messages: this alone comes before findings (resolution C11).
  if (facts.tool === 'pylint' && hasPylintBit(code, PYLINT_USAGE_ERROR)) return 'tool_failure';
  if (facts.diagnostics > 0) return 'diagnostic';
  return toKnownCategory(code, facts) ?? (facts.ignoreExit.includes(code) ? 'success' : 'unknown');
}

/** Conventions for a non-zero code without findings; null: there is none for it (003.R8). */
function toKnownCategory(code: number, { tool, isFix }: ExitFacts): ExitCategory | null {
  if (tool === 'pylint' && hasPylintBit(code, PYLINT_FATAL)) return 'tool_failure';
  if (tool === 'tombi' && code === 2) return 'success';
  return isFix && code === 1 ? 'success' : null;
}

/** Bits that pylint's exit code is made of: the kinds of messages that it gave, and that it could not work at all. */
const PYLINT_FATAL = 1;
const PYLINT_USAGE_ERROR = 32;
const PYLINT_MASK = 63;

function hasPylintBit(code: number, bit: number): boolean {
  return code >= 0 && code <= PYLINT_MASK && (code & bit) !== 0;
}

/**
 * Whether the tool failed, as opposed to having found something (003.R13, R25): always with category tool_failure, and where a
 * code that is not success has no finding to explain it, a code listed as diagnostic included (resolution C10).
 */
export function indicatesFailure({
  category,
  returnCode,
  diagnostics,
}: ExitVerdict & { readonly diagnostics: number }): boolean {
  if (category === 'tool_failure') return true;
  return diagnostics === 0 && (category === 'diagnostic' || returnCode !== 0);
}
