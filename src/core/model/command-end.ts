/** Limits of the site. A command that exceeds one is killed. */
export const EXCEEDED_LIMITS = ['memory_limit', 'process_limit', 'disk_quota'] as const;
export type ExceededLimit = (typeof EXCEEDED_LIMITS)[number];

/** How a command ended. Its processes were killed before. */
export interface CommandEnd {
  readonly kind: 'exited' | 'timed_out' | 'output_flood' | 'aborted' | 'not_started' | ExceededLimit;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** Last 64 KiB of each stream. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** Processes still alive after the kill. If not 0, the run cannot be trusted. */
  readonly processesLeft: number;
}
