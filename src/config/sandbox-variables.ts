import type { z } from 'zod';
import { integer } from './integer.ts';

/** What code in sandboxes, and repositories, may use of the machine. */
export interface SandboxSettings {
  /** First user id of the sandbox slots. Null: a range that is free on most machines. */
  readonly sandboxUidBase: number | null;
  /** What one command may use. Null depends on the machine. */
  readonly sandboxLimits: {
    readonly maxMemoryBytes: number | null;
    readonly maxProcesses: number | null;
    readonly maxDiskBytes: number;
    readonly maxDiskEntries: number;
  };
  readonly maxRepositoryBytes: number;
  readonly gitTimeoutSeconds: number;
}

const GIBIBYTE = 1024 ** 3;

/** The environment variables of `SandboxSettings`. */
export const SANDBOX_FIELDS = {
  RATCHET_SANDBOX_UID_BASE: integer(1000, 2_000_000_000).optional(),
  RATCHET_SANDBOX_MAX_MEMORY_BYTES: integer(64 * 1024 ** 2, 1024 ** 5).optional(),
  RATCHET_SANDBOX_MAX_PROCESSES: integer(32, 32_768).optional(),
  RATCHET_SANDBOX_MAX_DISK_BYTES: integer(16 * 1024 ** 2, 1024 ** 5).default(8 * GIBIBYTE),
  RATCHET_SANDBOX_MAX_FILES: integer(1000, 100_000_000).default(500_000),
  RATCHET_MAX_REPOSITORY_BYTES: integer(1024 ** 2, 1024 ** 5).default(2 * GIBIBYTE),
  RATCHET_GIT_TIMEOUT_SECONDS: integer(5, 3600).default(300),
} as const;

/** Collects the settings from parsed variables. */
export function toSandboxSettings(fields: z.infer<z.ZodObject<typeof SANDBOX_FIELDS>>): SandboxSettings {
  return {
    sandboxUidBase: fields.RATCHET_SANDBOX_UID_BASE ?? null,
    sandboxLimits: {
      maxMemoryBytes: fields.RATCHET_SANDBOX_MAX_MEMORY_BYTES ?? null,
      maxProcesses: fields.RATCHET_SANDBOX_MAX_PROCESSES ?? null,
      maxDiskBytes: fields.RATCHET_SANDBOX_MAX_DISK_BYTES,
      maxDiskEntries: fields.RATCHET_SANDBOX_MAX_FILES,
    },
    maxRepositoryBytes: fields.RATCHET_MAX_REPOSITORY_BYTES,
    gitTimeoutSeconds: fields.RATCHET_GIT_TIMEOUT_SECONDS,
  };
}
