#!/usr/bin/env node
// Stands for a tool that cannot be had here: replays a recording (stdout, stderr, reports, exit code), and refuses other
// arguments than the recorded ones. Usage: replay-program.mjs <recording> <length of the recorded launcher> [arguments …]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DIFFERENT_ARGUMENTS = 99;
const [file, skipped, ...args] = process.argv.slice(2);
const recording = JSON.parse(readFileSync(file, 'utf8'));
const root = process.cwd();
const artifacts = join(root, '../artifacts');
const toHere = (text) => text.replaceAll('/workspace', root).replaceAll('/artifacts', artifacts);

const expected = recording.argv.slice(Number(skipped)).map(toHere);
if (JSON.stringify(args) !== JSON.stringify(expected)) {
  process.stderr.write(`expected the arguments ${JSON.stringify(expected)}, got ${JSON.stringify(args)}\n`);
  process.exit(DIFFERENT_ARGUMENTS);
}
for (const [name, text] of Object.entries(recording.reports)) {
  if (text === null) continue;
  mkdirSync(dirname(join(artifacts, name)), { recursive: true });
  writeFileSync(join(artifacts, name), toHere(text));
}
process.stdout.write(toHere(recording.stdout));
process.stderr.write(toHere(recording.stderr));
process.exitCode = recording.exit.exitCode;
