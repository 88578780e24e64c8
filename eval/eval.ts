import { runEval } from './run-eval.ts';

/** `eval.ts [row…]`: measures Ratchet on public data. docs/evaluation.md describes the rows, the data and the exit codes. */

process.exitCode = await runEval(process.argv.slice(2), {
  environment: process.env,
  say: (line) => process.stderr.write(`${line}\n`),
  print: (output) => process.stdout.write(output),
});
