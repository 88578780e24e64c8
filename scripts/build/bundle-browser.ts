import { build } from 'esbuild';
import { BANNER } from './banner.ts';

/** Bundles the program beside a browser. Playwright reads files of its own package, so it stays one, and is put beside the program. */
export async function bundleBrowser(outfile: string): Promise<void> {
  await build({
    entryPoints: ['src/adapters/browser/browser-program.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['playwright-core'],
    logLevel: 'warning',
    banner: { js: BANNER },
  });
}
