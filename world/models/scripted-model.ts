import path from 'node:path';
import { isObject, type Json, type JsonObject, objectAt, stringAt, stringsAt } from '../json.ts';
import type { ModelCall, ModelStep, OfferedTool } from './model-call.ts';

/** One step of the script. Paths are absolute, or relative to the workspace. */
export type ScriptStep =
  | { readonly do: 'read'; readonly file: string }
  | { readonly do: 'edit'; readonly file: string; readonly find: string; readonly replace: string }
  | { readonly do: 'run'; readonly command: string };

/** What the model does in one conversation. */
export type ModelScript = {
  readonly steps: readonly ScriptStep[];
  /** The last message. An object gets the ids of the request, if the prompt names them. Default: a success. */
  readonly end?: string | JsonObject;
  /** Absolute path of the workspace. Default: `/workspace`. */
  readonly workspace?: string;
};

const TOOL_NAMES: Readonly<Record<ScriptStep['do'], RegExp>> = {
  read: /^(?:read|read_?file|view)$/iu,
  edit: /^(?:edit|replace|str_replace|edit_?file)$/iu,
  run: /^(?:bash|shell|shell_command|exec_command|run_shell_command|execute_command|run_command)$/iu,
};

const END = { status: 'success', summary: 'The function adds now, and its test passes.' } as const;
const SIDE_ANSWER = '{"title":"Fix","reasoning":"none","next_speaker":"user","complexity_score":1}';

/** The next step: that of the script whose turn it is by the results in the conversation. Calls without tools are side calls. */
export function decideStep(call: ModelCall, script: ModelScript): ModelStep {
  if (call.wantsJson) return { kind: 'text', text: SIDE_ANSWER };
  if (call.tools.length === 0 && script.steps.length > 0) return { kind: 'text', text: 'Fix the function' };
  const step = script.steps[call.results];
  const tool = step === undefined ? null : toToolStep(call.tools, step, script.workspace ?? '/workspace');
  return tool ?? { kind: 'text', text: toEnd(call, script.end ?? END) };
}

/** A step that is never the last one. */
export function decideEndlessStep(call: ModelCall): ModelStep {
  const step = { do: 'run', command: `echo ${String(call.results)}` } as const;
  return toToolStep(call.tools, step, '/workspace') ?? { kind: 'text', text: 'Fix the function' };
}

function toToolStep(tools: readonly OfferedTool[], step: ScriptStep, workspace: string): ModelStep | null {
  const tool = tools.find(({ name }) => TOOL_NAMES[step.do].test(name));
  if (tool !== undefined) return { kind: 'tool', name: tool.name, args: fill(tool.schema, toValues(step, workspace)) };
  if (step.do !== 'run') return toToolStep(tools, { do: 'run', command: toCommand(step) }, workspace);
  const programs = tools.find(({ takesProgram }) => takesProgram);
  return programs === undefined ? null : { kind: 'program', name: programs.name, text: toProgram(step.command) };
}

/** In JavaScript, as Codex runs it for the models that it knows. */
function toProgram(command: string): string {
  return `const { output } = await tools.exec_command({ cmd: ${JSON.stringify(command)} });\ntext(output);`;
}

/** The step as a shell command, for clients that offer a shell only. */
function toCommand(step: Exclude<ScriptStep, { readonly do: 'run' }>): string {
  if (step.do === 'read') return `cat ${quote(step.file)}`;
  const program = [
    "const fs=require('node:fs'),[file,find,to]=process.argv.slice(1);",
    "const text=fs.readFileSync(file,'utf8');if(!text.includes(find))throw new Error('not found');",
    'fs.writeFileSync(file,text.replace(find,()=>to))',
  ].join('');
  return ['node', '-e', program, step.file, step.find, step.replace].map(quote).join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What the parameters of tools are called, and their values. */
type Values = Readonly<Record<'path' | 'find' | 'replace' | 'command', string>>;

function toValues(step: ScriptStep, workspace: string): Values {
  return {
    path: step.do === 'run' ? '' : path.resolve(workspace, step.file),
    find: step.do === 'edit' ? step.find : '',
    replace: step.do === 'edit' ? step.replace : '',
    command: step.do === 'run' ? step.command : '',
  };
}

const PARAMETERS: readonly (readonly [RegExp, keyof Values])[] = [
  [/^(?:file_?path|path|absolute_path|target_file)$/iu, 'path'],
  [/^old_?(?:string|text|str)$/iu, 'find'],
  [/^new_?(?:string|text|str)$/iu, 'replace'],
  [/^(?:command|cmd)$/iu, 'command'],
];

/** Arguments by the tool's own schema: the known parameters, and something for each that is required. */
function fill(schema: JsonObject, values: Values): JsonObject {
  const required = stringsAt(schema, 'required');
  const filled = Object.entries(objectAt(schema, 'properties')).flatMap(([name, value]): [string, Json][] => {
    const parameter = isObject(value) ? value : {};
    const known = PARAMETERS.find(([pattern]) => pattern.test(name));
    if (known !== undefined) return [[name, toArgument(parameter, values[known[1]])]];
    return required.includes(name) ? [[name, toFiller(parameter)]] : [];
  });
  return Object.fromEntries(filled);
}

function toArgument(parameter: JsonObject, value: string): Json {
  return parameter['type'] === 'array' ? ['bash', '-lc', value] : value;
}

function toFiller(parameter: JsonObject): Json {
  const [choice] = stringsAt(parameter, 'enum');
  if (choice !== undefined) return choice;
  const fillers: Readonly<Record<string, Json>> = { boolean: false, number: 1, integer: 1, array: [], object: {} };
  return fillers[stringAt(parameter, 'type') ?? ''] ?? 'as scripted';
}

/** The last message. The prompt may name the ids of its request; an answer must repeat them then. */
function toEnd({ text }: ModelCall, end: string | JsonObject): string {
  if (typeof end === 'string') return end;
  const idOf = (name: string): JsonObject => {
    const found = new RegExp(`\\\\*"${name}\\\\*": ?\\\\*"(?<id>[\\w.:-]+)`, 'u').exec(text)?.groups?.['id'];
    return found === undefined ? {} : { [name]: found };
  };
  return JSON.stringify({ schema_version: 1, ...idOf('run_id'), ...idOf('task_id'), ...end });
}
