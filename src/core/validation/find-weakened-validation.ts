import { toScripts, type ValidationPlan } from './plan-validation.ts';

/** Texts of `package.json` and `Makefile`, before and after; a missing file has no entry. */
export interface DefinitionFiles {
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

/**
 * Whether the change redefines what it is validated with: a validation command such as `npm test` says nothing when the
 * change decides what it runs. Returns the path at fault with what was changed in it, or null.
 */
export function findWeakenedValidation(
  plan: ValidationPlan & { readonly kind: 'commands' },
  files: DefinitionFiles,
): { readonly path: string; readonly what: string } | null {
  if (runsPackageScript(plan) && scriptsOf(files.before) !== scriptsOf(files.after)) {
    return { path: 'package.json', what: 'its "scripts" say what the validation runs' };
  }
  if (runsMake(plan) && files.before['Makefile'] !== files.after['Makefile']) {
    return { path: 'Makefile', what: 'it says what the validation runs' };
  }
  return null;
}

function runsPackageScript(plan: ValidationPlan & { readonly kind: 'commands' }): boolean {
  return plan.commands.some((command) => /\b(?:npm|pnpm|yarn|bun|npx|node --run)\b/.test(command));
}

function runsMake(plan: ValidationPlan & { readonly kind: 'commands' }): boolean {
  return plan.commands.some((command) => /\bmake\b/.test(command));
}

function scriptsOf(contents: Readonly<Record<string, string>>): string {
  const scripts = toScripts(contents['package.json']) ?? {};
  return JSON.stringify(Object.entries(scripts).sort(([left], [right]) => (left < right ? -1 : 1)));
}
