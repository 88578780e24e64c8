import { WorkplaceError } from '../../../core/model/errors.ts';
import type { StructuredStep } from '../../../core/model/structured-plan.ts';
import type { ActionAdapter, ActionEnd, Compensation } from '../../../ports/execution.ts';
import type { PreImage, Workplace } from '../../../ports/workplace.ts';
import { readText } from './read-params.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_READ_BYTES = 1024 * 1024;

/** `create_file`, `modify_file`, `delete_file` and `read_file` (004.R3). Their undo brings back what was at the path. */
export const FILE_ACTIONS: readonly ActionAdapter<Workplace>[] = [
  toAction('create_file', 'create a file', async ({ params }, place) => {
    const path = readText(params, 'path');
    if ((await place.record(path)).was !== null) throw new WorkplaceError(`${path} exists already`);
    const mode = params['mode'] === '100755' ? '100755' : '100644';
    await place.writeFile(path, Buffer.from(readText(params, 'content')), mode);
    return path;
  }),
  toAction('modify_file', 'change a file', async ({ params }, place) => {
    const path = readText(params, 'path');
    const before = await place.readFile(path, MAX_FILE_BYTES);
    if (before === null) throw new WorkplaceError(`${path} is no file of at most ${MAX_FILE_BYTES} bytes`);
    const after = params['content'] === undefined ? replaceOnce(before, params) : readText(params, 'content');
    await place.writeFile(path, Buffer.from(after), null);
    return path;
  }),
  toAction('delete_file', 'delete a file', async ({ params }, place) => {
    const path = readText(params, 'path');
    if ((await place.record(path)).was === null) throw new WorkplaceError(`${path} does not exist`);
    await place.removeFile(path);
    return path;
  }),
  {
    ...toAction('read_file', 'read a file', async ({ params }, place) => {
      const path = readText(params, 'path');
      const content = await place.readFile(path, MAX_READ_BYTES);
      if (content === null) throw new WorkplaceError(`${path} is no file of at most ${MAX_READ_BYTES} bytes`);
      return new TextDecoder().decode(content);
    }),
    prepareUndo: async () => null,
  },
];

function toAction(
  actionType: string,
  toolName: string,
  act: (step: StructuredStep, place: Workplace) => Promise<string>,
): ActionAdapter<Workplace> {
  return {
    ...{ actionType, toolName, estimateUsd: 0 },
    prepareUndo: async ({ params }, { place }) => ({ ...(await place.record(readText(params, 'path'))) }),
    act: async (step, { place }): Promise<ActionEnd> => {
      return { kind: 'completed', output: await act(step, place), costUsd: null };
    },
    undo: async (compensation, place) => {
      await place.restore({ path: readText(compensation, 'path'), was: toPreImage(compensation) });
      return { note: null };
    },
  };
}

/** The only place where `old` stands. Anything else could change what nobody looked at. */
function replaceOnce(before: Uint8Array, params: StructuredStep['params']): string {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(before);
  const [first, second, ...more] = text.split(readText(params, 'old'));
  if (first !== undefined && second !== undefined && more.length === 0)
    return `${first}${readText(params, 'new')}${second}`;
  throw new WorkplaceError(
    `the text to replace is there ${second === undefined ? 'not at all' : `${more.length + 1} times`}`,
  );
}

function toPreImage({ was }: Compensation): PreImage | null {
  if (typeof was !== 'object' || was === null) return null;
  const stored: Readonly<Record<string, unknown>> = { ...was };
  if (stored['kind'] === 'link') return { kind: 'link', target: readText(stored, 'target') };
  return { kind: 'file', mode: stored['mode'] === '100755' ? '100755' : '100644', blob: readText(stored, 'blob') };
}
