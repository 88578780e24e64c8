import { type FoundTool, TOOLS, toVersion } from '../../core/install/compare-tools.ts';
import type { Sites, SiteTree } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { isSuccess, toCommand, withSite } from './with-site.ts';

const LIMITS = { timeoutMs: 120_000, maxOutputBytes: 64 * 1024 } as const;
const OWN = '-';

/** What the machine and the operator's folders have. Read once in the life of the process. */
const KNOWN = new WeakMap<Sites, Promise<readonly FoundTool[]>>();

/**
 * Prints `FOLDER TOOL OUTPUT` for each tool of each folder; the folder of the machine's own is `-`. Runs outside of the tree, whose
 * files could choose another version.
 */
const SCRIPT = `
cd / || exit 1
show() { [ -x "$2" ] && printf '%s\\t%s\\t%s\\n' "$1" "$3" "$("$2" $4 2>/dev/null | head -n 1)"; }
each() { ${Object.values(TOOLS)
  .map(([tool, flag]) => `show "$1" "$(find_in "$1" ${tool})" ${tool} ${flag}`)
  .join('; ')}; true; }
find_in() { if [ "$1" = ${OWN} ]; then command -v "$2"; else echo "$1/bin/$2"; fi; }
each ${OWN}
for folder; do each "$folder"; done
`;

/** Reads the versions of the known tools in a site with `tree`. Empty if they cannot be read now. */
export async function readTools(
  deps: Pick<Deps, 'sites'>,
  tree: SiteTree,
  signal: AbortSignal,
): Promise<readonly FoundTool[]> {
  const known = KNOWN.get(deps.sites) ?? null;
  if (known !== null) return known;
  const reading = readOnce(deps, tree, signal);
  const found = await reading;
  if (found.length > 0) KNOWN.set(deps.sites, reading);
  return found;
}

async function readOnce(deps: Pick<Deps, 'sites'>, tree: SiteTree, signal: AbortSignal): Promise<readonly FoundTool[]> {
  const request = { name: 'tools', tree, dependencies: null, inputs: {}, programs: [] };
  const argv = ['/bin/sh', '-c', SCRIPT, 'sh', ...deps.sites.layout.toolchains];
  const outcome = await withSite(deps, request, signal, (site) => site.run(toCommand({ argv, ...LIMITS }), signal));
  return isSuccess(outcome) ? outcome.stdoutTail.split('\n').flatMap(toFound) : [];
}

function toFound(line: string): readonly FoundTool[] {
  const [folder, name, printed = ''] = line.split('\t');
  const tool = Object.values(TOOLS).find(([known]) => known === name)?.[0];
  const version = toVersion(printed);
  if (tool === undefined || folder === undefined || version === null) return [];
  return [{ tool, version, folder: folder === OWN ? null : folder }];
}
