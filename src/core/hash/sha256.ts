import { createHash } from 'node:crypto';

/** SHA-256 of a text (UTF-8) as 64 hexadecimal digits. Pure: the same text gives the same digits everywhere. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
