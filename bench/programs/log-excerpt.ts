import { createReadStream } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { readJobLog } from '../../src/adapters/github/read-job-log.ts';
import { createLogReader } from '../../src/core/evidence/read-log.ts';
import { toExcerpt } from '../../src/core/evidence/to-log-excerpt.ts';
import { aCheck } from '../../test/support/builders.ts';
import { type Answer, serveParent } from '../child.ts';

/** Reads a log as the service does, and answers with what that took and how many of the planted causes the excerpt lacks. */
const { file, maxBytes, causes } = z
  .object({ file: z.string(), maxBytes: z.number(), causes: z.array(z.string()) })
  .parse(JSON.parse(process.argv[2] ?? ''));

const MEBIBYTE = 1024 * 1024;
const WARM_BYTES = 8 * MEBIBYTE;
const NANOSECONDS_OF_MS = 1_000_000;

/** Reads the log up to before that byte, and returns its excerpt. */
async function readExcerpt(end: number): Promise<string> {
  const reader = createLogReader(maxBytes);
  const data = Readable.toWeb(createReadStream(file, { end }));
  const deps = {
    calls: { call: async () => ({ status: 200, headers: {}, data }) },
    ...{ fetch, userAgent: 'bench', timeoutMs: 100_000, maxDownloadBytes: 1_000 * MEBIBYTE },
  };
  const request = {
    repository: { owner: 'acme', name: 'widget', repositoryId: 1, installationId: 1 },
    check: aCheck(),
  };
  const wanted = { ...request, maxBytes: MEBIBYTE, take: reader.push };
  const log = await readJobLog(deps, wanted, AbortSignal.timeout(100_000));
  if (log === null) throw new Error('the log was not read');
  return toExcerpt(reader.end(), { maxBytes });
}

async function read(): Promise<Answer> {
  // The service has read logs before: its code is compiled, and its heap has grown.
  await readExcerpt(WARM_BYTES);
  const before = process.resourceUsage().maxRSS;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const excerpt = await readExcerpt(Number.POSITIVE_INFINITY);
  const { user, system } = process.cpuUsage(cpu);
  const wallMs = performance.now() - startedAt;
  // The delay of the last turn is seen in the next one.
  await new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
  delay.disable();
  const lacking = causes.filter((cause) => !excerpt.includes(cause)).length;
  const memoryMib = ((process.resourceUsage().maxRSS - before) * 1024) / MEBIBYTE;
  return { lacking, cpuMs: (user + system) / 1000, stallMs: delay.max / NANOSECONDS_OF_MS, memoryMib, wallMs };
}

serveParent({ read }, async () => undefined);
