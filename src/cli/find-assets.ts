import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Paths of the files that the program needs: next to the bundle, or in the source tree. */
export function findAssets(): {
  readonly migrationsDir: string;
  readonly fakeAgentProgram: string;
  readonly acpClientProgram: string;
  readonly plannerProgram: string;
  readonly testJudgeProgram: string;
  readonly browserProgram: string;
} {
  const find = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  if (existsSync(find('./migrations'))) {
    return {
      migrationsDir: find('./migrations'),
      fakeAgentProgram: find('./fake-agent-program.mjs'),
      acpClientProgram: find('./acp-client-program.mjs'),
      plannerProgram: find('./planner-program.mjs'),
      testJudgeProgram: find('./judge-worker.mjs'),
      browserProgram: find('./browser-program.mjs'),
    };
  }
  return {
    migrationsDir: find('../../migrations'),
    fakeAgentProgram: find('../adapters/agents/fake-agent-program.mjs'),
    acpClientProgram: find('../../dist/acp-client-program.mjs'),
    plannerProgram: find('../../dist/planner-program.mjs'),
    testJudgeProgram: find('../adapters/source/judge-worker.ts'),
    browserProgram: find('../../dist/browser-program.mjs'),
  };
}
