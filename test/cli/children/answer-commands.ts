import { runCli } from '../../../src/run-cli.ts';

/** Runs commands for `usages.test.ts` one after the other: a process for each would take most of its time to start. */
// Each command that can be stopped listens to signals.
process.setMaxListeners(0);
process.on('message', async ({ args }: { readonly args: readonly string[] }) => {
  process.send?.(await runCli(args));
});
