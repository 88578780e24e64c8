import { type JsonObject, numberAt, stringAt } from '../json.ts';
import type { Annotation, CheckAction, CheckConclusion, CheckStatus } from '../state.ts';

const STATUSES = ['queued', 'in_progress', 'completed'] as const;
const CONCLUSIONS = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'timed_out',
  'action_required',
  'skipped',
  'stale',
] as const;
const LEVELS = ['notice', 'warning', 'failure'] as const;

/** A check status, or null for anything else. */
export function parseCheckStatus(text: string | null): CheckStatus | null {
  return STATUSES.find((known) => known === text) ?? null;
}

/** A check conclusion, or null for anything else. */
export function parseCheckConclusion(text: string | null): CheckConclusion | null {
  return CONCLUSIONS.find((known) => known === text) ?? null;
}

/** Parses an annotation of a validated request. */
export function parseAnnotation(value: JsonObject): Annotation {
  const startLine = numberAt(value, 'start_line') ?? 1;
  return {
    path: stringAt(value, 'path') ?? '',
    startLine,
    endLine: numberAt(value, 'end_line') ?? startLine,
    level: LEVELS.find((known) => known === value['annotation_level']) ?? 'notice',
    message: stringAt(value, 'message') ?? '',
    title: stringAt(value, 'title'),
    rawDetails: stringAt(value, 'raw_details'),
  };
}

/** Parses a button of a validated request. */
export function parseCheckAction(value: JsonObject): CheckAction {
  return {
    label: stringAt(value, 'label') ?? '',
    description: stringAt(value, 'description') ?? '',
    identifier: stringAt(value, 'identifier') ?? '',
  };
}
