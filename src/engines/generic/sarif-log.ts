import { z } from 'zod';

/**
 * The part of a SARIF 2.1.0 log that is read (https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html). For an
 * unknown level the standard's default is used.
 */
const Level = z.enum(['none', 'note', 'warning', 'error']).optional().catch(undefined);
const Index = z.int().min(-1).optional();

const Message = z.object({
  text: z.string().optional(),
  markdown: z.string().optional(),
  id: z.string().optional(),
  arguments: z.array(z.string()).optional(),
});

const ArtifactLocation = z.object({ uri: z.string().optional(), uriBaseId: z.string().optional(), index: Index });

const Rule = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  defaultConfiguration: z.object({ level: Level }).optional(),
  messageStrings: z.record(z.string(), z.object({ text: z.string().optional() })).optional(),
});

const ToolComponent = z.object({ name: z.string().optional(), rules: z.array(Rule).optional() });

const Region = z.object({
  startLine: z.int().optional(),
  startColumn: z.int().optional(),
  endLine: z.int().optional(),
});

const Location = z.object({
  physicalLocation: z.object({ artifactLocation: ArtifactLocation.optional(), region: Region.optional() }).optional(),
});

export const SarifResult = z.object({
  ruleId: z.string().optional(),
  ruleIndex: Index,
  rule: z
    .object({ id: z.string().optional(), index: Index, toolComponent: z.object({ index: Index }).optional() })
    .optional(),
  kind: z.string().optional(),
  level: Level,
  message: Message.optional(),
  locations: z.array(Location).optional(),
  relatedLocations: z.array(Location).optional(),
  suppressions: z.array(z.object({ status: z.string().optional() })).nullish(),
  baselineState: z.string().optional(),
});

const Notification = z.object({ level: Level, message: Message.optional() });

const Invocation = z.object({
  executionSuccessful: z.boolean().optional(),
  exitCodeDescription: z.string().optional(),
  exitSignalName: z.string().optional(),
  processStartFailureMessage: z.string().optional(),
  toolExecutionNotifications: z.array(Notification).optional(),
  toolConfigurationNotifications: z.array(Notification).optional(),
});

const Run = z.object({
  tool: z.object({ driver: ToolComponent, extensions: z.array(ToolComponent).optional() }),
  /** Each result is parsed on its own, up to the limit. */
  results: z.array(z.unknown()).nullish(),
  invocations: z.array(Invocation).optional(),
  originalUriBaseIds: z.record(z.string(), ArtifactLocation).optional(),
  artifacts: z.array(z.object({ location: ArtifactLocation.optional() })).optional(),
});

/** A whole log. `runs` is `null` if the tool could not create them, which is rejected. */
export const SarifLog = z.object({
  version: z.string().regex(/^2\.1\./u, 'only SARIF 2.1 is read'),
  runs: z.array(Run, 'it has no runs'),
});

export type SarifResult = z.infer<typeof SarifResult>;
export type SarifLocation = z.infer<typeof Location>;
export type SarifRegion = z.infer<typeof Region>;
export type SarifNotification = z.infer<typeof Notification>;
export type SarifRun = z.infer<typeof Run>;
export type SarifInvocation = z.infer<typeof Invocation>;
export type SarifRule = z.infer<typeof Rule>;
export type SarifMessage = z.infer<typeof Message>;
export type SarifArtifactLocation = z.infer<typeof ArtifactLocation>;
