/** How many attempts of the budget are used, and what counts as one. */
export function toAttemptsLine(used: number, most: number): string {
  return `- Attempts used: ${used} of ${most} (an attempt counts if it pushes, or uses up its time or budget)`;
}
