import { build } from 'esbuild';
import { BANNER } from './banner.ts';

/** Bundles the program of the planner into one file, because in a sandbox there are no packages beside it. */
export async function bundlePlanner(outfile: string): Promise<void> {
  await build({
    entryPoints: ['src/compose/planner-program.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
    banner: { js: BANNER },
  });
}
