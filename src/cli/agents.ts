import { toTokenCount } from '../core/agents/use-text.ts';
import { toMicroUsd, toTimeMs } from '../core/spend/session-limits.ts';
import { toCountText, toMoneyText, toTimeText } from '../core/text/words.ts';
import {
  type AgentsJson,
  AgentsResponse,
  PullRequestName,
  type SpendJson,
  SpendResponse,
} from '../schemas/admin-api.ts';
import { AdminFailure, type AdminInput, type Call, createCall, readAction } from './call-admin.ts';
import { type CliResult, fail, succeed, toJsonLine } from './cli-result.ts';
import { parseFlags } from './parse-flags.ts';

const ACTIONS = ['off', 'on', 'status'] as const;

/**
 * `ratchet agents off | on | status`: the kill switch of a running server. While agents are off, none is launched and no model is
 * called, in one repository or everywhere. `status` shows switches, models that are not called for a while, and what was spent.
 */
export async function runAgents(args: readonly string[], input: AdminInput): Promise<CliResult> {
  try {
    const request = parseAgentsArgs(args);
    const call = createCall(input);
    const shown = request.action === 'status' ? await readStatus(request, call) : await turn(request, input, call);
    return succeed(request.json ? toJsonLine(shown) : toText(shown));
  } catch (error) {
    if (!(error instanceof AdminFailure)) throw error;
    return fail(error.exitCode, `ratchet: ${error.message}\n`);
  }
}

interface AgentsRequest {
  readonly action: (typeof ACTIONS)[number];
  /** null: everywhere. */
  readonly repository: string | null;
  readonly number: number | null;
  readonly reason: string | null;
  readonly json: boolean;
}

const OPTIONS = { reason: { type: 'string' }, json: { type: 'boolean', default: false } } as const;

function parseAgentsArgs(args: readonly string[]): AgentsRequest {
  const { values, positionals } = readArgs(args);
  const [written, name, extra] = positionals;
  const action = readAction('agents', written, ACTIONS);
  if (extra !== undefined) throw new AdminFailure(2, `agents ${action}: unexpected argument ${JSON.stringify(extra)}`);
  if (values.reason !== undefined && action !== 'off')
    throw new AdminFailure(2, `agents ${action}: --reason belongs to agents off`);
  const { reason = null, json } = values;
  return {
    action,
    ...(name === undefined ? { repository: null, number: null } : readName(action, name)),
    reason,
    json,
  };
}

function readArgs(args: readonly string[]) {
  const parsed = parseFlags(args, OPTIONS);
  if (typeof parsed === 'string') throw new AdminFailure(2, `agents: ${parsed}`);
  return parsed;
}

function readName(action: AgentsRequest['action'], name: string): Pick<AgentsRequest, 'repository' | 'number'> {
  const [, repository, number] = /^([^#\s]+?)(?:#(\d{1,10}))?$/.exec(name) ?? [];
  const mayHaveNumber = action === 'status';
  const parsed = PullRequestName.safeParse({ repository, number: number ?? 1 });
  if (!parsed.success || (number !== undefined && !mayHaveNumber)) {
    const expected = mayHaveNumber ? 'OWNER/REPO or OWNER/REPO#N' : 'OWNER/REPO';
    throw new AdminFailure(2, `agents ${action}: expected ${expected}, not ${JSON.stringify(name)}`);
  }
  return { repository: parsed.data.repository, number: number === undefined ? null : parsed.data.number };
}

type Shown = AgentsJson & Partial<SpendJson>;

async function turn({ action, repository, reason }: AgentsRequest, input: AdminInput, call: Call): Promise<Shown> {
  const body = {
    ...(repository === null ? {} : { repository }),
    enabled: action === 'on',
    by: input.variables['USER'] ?? 'someone',
    ...(reason === null ? {} : { reason }),
  };
  return call(AgentsResponse, { method: 'PUT', path: 'agents', body });
}

async function readStatus({ repository, number }: AgentsRequest, call: Call): Promise<Shown> {
  const agents = await call(AgentsResponse, { method: 'GET', path: 'agents' });
  if (repository === null) return agents;
  const query = new URLSearchParams({ repository, ...(number === null ? {} : { number: String(number) }) });
  return { ...agents, ...(await call(SpendResponse, { method: 'GET', path: `spend?${query.toString()}` })) };
}

function toText({ switches, circuits, spent = [] }: Shown): string {
  const lines = [
    ...(switches.length === 0 ? ['agents are on'] : switches.map(toSwitchLine)),
    ...circuits.map(
      ({ agent, fault, until }) =>
        `the model of the agent ${agent} is not called (${fault}) until ${until ?? 'its configuration changes'}`,
    ),
    ...spent.map(toSpentLine),
  ];
  return lines.map((line) => `${line.replaceAll(/\p{Cc}/gu, ' ')}\n`).join('');
}

function toSwitchLine({ repository, offSince, by, reason }: AgentsJson['switches'][number]): string {
  const where = repository === null ? 'everywhere' : `in ${repository}`;
  return `agents are off ${where} since ${offSince}, by ${by}${reason === '' ? '' : `: ${reason}`}`;
}

const SCOPES: Readonly<Record<SpendJson['spent'][number]['scope'], string>> = {
  fixup: 'fixup',
  pull_request: 'pull request',
  day: 'repository, today (UTC)',
  month: 'installation, this month (UTC)',
};

function toSpentLine({ scope, usd, maxUsd, ...spent }: SpendJson['spent'][number]): string {
  const { calls, maxCalls, tokens, maxTokens, minutes, maxMinutes } = spent;
  const money = `${toMoneyText(toMicroUsd(usd))} of ${maxUsd === null ? 'any amount' : toMoneyText(toMicroUsd(maxUsd))}`;
  const counts = [
    `${toCountText(calls, 'call')} of ${maxCalls ?? 'any number'}`,
    `${toCountText(toTokenCount(tokens), 'token')} of ${maxTokens ?? 'any number'}`,
    `${toTimeText(toTimeMs(minutes))} of ${maxMinutes === null ? 'any time' : toTimeText(toTimeMs(maxMinutes))}`,
  ];
  return `${SCOPES[scope]}: ${[money, ...counts].join(', ')}`;
}
