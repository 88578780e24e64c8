const MAX_ANSWER_LENGTH = 10_000;

/** What a typed line answers: with choices, one of them by its text or its number from 1; null: it is no answer. */
export function readAnswer(line: string, choices: readonly string[]): string | null {
  const written = line.trim();
  if (written === '' || written.length > MAX_ANSWER_LENGTH) return null;
  if (choices.length === 0) return written;
  const byText = choices.find((choice) => choice.trim().toLowerCase() === written.toLowerCase());
  return byText ?? (/^\d+$/u.test(written) ? (choices[Number(written) - 1] ?? null) : null);
}
