/** Is never aborted. The time limit of a test ends what hangs; a clock of its own would also end what a busy machine only slows down. */
export const NEVER: AbortSignal = new AbortController().signal;
