/** How a command ended; all its processes are gone by then. */
export interface CommandEnd {
  readonly kind: 'exited' | 'timed_out' | 'output_flood' | 'aborted' | 'not_started';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** Last 64 KiB of each stream. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** Processes found alive after the kill: 0, or the run is not to be trusted. */
  readonly processesLeft: number;
}
