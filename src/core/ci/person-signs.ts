/**
 * How GitHub, its runners, common actions and common tools say that something outside of the code is missing or refused. Each
 * sign matches the beginning of a message. An agent may never change workflow files, so what only they can mend is here too.
 */

/** The account does not pay for the job, or GitHub does not let it run one. */
const BILLING = [
  'the job was not started because\\b',
  "workflows? can(?:'|no)?t be executed on this repository",
  "github actions workflows can't be executed",
  '(?:github )?actions (?:jobs for this repository|has|have|are|is)\\b.{0,40}\\bdisabled\\b',
  'github actions hosted runners are disabled',
  '(?:[\\w ]{1,40}: )?artifact storage quota has been hit',
  'batch response: this repository (?:is over its data quota|exceeded its lfs budget)',
];

/** No runner takes the job, or the machine of a self-hosted one is in trouble. */
const RUNNER = [
  'no (?:hosted |self-hosted |online )?runners? matching the (?:specified|requested) labels',
  'the job has exceeded the maximum execution time while awaiting a runner',
  'this is a scheduled \\S+(?: \\S+){0,2} brownout',
  'the self-hosted runner\\b.{0,200}\\blost communication with the server',
  "(?:unhandled exception\\. )?system\\.io\\.ioexception: no space left on device : '(?!/home/runner/(?:runners|actions-runner)/)[^']*_diag",
  "eacces: permission denied, \\w+ '[^']*/(?:actions-runner|_work)/",
  '(?:an error occurred: )?runner version v?\\S+ is deprecated and cannot receive messages',
];

/** An action or a called workflow does not exist, is refused, or is not allowed here; a workflow file is invalid. */
const WORKFLOW = [
  'unable to resolve actions?\\b',
  'an action could not be found at the uri\\b',
  'missing download info for \\S',
  "can't find 'action\\.yml', 'action\\.yaml' or 'dockerfile' (?:under|for action) '[^']*/_actions/",
  'this request has been automatically failed because it uses a deprecated version of\\b',
  'the action \\S+ is not allowed in \\S',
  '[\\w./@, -]{1,400} (?:is|are) not allowed to be used in \\S+\\. actions in this workflow must be\\b',
  'invalid workflow file\\b',
  'the workflow is not valid\\b',
  'error parsing called workflow\\b',
  'secret \\S+ is required, but not provided while calling',
];

/** A rule of an environment, a branch or the repository refuses it. */
const RULE = [
  '(?:branch|tag) "?\\S+ is not allowed to deploy to\\b',
  "the deployment was rejected or didn't satisfy other protection rules",
  'remote: error: gh0(?:06|13):',
  '(?:! \\[remote rejected\\].{0,300}\\()?refusing to allow (?:a|an) \\S.{0,60} to create or update workflow\\b',
  'code scanning is not enabled for this repository',
  '(?:advanced security|code security) must be enabled\\b',
  'dependency review is not supported on this repository',
  'get pages site failed\\b',
];

/** A secret or an input is missing, or the token may not do it. */
const TOKEN = [
  'input required and not supplied: \\S',
  'parameter token or opts\\.auth is required',
  '(?:username and password|username|password) required$',
  'cannot perform an interactive login from a non tty device',
  'resource not accessible by (?:integration|personal access token)',
  'remote: permission to \\S+ denied to \\S',
  'remote: write access to repository not granted',
  'github actions is not permitted to create or approve pull requests',
  "fatal: could not read (?:username|password) for '",
  "fatal: authentication failed for '",
  'remote: (?:invalid username or (?:password|token)|support for password authentication was removed)',
  '(?:\\S+@\\S+: )?permission denied \\(publickey\\)',
  'the ssh-private-key argument is empty',
  'bad credentials(?:$| - https:)',
  'to use github cli in a github actions workflow, set the gh_token\\b',
  'set the sonar_token env variable',
  'not authorized\\. please check the (?:properties|user token|analysis token)\\b',
  '(?:.{0,60}upload failed: .{0,20})?token required - not valid tokenless upload',
  'codecov token not found\\b',
  '\\[@octokit/auth-app\\] \\S+ option is required',
];

/** A registry or a cloud refuses the login. */
const LOGIN = [
  'code (?:eneedauth|e401)$',
  'need auth\\b',
  '(?:401 )?unauthorized - (?:get|put) https?://',
  '(?:403 )?403 forbidden - put https?://',
  'unable to authenticate, need: \\S',
  'httperror: 40[13] \\S+ from https://upload\\.pypi\\.org',
  'no token found, please run `cargo login`',
  '(?:response from daemon: .{0,200})?unauthorized: (?:incorrect username or password|authentication required)',
  '(?:response from daemon: .{0,200}|failed to push \\S+ )?denied: (?:permission_denied|installation not allowed|requested access to the resource is denied)',
  'credentials could not be loaded, please check your action inputs',
  'could not assume role with\\b',
  '(?:user: \\S+ is )?not authorized to perform:? sts:assumerole',
  'unable to get actions_id_token_request_url env variable',
  '\\$actions_id_token_request_(?:token|url) is not set',
  'git ?hub actions did not inject \\$actions_id_token_request',
  '(?:retry function failed .{0,40}: )?the "?github action workflow must specify exactly one of "workload_identity_provider"',
  'aadsts\\d{4,}: ',
  '(?:az cli )?login failed with (?:error: )?\\S',
  'unable to locate credentials\\b',
  'an error occurred \\((?:expiredtoken\\w*|invalidclienttokenid|unrecognizedclientexception|accessdenied\\w*)\\) when calling\\b',
  'no valid credential sources? (?:for \\S.{0,60} )?found',
  '(?:no existing credentials found\\. please log in using|the specified token is not valid\\. use) `vercel login`',
  '\\(gcloud\\.[\\w.-]+\\) you do not currently have an active account selected',
];

/** One pattern for all signs, for a message without its prefixes. */
export const PERSON_SIGN = new RegExp(`^(?:${[BILLING, RUNNER, WORKFLOW, RULE, TOKEN, LOGIN].flat().join('|')})`, 'iu');

/** What tools and runners put before a message; one of several in a row. */
export const MESSAGE_PREFIX =
  /^(?:##\[error\]|\.github#L\d+|::error(?: [^:]*)?::|failed to resolve action download info\. |action failed with (?:the )?error:? |pull request create failed: |(?:http|error) \d{3}: |(?:httperror|requesterror \[httperror\]|unhandled error|permission error|error message|graphql|gh): |\[?(?:error|fatal|failed)\]?(?:: | )|npm (?:err!|error) |codecov: |[\w.-]+(?:\/[\w.-]+)? failed(?: with)?: |[❌✖×"'] ?)/iu;

/** A runner's line of a failing test, a compiler's or a linter's error: the code is what fails. */
export const CODE_FAILURE =
  /^\s*(?:FAIL(?:ED)?|not ok)\b|^\s*--- FAIL:|^\s*[✗✕✘×]\s|^\s*● .* › |^E {2,}\S|\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|\bFailures: [1-9]|\bAssertionError\b|\bassertion (?:failed|`)|\berror TS\d+|\berror\[E\d+\]|^\S+:\d+:\d+:? (?:fatal )?error\b|^\s+\d+:\d+\s+error\s|✖ [1-9]\d* problems?|\bpanicked at\b/u;
