import { GitHubError, toError } from '../../core/model/errors.ts';
import type { RegisteredApp } from '../../core/model/registered-app.ts';
import { judgeConvertedApp } from '../../core/setup/judge-converted-app.ts';
import type { TakenApp } from '../../core/setup/taken-app.ts';
import type { AppFile, AppRegistrar } from '../../ports/app-registrar.ts';

/** What the last step of a registration needs. */
export interface TakeAppDeps {
  readonly registrar: AppRegistrar;
  readonly appFile: AppFile;
  readonly githubApiUrl: string;
  readonly isUsableKey: (pem: string) => boolean;
}

/**
 * Exchanges the code of a registration and stores the App. GitHub knows a code once, so what it answers is stored before anything else
 * is done with it.
 */
export async function takeApp(
  { registrar, appFile, githubApiUrl, isUsableKey }: TakeAppDeps,
  { code, organization }: { readonly code: string; readonly organization: string },
  signal: AbortSignal,
): Promise<TakenApp> {
  let converted: Awaited<ReturnType<AppRegistrar['convert']>>;
  try {
    converted = await registrar.convert(code, signal);
  } catch (error) {
    return toRefusal(error);
  }
  const { permissions, ...rest } = converted;
  const app: RegisteredApp = { ...rest, githubApiUrl };
  const { pageUrl } = app;
  const other = judgeConvertedApp({ ...app, permissions }, organization);
  if (other !== null) return { kind: 'other_app', why: other, pageUrl };
  if (!isUsableKey(app.privateKey)) return { kind: 'other_app', why: 'its private key is no RSA key', pageUrl };
  try {
    await appFile.create(app);
  } catch (error) {
    return { kind: 'not_stored', why: toError(error).message, pageUrl };
  }
  return { kind: 'stored', app };
}

/** GitHub says 404 for a code that it does not know, that was used, or that is older than an hour. */
function toRefusal(error: unknown): TakenApp {
  if (!(error instanceof GitHubError)) throw error;
  const why = toText(error);
  const isOver = error.code === 'NOT_FOUND' || error.code === 'INVALID';
  return isOver ? { kind: 'code_refused', why } : { kind: 'no_answer', why };
}

function toText(error: GitHubError): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
