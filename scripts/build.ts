/** Bundles the product into `dist/`: one entry, lazily loaded commands as chunks; native and large packages stay outside. */
import { cp, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const EXTERNAL = ['better-sqlite3', 'bullmq', 'ioredis'];

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: true,
  external: EXTERNAL,
  logLevel: 'warning',
  // Some bundled packages are CommonJS and call require for Node's own modules.
  banner: { js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);" },
});
await cp('migrations', 'dist/migrations', { recursive: true });
await cp('src/adapters/agents/fake-agent-program.mjs', 'dist/fake-agent-program.mjs');
