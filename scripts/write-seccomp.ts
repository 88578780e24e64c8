/**
 * Writes `deploy/seccomp.json`, the system-call filter of a container in which bubblewrap can make sandboxes. Usage:
 * `node scripts/write-seccomp.ts && npm run format`; a test compares the file with what this makes.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toSeccompProfile } from './deploy/seccomp-profile.ts';

const path = join(import.meta.dirname, '../deploy/seccomp.json');
await writeFile(path, `${JSON.stringify(toSeccompProfile(), null, 2)}\n`);
