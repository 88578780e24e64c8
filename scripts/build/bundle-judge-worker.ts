import { build } from 'esbuild';
import { BANNER } from './banner.ts';

/** Bundles the thread that judges changes to tests into one file: it starts faster than from its parts. */
export async function bundleJudgeWorker(outfile: string): Promise<void> {
  await build({
    entryPoints: ['src/adapters/source/judge-worker.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
    banner: { js: BANNER },
  });
}
