/**
 * Looks at github.com itself, with an App's credentials and a private scratch repository of an organisation, and prints what the
 * product expects and what GitHub does. It opens pull requests, pushes branches and creates check runs there. It never runs by
 * itself. Usage: `npm run test:live -- --scratch OWNER/NAME`. Exit code 1: something is not as expected; 2: wrong usage.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runChecks } from './live/run-checks.ts';
import { openScene } from './live/scene.ts';

const PATIENCE_MS = 30_000;
/** GitHub shows a hundred contexts a page. */
const COUNTS = { tokens: 50, checks: 101, pageSize: 50 };
const USAGE = 'usage: APP_ID=… PRIVATE_KEY_PATH=… npm run test:live -- --scratch OWNER/NAME';

const { scratch } = parseArgs({ options: { scratch: { type: 'string' } } }).values;
const { APP_ID: appId, PRIVATE_KEY_PATH: keyPath, GITHUB_API_URL: restUrl = 'https://api.github.com' } = process.env;
if (scratch === undefined || !/^[\w.-]+\/[\w.-]+$/u.test(scratch) || appId === undefined || keyPath === undefined) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const access = { appId, privateKey: await readFile(keyPath, 'utf8'), restUrl };
  const scene = await openScene({ access, repository: scratch, patienceMs: PATIENCE_MS, counts: COUNTS });
  try {
    const differing = await runChecks(scene, process.env, console.log);
    console.log(`${String(differing)} checks saw something else than expected.`);
    process.exitCode = differing === 0 ? 0 : 1;
  } finally {
    await scene.close();
  }
}
