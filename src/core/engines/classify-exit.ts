import type { ExitCategory, ExitCodes } from '../model/engine.ts';
import { findExitCodeList } from './exit-codes.ts';

/** Version of the rules by which runs are read and judged, stored with each category that they give (003.R23). */
export const CLASSIFIER_VERSION = 3;

/** Facts about one exit of a tool. */
export interface ExitFacts {
  /** Name of the tool, or of the convention that its exit codes follow. */
  readonly tool: string;
  /** As reported; null if there is none (a signal, a timeout, a missing tool). */
  readonly exitCode: number | null;
  /** Number of findings that the parser read. */
  readonly diagnostics: number;
  readonly isFix: boolean;
  readonly ignoreExit: readonly number[];
  readonly exitCodes: ExitCodes;
}

/** What an exit means (003.R11). */
export interface ExitVerdict {
  readonly category: ExitCategory;
  /** The exit code, but 0 for category success; null if there is no exit code. */
  readonly returnCode: number | null;
}

const CATEGORY_OF = { toolFailure: 'tool_failure', success: 'success', diagnostic: 'diagnostic' } as const;

/** Classifies an exit by its code and the number of findings alone. Every integer has a category (003.R1). */
export function classifyExit(facts: ExitFacts): ExitVerdict {
  const { exitCode } = facts;
  if (exitCode === null) return { category: 'tool_failure', returnCode: null };
  const category = toCategory(exitCode, facts);
  return { category, returnCode: category === 'success' ? 0 : exitCode };
}

/** In the order of 003.R6 to R10. A listed code counts even if it is 0 (resolution C9). */
function toCategory(code: number, facts: ExitFacts): ExitCategory {
  const list = findExitCodeList(code, facts.exitCodes);
  if (list !== null) return CATEGORY_OF[list];
  if (code === 0) return 'success';
  // After a usage error pylint has checked nothing, so findings do not count. Only this rule precedes them (resolution C11).
  if (facts.tool === 'pylint' && hasPylintBit(code, PYLINT_USAGE_ERROR)) return 'tool_failure';
  if (facts.diagnostics > 0) return 'diagnostic';
  return toKnownCategory(code, facts) ?? (facts.ignoreExit.includes(code) ? 'success' : 'unknown');
}

/** Conventions for a non-zero code without findings; null if none applies (003.R8). */
function toKnownCategory(code: number, { tool, isFix }: ExitFacts): ExitCategory | null {
  if (tool === 'pylint' && hasPylintBit(code, PYLINT_FATAL)) return 'tool_failure';
  if (tool === 'tombi' && code === 2) return 'success';
  return isFix && code === 1 ? 'success' : null;
}

/** Bits of pylint's exit code: 1 is a fatal message, 32 a usage error, the others are kinds of messages. */
const PYLINT_FATAL = 1;
const PYLINT_USAGE_ERROR = 32;
const PYLINT_MASK = 63;

function hasPylintBit(code: number, bit: number): boolean {
  return code >= 0 && code <= PYLINT_MASK && (code & bit) !== 0;
}

/**
 * Whether the tool failed, as opposed to finding something (003.R13, R25). True for category tool_failure, and for a code that is
 * not success and that no finding explains, even if it is listed as diagnostic (resolution C10).
 */
export function indicatesFailure({
  category,
  returnCode,
  diagnostics,
}: ExitVerdict & { readonly diagnostics: number }): boolean {
  if (category === 'tool_failure') return true;
  return diagnostics === 0 && (category === 'diagnostic' || returnCode !== 0);
}
