import { type LabelledMessage, toMessages } from './message.ts';

const INFRASTRUCTURE = toMessages('infrastructure', [
  [
    'actions runner',
    'The self-hosted runner: build-07 lost communication with the server. Verify the machine is running.',
  ],
  [
    'actions runner',
    '##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.',
  ],
  ['actions runner', '##[error]The operation was canceled.'],
  ['actions runner', "##[error]The action 'Run the suite' has timed out after 30 minutes."],
  ['actions runner', 'The job has exceeded the maximum execution time of 6h0m0s'],
  ['actions runner', 'The job was not acquired by Runner of type hosted even after multiple attempts'],
  ['actions runner', '##[error]Process completed with exit code 137.'],
  [
    'actions runner',
    'You are running out of disk space. The runner will stop working when the machine runs out of disk space. Free space left: 12 MB',
  ],
  [
    'actions runner',
    "##[warning]Failed to download action 'https://api.github.com/repos/actions/setup-node/tarball/v4'. Error: Response status code does not indicate success: 502 (Bad Gateway).\n##[error]Response status code does not indicate success: 502 (Bad Gateway).",
  ],
  ['actions/cache', '##[error]reserveCache failed: Cache service responded with 503'],
  ['actions/cache', '##[error]Failed to restore: getCacheEntry failed: connect ETIMEDOUT 13.107.42.16:443'],
  ['actions/upload-artifact', '##[error]Failed to CreateArtifact: Unable to make request: ECONNRESET'],
  [
    'apt',
    'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1432 (apt-get)\nE: Unable to lock directory /var/lib/apt/lists/',
  ],
  [
    'apt',
    'E: Failed to fetch http://azure.archive.ubuntu.com/ubuntu/dists/noble/InRelease  Could not connect to azure.archive.ubuntu.com:80 (52.1.2.3), connection timed out',
  ],
  ['apt', 'E: Failed to fetch https://packages.example.org/stable/main/Packages.gz  Hash Sum mismatch'],
  [
    'apt',
    'E: Failed to fetch http://deb.debian.org/debian/pool/main/j/jq/jq_1.7_amd64.deb  502  Bad Gateway [IP: 151.101.2.132 80]',
  ],
  [
    'npm',
    'npm ERR! code ETIMEDOUT\nnpm ERR! network request to https://registry.npmjs.org/left-pad failed, reason: connect ETIMEDOUT 104.16.24.34:443',
  ],
  [
    'npm',
    'npm error code ECONNRESET\nnpm error network aborted\nnpm error network This is a problem related to network connectivity.',
  ],
  ['npm', 'npm error code E503\nnpm error 503 Service Unavailable - GET https://registry.npmjs.org/semver'],
  [
    'npm',
    'npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/ms failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org',
  ],
  ['yarn', 'error An unexpected error occurred: "https://registry.yarnpkg.com/ms/-/ms-2.1.3.tgz: ETIMEDOUT".'],
  [
    'yarn',
    '➤ YN0035: │ ms@npm:2.1.3: The remote server failed to provide the requested resource\n➤ YN0035: │   Response Code: 502 (Bad Gateway)',
  ],
  [
    'pnpm',
    ' ERR_PNPM_META_FETCH_FAIL  GET https://registry.npmjs.org/ms: request to https://registry.npmjs.org/ms failed, reason: socket hang up',
  ],
  [
    'pip',
    'ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host=\'files.pythonhosted.org\', port=443): Max retries exceeded with url: /packages/x.whl (Caused by ReadTimeoutError("Read timed out. (read timeout=15)"))',
  ],
  [
    'pip',
    "pip._vendor.urllib3.exceptions.ProtocolError: ('Connection broken: IncompleteRead(1024 bytes read, 9000 more expected)', IncompleteRead(1024 bytes read, 9000 more expected))",
  ],
  ['uv', 'error: Failed to fetch: `https://pypi.org/simple/anyio/`\n  Caused by: operation timed out'],
  [
    'cargo',
    'error: failed to download from `https://static.crates.io/crates/libc/0.2.150/download`\n\nCaused by:\n  [28] Timeout was reached (Connection timed out after 30001 milliseconds)',
  ],
  [
    'cargo',
    'error: failed to fetch `https://github.com/rust-lang/crates.io-index`\n\nCaused by:\n  network failure seems to have happened',
  ],
  [
    'rustup',
    "error: could not download file from 'https://static.rust-lang.org/dist/channel-rust-nightly.toml' to '/home/runner/.rustup/tmp/a.toml': failed to make network request: connection closed before message completed",
  ],
  [
    'go',
    'go: golang.org/x/tools@v0.20.0: Get "https://proxy.golang.org/golang.org/x/tools/@v/v0.20.0.mod": dial tcp 142.250.72.49:443: connect: connection timed out',
  ],
  [
    'go',
    'go: downloading github.com/stretchr/testify v1.9.0\ngo: github.com/stretchr/testify@v1.9.0: reading https://proxy.golang.org/github.com/stretchr/testify/@v/v1.9.0.zip: 503 Service Unavailable',
  ],
  [
    'maven',
    '[ERROR] Failed to execute goal on project api: Could not resolve dependencies for project org.example:api:jar:1.0: Could not transfer artifact junit:junit:jar:4.13 from/to central (https://repo.maven.apache.org/maven2): Connection reset -> [Help 1]',
  ],
  [
    'maven',
    '[ERROR] Could not transfer artifact org.slf4j:slf4j-api:pom:2.0.9 from/to central (https://repo.maven.apache.org/maven2): status code: 503, reason phrase: Service Unavailable (503)',
  ],
  [
    'maven',
    '[ERROR] Unresolveable build extension: Could not transfer artifact a:b:pom:1 from/to central (https://repo.maven.apache.org/maven2): repo.maven.apache.org: Temporary failure in name resolution',
  ],
  [
    'gradle',
    "> Could not resolve all artifacts for configuration ':classpath'.\n   > Could not GET 'https://plugins.gradle.org/m2/org/example/a.pom'. Received status code 503 from server: Service Unavailable",
  ],
  ['gradle', "   > Could not HEAD 'https://repo.maven.apache.org/maven2/a/b/1/b-1.jar'.\n      > Read timed out"],
  ['gradle', 'Gradle build daemon disappeared unexpectedly (it may have been killed or may have crashed)'],
  [
    'gradle',
    'Exception in thread "main" java.io.IOException: Downloading from https://services.gradle.org/distributions/gradle-8.5-bin.zip failed: timeout (10000ms)',
  ],
  [
    'docker',
    'ERROR: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
  ],
  [
    'docker',
    'Error response from daemon: Head "https://registry-1.docker.io/v2/library/redis/manifests/7": Get "https://auth.docker.io/token": net/http: TLS handshake timeout',
  ],
  [
    'docker',
    'ERROR: failed to solve: node:22: failed to resolve source metadata for docker.io/library/node:22: unexpected status from HEAD request: 503 Service Unavailable',
  ],
  ['docker', 'Error response from daemon: received unexpected HTTP status: 502 Bad Gateway'],
  [
    'docker',
    'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  ],
  ['git', "fatal: unable to access 'https://github.com/example/app/': Could not resolve host: github.com"],
  ['git', "fatal: unable to access 'https://github.com/example/app/': The requested URL returned error: 502"],
  [
    'git',
    'error: RPC failed; HTTP 500 curl 22 The requested URL returned error: 500\nfatal: expected flush after ref listing',
  ],
  ['git', 'fatal: the remote end hung up unexpectedly\nfatal: early EOF\nfatal: index-pack failed'],
  [
    'git',
    "fatal: unable to access 'https://github.com/example/app/': GnuTLS recv error (-110): The TLS connection was non-properly terminated.",
  ],
  ['ssh', 'ssh: connect to host github.com port 22: Connection timed out'],
  ['ssh', 'kex_exchange_identification: read: Connection reset by peer'],
  ['curl', 'curl: (35) OpenSSL SSL_connect: Connection reset by peer in connection to dl.example.org:443'],
  ['curl', 'curl: (6) Could not resolve host: dl.example.org'],
  ['curl', 'curl: (22) The requested URL returned error: 504'],
  ['curl', 'curl: (60) SSL certificate problem: certificate has expired'],
  ['wget', 'wget: unable to resolve host address ‘downloads.example.org’'],
  ['octokit', 'HttpError: You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'],
  ['octokit', 'RequestError [HttpError]: API rate limit exceeded for installation ID 4711.'],
  [
    'bundler',
    'Bundler::HTTPError: Could not fetch specs from https://rubygems.org/ due to underlying error <Net::ReadTimeout>',
  ],
  [
    'rubygems',
    "ERROR:  Could not find a valid gem 'rake' (>= 0), here is why:\n          Unable to download data from https://rubygems.org/ - timed out (https://rubygems.org/specs.4.8.gz)",
  ],
  ['composer', 'The "https://repo.packagist.org/p2/psr/log.json" file could not be downloaded (HTTP/2 502 )'],
  [
    'nuget',
    "error NU1301: Failed to retrieve information about 'Serilog' from remote source 'https://api.nuget.org/v3/index.json'.\n  The SSL connection could not be established, see inner exception.",
  ],
  ['homebrew', 'curl: (56) Recv failure: Connection reset by peer\nError: cmake: Failed to download resource "cmake"'],
  [
    'conda',
    'CondaHTTPError: HTTP 503 SERVICE UNAVAILABLE for url <https://conda.anaconda.org/conda-forge/linux-64/repodata.json>',
  ],
  ['node', 'Error: ENOSPC: no space left on device, write'],
  ['gcc', 'c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.'],
  ['ld', 'ld: final link failed: No space left on device'],
  ['bash', '/home/runner/work/_temp/7c1e.sh: line 4:  3021 Killed                  cargo build --release'],
  [
    'aws',
    'fatal error: An error occurred (SlowDown) when calling the PutObject operation (reached max retries: 4): Please reduce your request rate.',
  ],
]);

const FLAKES = toMessages('flake', [
  ['browser', 'Error: Failed to launch the browser process! undefined'],
  ['puppeteer', 'ProtocolError: Protocol error (Target.setAutoAttach): Target closed'],
  ['playwright', 'browserType.launch: Timeout 180000ms exceeded.'],
  ['cypress', 'Cypress failed to make a connection to the Chrome DevTools Protocol after retrying for 50 seconds.'],
  [
    'selenium',
    'selenium.common.exceptions.WebDriverException: Message: unknown error: Chrome failed to start: crashed.',
  ],
  [
    'karma',
    'ChromeHeadless have not captured in 60000 ms, killing.\nChromeHeadless failed 2 times (timeout). Giving up.',
  ],
  ['node', 'Error: listen EADDRINUSE: address already in use 127.0.0.1:8080'],
  [
    'docker',
    'Error response from daemon: driver failed programming external connectivity on endpoint cache: Bind for 0.0.0.0:6379 failed: port is already allocated',
  ],
  [
    'postgres',
    'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
  ],
  ['vitest', 'Error: [vitest-worker]: Timeout calling "fetch" with "[\\"/src/a.ts\\",\\"web\\"]"'],
  [
    'vitest',
    'Error: Test timed out in 10000ms.\nIf this is a long-running test, pass a timeout value as the last argument',
  ],
  [
    'jest',
    'thrown: "Exceeded timeout of 10000 ms for a hook.\nAdd a timeout value to this test to increase the timeout, if this is a long-running test."',
  ],
  [
    'mocha',
    'Error: Timeout of 5000ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves.',
  ],
  ['android', 'Timeout waiting for emulator to boot.'],
  [
    'xcodebuild',
    'Testing failed:\n\tThe test runner failed to initialize for UI testing. (Underlying Error: Timed out while enabling automation mode.)',
  ],
]);

const PERSON = toMessages('person', [
  [
    'actions',
    "The job was not started because recent account payments have failed or your spending limit needs to be increased. Please check the 'Billing & plans' section in your settings",
  ],
  ['actions', '##[error]Unable to resolve action `example/missing-action@v9`, unable to find version `v9`'],
  ['actions', '##[error]Input required and not supplied: token'],
  [
    'actions',
    '##[error]This request has been automatically failed because it uses a deprecated version of `actions/upload-artifact: v2`.',
  ],
  ['actions', '##[error]Resource not accessible by integration'],
  ['actions', 'The job was not started because your account is locked due to a billing issue.'],
]);

/** Failures that the code of the repository did not cause. */
export const OUTSIDE_OF_THE_CODE: readonly LabelledMessage[] = [...INFRASTRUCTURE, ...FLAKES, ...PERSON];
