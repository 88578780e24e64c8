import { z } from 'zod';

/** A whole number within bounds, as a variable has it. */
export const integer = (min: number, max: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);
