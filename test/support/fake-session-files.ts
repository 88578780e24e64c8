import type { SessionFiles } from '../../src/ports/session-files.ts';

/** Artifacts of sessions in memory. */
export interface FakeSessionFiles extends SessionFiles {
  /** Texts by `<session>/<name>`. */
  readonly written: ReadonlyMap<string, string>;
  readonly sweptBefore: readonly number[];
  /** Files of that name are not there when they are read. */
  readonly forget: (name: string) => void;
  /** The next file cannot be written. */
  readonly failNextWrite: (error: Error) => void;
}

/** With nothing written. */
export function createFakeSessionFiles(): FakeSessionFiles {
  let failure: Error | null = null;
  const written = new Map<string, string>();
  const sweptBefore: number[] = [];
  const forgotten = new Set<string>();
  return {
    written,
    forget: (name) => void forgotten.add(name),
    sweptBefore,
    failNextWrite: (error) => {
      failure = error;
    },
    writeArtifact: async (runId, name, content) => {
      const error = failure;
      failure = null;
      if (error !== null) throw error;
      const chunks: Uint8Array[] = [];
      if (typeof content === 'string') chunks.push(Buffer.from(content));
      else for await (const chunk of content) chunks.push(chunk);
      written.set(`${runId}/${name}`, Buffer.concat(chunks).toString('utf8'));
    },
    readArtifact: async (runId, name, maxBytes) =>
      forgotten.has(name) ? null : (written.get(`${runId}/${name}`)?.slice(0, maxBytes) ?? null),
    openLines: async (runId, name) => {
      const path = `${runId}/${name}`;
      const lines = (written.get(path) ?? '').split('\n').filter((line) => line !== '');
      return {
        last: lines.at(-1) ?? null,
        append: async (more) => {
          written.set(path, `${written.get(path) ?? ''}${more.map((line) => `${line}\n`).join('')}`);
          return true;
        },
      };
    },
    sweep: async ({ before }) => void sweptBefore.push(before),
  };
}
