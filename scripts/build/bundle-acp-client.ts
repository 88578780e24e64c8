import { build } from 'esbuild';

/** Bundles the client of the Agent Client Protocol into one file, because in a sandbox there are no packages beside it. */
export async function bundleAcpClient(outfile: string): Promise<void> {
  await build({
    entryPoints: ['src/adapters/agents/acp-client-program.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
  });
}
