import { execa } from 'execa';

/** Folder of the bundle that the end-to-end tests run; below the project, so that it finds its packages. */
export const BUNDLE_FOLDER = 'reports/bundle';

/** The end-to-end tests run what `npm start` and the image run: the bundle, made once for all of them. */
export async function setup(): Promise<void> {
  await execa(process.execPath, ['scripts/build.ts', BUNDLE_FOLDER], { timeout: 300_000 });
}
