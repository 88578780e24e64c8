import { stripInvisible } from '../text/escape.ts';

const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/gu;
const TIMESTAMP = /^\uFEFF?\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z ?/u;

/** A line of a CI log without colours, timestamp and invisible characters; at most `maxLength` UTF-16 units are read. */
export function cleanLine(raw: string, maxLength: number): string {
  // A terminal shows only what follows the last carriage return of a progress bar.
  const line = raw
    .slice(0, maxLength)
    .replaceAll(ANSI, '')
    .replace(TIMESTAMP, '')
    .replace(/^[^]*\r(?=[^])/u, '');
  return stripInvisible(line).trimEnd();
}
