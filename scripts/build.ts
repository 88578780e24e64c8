/**
 * Bundles the product: one entry, lazily loaded commands as chunks; native and large packages stay outside. Usage:
 * `node scripts/build.ts [FOLDER]`, by default into `dist/`.
 */
import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { BANNER } from './build/banner.ts';
import { bundleAcpClient } from './build/bundle-acp-client.ts';
import { bundleBrowser } from './build/bundle-browser.ts';
import { bundleJudgeWorker } from './build/bundle-judge-worker.ts';
import { bundlePlanner } from './build/bundle-planner.ts';

/** What is installed beside the bundle, because it is native, large, or seldom needed; all other packages are in it. */
const EXTERNAL = Object.keys(manifest.dependencies);

const outdir = process.argv[2] ?? 'dist';
await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: ['src/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  external: EXTERNAL,
  logLevel: 'warning',
  banner: { js: BANNER },
});
await bundleAcpClient(join(outdir, 'acp-client-program.mjs'));
await bundlePlanner(join(outdir, 'planner-program.mjs'));
await bundleJudgeWorker(join(outdir, 'judge-worker.mjs'));
await bundleBrowser(join(outdir, 'browser-program.mjs'));
await cp('migrations', join(outdir, 'migrations'), { recursive: true });
for (const program of ['agents/fake-agent-program.mjs', 'sandbox/relay-bridge-program.mjs']) {
  await cp(join('src/adapters', program), join(outdir, basename(program)));
}
