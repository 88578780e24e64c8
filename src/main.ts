#!/usr/bin/env node
import { isServing, runCli } from './run-cli.ts';

// The reader may have closed the pipe (`| head`). That is not an error. A full disk of the log must not end the service.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && !isServing()) throw error;
});
const answer = await runCli(process.argv.slice(2));
process.stdout.write(answer.stdout);
process.stderr.write(answer.stderr);
process.exitCode = answer.exitCode;
