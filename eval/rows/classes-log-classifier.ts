import { compareNames } from '../data/compare-names.ts';
import type { EvalRow } from '../row.ts';
import { type ClassifiedCase, classify, toClassLines, toClassMisses } from './class-lines.ts';

const TEST_INFRA = 'pytorch/test-infra';
const FOLDER = 'aws/lambda/log-classifier/fixtures/classify';

/** What the names of the fixtures say. Everything else is a failure of code, but for the unclear ones. */
const OUTSIDE: ReadonlySet<string> = new Set([
  'action_archive_download_failure',
  'gh_api_rate_limit',
  'gha_cancellation_shutdown',
  'gha_operation_canceled',
  'gha_timeout',
  'infra_osdc_pod_failure',
  'test_file_timeout',
  'uv_python_download_failed',
]);

/** A person could argue for another class: what a permission, an image or an artifact lacks, and crashes without a reason. */
const UNCLEAR: ReadonlySet<string> = new Set([
  'artifact_not_found',
  'aws_credentials_load_failure',
  'checkout_ciflow_tag_missing',
  'cuda_oom_class',
  'docker_manifest_unknown',
  'gha_catchall_sigint',
  'python_test_keyboardinterrupt',
  's3_access_denied',
  'test_file_signal_crash',
]);

/** Parts of real logs of pytorch/pytorch, which its own log classifier is tested with. */
export const classesLogClassifier: EvalRow = {
  name: 'classes-log-classifier',
  about: 'classes of the fixtures of pytorch/test-infra',
  measure: async ({ open, select }) => {
    const repository = await open(TEST_INFRA);
    const entries = (await repository.list(FOLDER)).filter(({ path }) => path.endsWith('.txt'));
    const clear = entries
      .map((entry) => ({ entry, name: entry.path.slice(FOLDER.length + 1, -'.txt'.length) }))
      .filter(({ name }) => !UNCLEAR.has(name))
      .toSorted((left, right) => compareNames(left.name, right.name));
    const cases: ClassifiedCase[] = [];
    for (const { entry, name } of select(clear)) {
      const fixture = await repository.read(entry);
      if (fixture === null) continue;
      const { log, cause } = parseFixture(fixture.toString('utf8'));
      cases.push(classify({ item: name, is: OUTSIDE.has(name) ? 'outside' : 'code', cause, log: Buffer.from(log) }));
    }
    return {
      lines: toClassLines(classesLogClassifier.name, 'pytorch/test-infra', cases, {
        recall: { atLeast: 90 },
        precision: { atLeast: 95 },
      }),
      misses: toClassMisses(cases),
      notes: [`${entries.length - clear.length} fixtures of unclear class are left out`],
    };
  },
};

/** A fixture without its own marks, and the line that it marks as the cause. */
export function parseFixture(text: string): { readonly log: string; readonly cause: string } {
  const lines = text.split('\n').filter((line) => !line.startsWith('#=SOURCE=#'));
  const unmark = (line: string): string => line.replace(/^#=MATCH=# /u, '').replaceAll(/[‹›]/gu, '');
  const marked = lines.find((line) => line.startsWith('#=MATCH=#'));
  return { log: lines.map(unmark).join('\n'), cause: unmark(marked ?? '') };
}
