import { toError } from '../../../src/core/model/errors.ts';
import { runCli } from '../../../src/run-cli.ts';

// Each command that can be stopped listens to signals.
process.setMaxListeners(0);

/** Runs commands for `usages.test.ts` one after the other: a process for each would take most of its time to start. */
async function answer(args: readonly string[]): Promise<void> {
  process.send?.(await runCli(args));
}

process.on('message', ({ args }: { readonly args: readonly string[] }) => {
  answer(args).catch((error: unknown) => {
    process.stderr.write(`${toError(error).stack ?? ''}\n`);
    process.exit(1);
  });
});
