import { startWorld, type World } from '../../world/start-world.ts';
import { makeDataDir, type Ratchet, type RatchetOptions, removeDataDir, startRatchet } from './ratchet-process.ts';

/** A world, a data folder and the Apps started on it; everything is ended by `close`. */
export interface Stage {
  readonly world: World;
  /** Starts the App on the stage's data folder: again after a crash, it is the same installation. */
  readonly start: (options: Omit<RatchetOptions, 'world' | 'dataDir'>) => Promise<Ratchet>;
  readonly close: () => Promise<void>;
}

/** Sets a stage for one story. */
export async function setStage(): Promise<Stage> {
  const world = await startWorld();
  const dataDir = await makeDataDir();
  const started: Ratchet[] = [];
  return {
    world,
    async start(options) {
      const ratchet = await startRatchet({ ...options, world, dataDir });
      started.push(ratchet);
      return ratchet;
    },
    async close() {
      await Promise.all(started.map((ratchet) => ratchet.stop()));
      await world.close();
      await removeDataDir(dataDir);
    },
  };
}
