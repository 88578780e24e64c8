import { findNearest } from '../core/commands/find-nearest.ts';

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
const UNITS = [
  { ending: 'Seconds', seconds: 1 },
  { ending: 'Minutes', seconds: 60 },
] as const;
const PART = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)[a-z]*\s*/giu;
const SWITCHES: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, y: true, enabled: true, '1': true },
  ...{ false: false, no: false, off: false, n: false, disabled: false, '0': false },
};

/** What a value should have been: the kind that its key takes, or its possible values. */
export interface Expected {
  /** As zod names it: `int`, `boolean`, `array`. */
  readonly kind: string;
  readonly values: readonly string[];
}

/** The value of the right kind that is nearest to what somebody wrote for `key`, as YAML; null: none is near. */
export function findNearValue(key: string, written: unknown, { kind, values }: Expected): string | null {
  if (typeof written !== 'string' && typeof written !== 'number') return null;
  const text = String(written).trim();
  switch (kind) {
    case 'int':
    case 'number':
      return toNumberText(key, text);
    case 'boolean':
      return SWITCHES[text.toLowerCase()]?.toString() ?? null;
    case 'array':
      return text === '' ? null : `[${JSON.stringify(text)}]`;
    default:
      return findNearest(text, values);
  }
}

/** `"3"` is 3; `30m` is 1800 where the key takes seconds. */
function toNumberText(key: string, text: string): string | null {
  if (/^\d+(?:\.\d+)?$/u.test(text)) return text;
  const unit = UNITS.find(({ ending }) => key.endsWith(ending))?.seconds;
  if (unit === undefined || text === '' || text.replaceAll(PART, '') !== '') return null;
  const seconds = [...text.matchAll(PART)].map(([, amount, name]) => toSeconds(amount, name));
  return String(Number((seconds.reduce((sum, part) => sum + part, 0) / unit).toFixed(3)));
}

function toSeconds(amount = '', unit = ''): number {
  return Number(amount) * (UNIT_SECONDS[unit.toLowerCase()] ?? 0);
}
