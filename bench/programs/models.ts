import { z } from 'zod';
import { startModels } from '../../world/models/start-models.ts';
import { answerCpu, serveParent } from '../child.ts';

/** The model of row 20: the stub, which answers at once, paced, or as fast as it can. */

const { pacedEvents, fastEvents, fastBytes } = z
  .object({ pacedEvents: z.number(), fastEvents: z.number(), fastBytes: z.number() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const use = { input: 100, cached: 0, written: 0, output: 100 };
const models = await startModels({ toUse: () => use });

serveParent(
  {
    port: () => ({ port: Number(new URL(models.url).port) }),
    cpu: answerCpu,
    atOnce: () => {
      models.behave({ kind: 'ok' });
      return {};
    },
    paced: () => {
      models.behave({ kind: 'slow', events: pacedEvents, bytes: 40, everyMs: 5 });
      return {};
    },
    fast: () => {
      models.behave({ kind: 'slow', events: fastEvents, bytes: fastBytes, everyMs: 0 });
      return {};
    },
  },
  () => models.close(),
);
