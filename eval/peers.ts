const WORDS = /error|fail|fatal|exception|panic|traceback|assert/i;
const LINES_BEFORE = 5;
const LINES_AFTER = 20;

/** `tail -c <maxBytes>`. */
export function tailOf(log: Buffer, maxBytes: number): string {
  return log.subarray(Math.max(0, log.length - maxBytes)).toString('utf8');
}

/** `head -c <maxBytes>`. */
export function headOf(log: Buffer, maxBytes: number): string {
  return log.subarray(0, maxBytes).toString('utf8');
}

/** `grep -a -i -nE -B5 -A20 'error|fail|…'`, all of its output. */
export function grepOf(log: Buffer): Buffer {
  const lines = log.toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const out: string[] = [];
  let shown = 0;
  let after = 0;
  for (const [index, line] of lines.entries()) {
    if (WORDS.test(line)) {
      const from = Math.max(shown, index - LINES_BEFORE);
      if (out.length > 0 && from > shown) out.push('--');
      for (let before = from; before < index; before += 1) out.push(`${before + 1}-${lines[before] ?? ''}`);
      out.push(`${index + 1}:${line}`);
      shown = index + 1;
      after = LINES_AFTER;
    } else if (after > 0) {
      out.push(`${index + 1}-${line}`);
      shown = index + 1;
      after -= 1;
    }
  }
  return Buffer.from(out.map((line) => `${line}\n`).join(''));
}
