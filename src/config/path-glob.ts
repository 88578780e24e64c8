import { z } from 'zod';
import { findGlobFault } from '../core/judge/find-glob-fault.ts';
import { MAX_PATH_GLOB_LENGTH } from '../core/paths/path-globs.ts';

/** A glob for paths relative to the repository's root. */
export const PathGlob = z
  .string()
  .min(1)
  .max(MAX_PATH_GLOB_LENGTH)
  .superRefine((glob, context) => {
    const message = findGlobFault(glob);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
