import { findWorkspace, toWorkspacePath } from '../../core/evidence/workspace-path.ts';
import { createMatcherParser } from '../generic/parse-matcher.ts';
import { type Reported, toReported } from './reported.ts';

/** Definitions that are read for one job. */
const MAX_DEFINITIONS = 5;
const MAX_REPORTED = 200;
const REGISTERED = /^(?:##\[add-matcher\]|::add-matcher::)(.+)$/u;

/**
 * Paths of the problem matchers that a job registers from its own repository. Those of actions are elsewhere, and cannot be read.
 * `lines` are clean.
 */
export function findRegistered(lines: readonly string[]): readonly string[] {
  const paths = lines.flatMap((line) => {
    const raw = REGISTERED.exec(line)?.[1]?.trim();
    return raw === undefined ? [] : (toWorkspacePath(raw) ?? []);
  });
  return [...new Set(paths)].slice(0, MAX_DEFINITIONS);
}

/** What the definitions of problem matchers find in the lines as an error. A definition that cannot be used finds nothing. */
export function matchRegistered(definitions: readonly string[], lines: readonly string[]): readonly Reported[] {
  const text = lines.join('\n');
  const root = findWorkspace(text) ?? '/';
  const input = { text, reports: {}, stderr: '', root, cwd: '.', exitCode: null, earlierExitCodes: [], version: null };
  return definitions
    .flatMap((definition) => {
      const payload = createMatcherParser({ definition, kind: 'lint' })(input);
      const findings = payload.kind === 'parsed' ? payload.findings : [];
      return findings
        .filter(({ native }) => native?.toLowerCase() === 'error')
        .map((finding) => toReported('problem matcher', finding));
    })
    .slice(0, MAX_REPORTED);
}
