import { findWorkspace } from '../../core/evidence/workspace-path.ts';
import { createMatcherParser } from '../generic/parse-matcher.ts';
import { type Reported, toReported } from './reported.ts';

const MAX_REPORTED = 200;

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
