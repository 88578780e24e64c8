import { gzipSync } from 'node:zlib';
import { type Attempt, type Config, exchange, exchangePatiently, toRequest } from './exchange.ts';

type Headers = readonly (readonly [string, string])[];
type Json = Readonly<Record<string, unknown>>;

/** The smallest call of each dialect. */
function toCall({ dialect, model }: Config): { readonly path: string; readonly body: Json } {
  switch (dialect) {
    case 'anthropic':
      return { path: '/v1/messages', body: { model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] } };
    case 'openai':
      return { path: '/v1/responses', body: { model, input: 'hi' } };
    case 'gemini':
      return {
        path: `/v1beta/models/${model}:generateContent`,
        body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      };
  }
}

/** The text of a call whose prompt is `text`. */
function toBodyWith(config: Config, text: string): string {
  return JSON.stringify(toCall(config).body).replace('"hi"', JSON.stringify(text));
}

/** A call with the right token, as a well-behaved agent makes it. */
export function callModel(config: Config): Promise<string> {
  const { path, body } = toCall(config);
  const request = toRequest(`POST ${path} HTTP/1.1`, toUsual(config.token), JSON.stringify(body));
  return exchangePatiently(config.modelPort, request);
}

function send(config: Config, line: string, headers: Headers, body: string | null): Promise<string> {
  return exchange(config.modelPort, toRequest(line, [...toUsual(config.token), ...headers], body));
}

function toUsual(token: string): Headers {
  return [
    ['host', '127.0.0.1'],
    ['connection', 'close'],
    ['content-type', 'application/json'],
    ['authorization', `Bearer ${token}`],
  ];
}

/** Every way through the gateway that somebody thought of. */
export function toModelAttempts(config: Config): readonly Attempt[] {
  const attempts: readonly (readonly [string, Attempt['run']])[] = [
    ...toTokens(config),
    ...toPaths(config),
    ...toHeaders(config),
    ...toSmuggled(config),
    ...toBodies(config),
    ...toHosted(config).map(
      ([name, change]) =>
        [
          `hosted: ${name}`,
          (mark: string) => {
            const { path, body } = toCall(config);
            return send(config, `POST ${path} HTTP/1.1`, [], JSON.stringify({ ...body, ...change(mark) }));
          },
        ] as const,
    ),
    ...(config.dialect === 'openai' ? toChat(config) : []),
  ];
  return attempts.map(([name, run]) => ({ group: 'model', name: `${config.dialect}: ${name}`, run }));
}

type Named = readonly (readonly [string, Attempt['run']])[];

function toTokens(config: Config): Named {
  const { token, otherToken, otherSocket, modelPort } = config;
  const line = `POST ${toCall(config).path} HTTP/1.1`;
  const withKey = (headers: Headers) => (mark: string) =>
    exchange(
      modelPort,
      toRequest(line, [['host', 'x'], ['connection', 'close'], ...headers], toBodyWith(config, mark)),
    );
  return [
    ['no token', withKey([])],
    ['an empty token', withKey([['authorization', 'Bearer ']])],
    ['another token', withKey([['authorization', `Bearer ${'0'.repeat(token.length)}`]])],
    ['half of the token', withKey([['authorization', `Bearer ${token.slice(0, -1)}`]])],
    ['the token in the other case', withKey([['authorization', `Bearer ${toOtherCase(token)}`]])],
    ['the token of another session', withKey([['x-api-key', otherToken]])],
    ['a list of tokens', withKey([['x-api-key', `${otherToken}, ${token}`]])],
    ['the token in a cookie', withKey([['cookie', `token=${token}`]])],
    ['the token in the body', (mark) => withKey([])(`${mark} ${token}`)],
    [
      "another session's socket",
      (mark) => exchange({ path: otherSocket }, toRequest(line, toUsual(otherToken), toBodyWith(config, mark))),
    ],
  ];
}

function toOtherCase(token: string): string {
  return token === token.toUpperCase() ? token.toLowerCase() : token.toUpperCase();
}

function toPaths(config: Config): Named {
  const { path } = toCall(config);
  const at =
    (toTarget: (mark: string) => string, method = 'POST') =>
    (mark: string) =>
      send(config, `${method} ${toTarget(mark)} HTTP/1.1`, [], JSON.stringify(toCall(config).body));
  return [
    ['another path', at((mark) => `/v1/files/${mark}`)],
    ['a list of files', at((mark) => `/v1/files?after=${mark}`, 'GET')],
    ['a path that goes up', at((mark) => `${path}/../../v1/files/${mark}`)],
    ['a path that goes up, encoded', at((mark) => `${path}/%2e%2e/files/${mark}`)],
    ['a path that goes up, encoded twice', at((mark) => `${path}/%252e%252e/${mark}`)],
    ['a path with backslashes', at((mark) => `${path}\\..\\${mark}`)],
    ['a path with a parameter', at((mark) => `${path};${mark}`)],
    ['a path with NUL', at((mark) => `${path}%00${mark}`)],
    ['a path with a NUL byte', at((mark) => `${path}\u0000${mark}`)],
    ['a path of two slashes', at((mark) => `//${mark}${path}`)],
    ['a fragment', at((mark) => `${path}#${mark}`)],
    ['an unknown query', at((mark) => `${path}?${mark}=1`)],
    ['a query after a known one', at((mark) => `${path}?beta=true&${mark}=1`)],
    ['two keys in the query', at((mark) => `${path}?key=${config.token}&key=${mark}`)],
    ['an absolute address', at((mark) => `http://127.0.0.1:${String(config.forbiddenPort)}/${mark}`)],
    ['an absolute address without a port', at((mark) => `https://${mark}.test${path}`)],
    ['CONNECT', at(() => `127.0.0.1:${String(config.forbiddenPort)}`, 'CONNECT')],
    ...['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].map(
      (method) =>
        [
          `method ${method}`,
          (mark: string) => send(config, `${method} ${path} HTTP/1.1`, [], toBodyWith(config, mark)),
        ] as const,
    ),
    ['batches', at((mark) => `/v1/messages/batches?${mark}`)],
    ['fine-tuning', at((mark) => `/v1/fine_tuning/jobs/${mark}`)],
    ['uploads', at((mark) => `/upload/v1beta/files?${mark}`)],
    ['the list of models, with a query', at((mark) => `/v1/models?${mark}`, 'GET')],
  ];
}

function toHeaders(config: Config): Named {
  const { path } = toCall(config);
  const body = JSON.stringify(toCall(config).body);
  const withHeaders = (toThem: (mark: string) => Headers) => (mark: string) =>
    send(config, `POST ${path} HTTP/1.1`, toThem(mark), body);
  return [
    ['a header of its own', withHeaders((mark) => [['x-escape', mark]])],
    ['a second host', withHeaders((mark) => [['host', `${mark}.test`]])],
    [
      'a forwarded host',
      withHeaders((mark) => [
        ['x-forwarded-host', mark],
        ['forwarded', `host=${mark}`],
      ]),
    ],
    ['a method override', withHeaders((mark) => [['x-http-method-override', `DELETE ${mark}`]])],
    [
      'a rewritten path',
      withHeaders((mark) => [
        ['x-original-url', `/${mark}`],
        ['x-rewrite-url', `/${mark}`],
      ]),
    ],
    [
      'an organisation',
      withHeaders((mark) => [
        ['openai-organization', mark],
        ['openai-project', mark],
      ]),
    ],
    ['a project to bill', withHeaders((mark) => [['x-goog-user-project', mark]])],
    ['credentials for a proxy', withHeaders((mark) => [['proxy-authorization', `Basic ${mark}`]])],
    ['a cookie', withHeaders((mark) => [['cookie', `a=${mark}`]])],
    [
      'headers named by Connection',
      withHeaders((mark) => [
        ['connection', `x-api-key, ${mark}`],
        [mark, '1'],
      ]),
    ],
    ['a folded header', withHeaders((mark) => [['anthropic-version', `2023-06-01\r\n x-escape: ${mark}`]])],
    ['a line feed in a header', withHeaders((mark) => [['user-agent', `a\nx-escape: ${mark}`]])],
    ['a carriage return in a header', withHeaders((mark) => [['user-agent', `a\rx-escape: ${mark}`]])],
    ['a NUL in a header', withHeaders((mark) => [['user-agent', `a\u0000${mark}`]])],
    ['an expectation', withHeaders((mark) => [['expect', `100-continue, ${mark}`]])],
    [
      'an upgrade to WebSocket',
      withHeaders((mark) => [
        ['connection', 'upgrade'],
        ['upgrade', 'websocket'],
        ['sec-websocket-protocol', mark],
      ]),
    ],
    [
      'an upgrade to HTTP/2',
      withHeaders((mark) => [
        ['connection', 'upgrade, http2-settings'],
        ['upgrade', 'h2c'],
        ['http2-settings', mark],
      ]),
    ],
    ['a header of 1 MB', withHeaders((mark) => [['user-agent', mark.repeat(180_000)]])],
  ];
}

/** A request in a request: `inside` must not be read as one of its own by anybody behind the gateway. */
function toSmuggled(config: Config): Named {
  const { path } = toCall(config);
  const own = JSON.stringify(toCall(config).body);
  const toInside = (mark: string): string => `POST /v1/files/${mark} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;
  const raw = (toHead: (inside: string) => Headers, toBody: (inside: string) => string) => (mark: string) =>
    exchange(
      config.modelPort,
      `${toRequest(`POST ${path} HTTP/1.1`, [...toUsual(config.token).filter(([name]) => name !== 'connection'), ...toHead(toInside(mark))])}${toBody(toInside(mark))}`,
    );
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const toLength = (text: string): string => String(text.length);
  return [
    [
      'smuggled: length and chunks',
      raw(
        (inside) => [
          ['content-length', toLength(`0\r\n\r\n${inside}`)],
          ['transfer-encoding', 'chunked'],
        ],
        (inside) => `0\r\n\r\n${inside}`,
      ),
    ],
    [
      'smuggled: chunks and length',
      raw(
        () => [
          ['transfer-encoding', 'chunked'],
          ['content-length', '4'],
        ],
        (inside) => `${chunk(inside)}0\r\n\r\n`,
      ),
    ],
    [
      'smuggled: two lengths',
      raw(
        (inside) => [
          ['content-length', toLength(own)],
          ['content-length', toLength(own + inside)],
        ],
        (inside) => own + inside,
      ),
    ],
    [
      'smuggled: a list of lengths',
      raw(
        (inside) => [['content-length', `${toLength(own)}, ${toLength(own + inside)}`]],
        (inside) => own + inside,
      ),
    ],
    [
      'smuggled: a length with a sign',
      raw(
        () => [['content-length', `+${toLength(own)}`]],
        (inside) => own + inside,
      ),
    ],
    [
      'smuggled: a negative length',
      raw(
        () => [['content-length', '-1']],
        (inside) => own + inside,
      ),
    ],
    [
      'smuggled: an unknown encoding',
      raw(
        (inside) => [
          ['transfer-encoding', 'xchunked'],
          ['content-length', toLength(own + inside)],
        ],
        (inside) => own + inside,
      ),
    ],
    [
      'smuggled: a blank before the colon',
      raw(
        () => [
          ['transfer-encoding ', 'chunked'],
          ['content-length', toLength(own)],
        ],
        (inside) => own + inside,
      ),
    ],
    [
      'smuggled: two encodings',
      raw(
        () => [
          ['transfer-encoding', 'chunked'],
          ['transfer-encoding', 'identity'],
        ],
        (inside) => `${chunk(own)}0\r\n\r\n${inside}`,
      ),
    ],
    [
      'smuggled: a size beyond 64 bits',
      raw(
        () => [['transfer-encoding', 'chunked']],
        (inside) => `1${'0'.repeat(15)}${own.length.toString(16)}\r\n${own}\r\n0\r\n\r\n${inside}`,
      ),
    ],
    [
      'smuggled: an extension with a line feed',
      raw(
        () => [['transfer-encoding', 'chunked']],
        (inside) => `${own.length.toString(16)};a\n${own}\r\n0\r\n\r\n${inside}`,
      ),
    ],
    [
      'smuggled: trailers',
      raw(
        () => [
          ['transfer-encoding', 'chunked'],
          ['trailer', 'x-escape'],
        ],
        (inside) => `${chunk(own)}0\r\nx-escape: ${/esc\d+/.exec(inside)?.[0] ?? ''}\r\n\r\n`,
      ),
    ],
    [
      'pipelined: a second request',
      raw(
        () => [['content-length', toLength(own)]],
        (inside) => own + inside.replace('host: x', `host: x\r\nauthorization: Bearer ${config.token}`),
      ),
    ],
    ['HTTP/0.9', (mark) => exchange(config.modelPort, `GET /v1/files/${mark}\r\n`)],
    [
      'HTTP/1.0',
      (mark) => exchange(config.modelPort, toRequest(`POST /v1/files/${mark} HTTP/1.0`, toUsual(config.token), own)),
    ],
    ['the preface of HTTP/2', (mark) => exchange(config.modelPort, `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${mark}`)],
    [
      'a greeting of TLS',
      (mark) => exchange(config.modelPort, Buffer.concat([Buffer.from([22, 3, 1, 0, 99, 1]), Buffer.from(mark)])),
    ],
  ];
}

function toBodies(config: Config): Named {
  const { path, body } = toCall(config);
  const post =
    (toBody: (mark: string) => string, headers: Headers = []) =>
    (mark: string) =>
      send(config, `POST ${path} HTTP/1.1`, headers, toBody(mark));
  const own = JSON.stringify(body);
  const withModel = (toModel: (mark: string) => unknown) => (mark: string) =>
    config.dialect === 'gemini'
      ? send(config, `POST /v1beta/models/${String(toModel(mark))}:generateContent HTTP/1.1`, [], own)
      : post(() => JSON.stringify({ ...body, model: toModel(mark) }))(mark);
  return [
    ['another model', withModel((mark) => mark)],
    ['a model after the right one', withModel((mark) => `${config.model}/${mark}`)],
    ['a model in the other case', withModel((mark) => `${config.model.toUpperCase()}-${mark}`)],
    ['a list of models', withModel((mark) => [config.model, mark])],
    ['a model twice, the wrong one first', post((mark) => own.replace('{', `{"model":"${mark}",`))],
    ['a model twice, the wrong one last', post((mark) => own.replace(/\}$/, `,"model":"${mark}"}`))],
    ['fields that nobody knows', post((mark) => JSON.stringify({ ...body, [mark]: { url: mark } }))],
    ['fields of the prototype', post((mark) => own.replace('{', `{"__proto__":{"mcp_servers":[{"url":"${mark}"}]},`))],
    ['a list in place of an object', post((mark) => JSON.stringify([{ ...body, [mark]: 1 }]))],
    ['two objects', post((mark) => `${own}\n{"${mark}":1}`)],
    ['a body behind a NUL', post((mark) => `${own}\u0000{"${mark}":1}`)],
    [
      'a byte order mark',
      post((mark) => `\u00EF\u00BB\u00BF${JSON.stringify({ ...body, mcp_servers: [{ url: mark }] })}`),
    ],
    [
      'UTF-16',
      post((mark) => Buffer.from(`\uFEFF${JSON.stringify({ ...body, user: mark })}`, 'utf16le').toString('latin1')),
    ],
    [
      'a compressed body',
      post(
        (mark) => gzipSync(JSON.stringify({ ...body, user: mark })).toString('latin1'),
        [['content-encoding', 'gzip']],
      ),
    ],
    [
      'a compressed body, told as none',
      post(
        (mark) => gzipSync(JSON.stringify({ ...body, user: mark })).toString('latin1'),
        [['content-encoding', 'identity, gzip']],
      ),
    ],
    [
      'a form',
      post(
        (mark) => `model=${config.model}&mcp_servers=${mark}`,
        [['content-type', 'application/x-www-form-urlencoded']],
      ),
    ],
    ['a body that nests deep', post((mark) => own.replace('"hi"', `${'['.repeat(5000)}"${mark}"${']'.repeat(5000)}`))],
    ['a body of 40 MB', post((mark) => own.replace('"hi"', `"${mark}${'a'.repeat(40 * 1024 * 1024)}"`))],
    [
      'a body that says 200 MB',
      (mark) =>
        exchange(
          config.modelPort,
          toRequest(`POST ${path} HTTP/1.1`, [...toUsual(config.token), ['content-length', '209715200']]),
          toBodyWith(config, mark),
        ),
    ],
    [
      'a model that sends it elsewhere',
      (mark) =>
        send(config, `POST ${path} HTTP/1.1`, [], own.replace('"hi"', `"REDIRECT ${mark.replace('esc', 'to-')}"`)),
    ],
  ];
}

/** What a provider would do beyond the model: search, fetch, run code, read files, call servers. */
function toHosted({ dialect }: Config): readonly (readonly [string, (mark: string) => Json])[] {
  const tool = (type: string) =>
    [type, (mark: string) => ({ tools: [{ type, name: 'a', description: mark, user_location: mark }] })] as const;
  switch (dialect) {
    case 'anthropic':
      return [
        ...[
          'web_search_20250305',
          'web_fetch_20250910',
          'code_execution_20250825',
          'mcp_toolset',
          'computer_use_preview',
        ].map(tool),
        ['mcp_servers', (mark) => ({ mcp_servers: [{ type: 'url', url: `https://${mark}.test`, name: 'a' }] })],
        ['container', (mark) => ({ container: mark })],
        [
          'an image at an address',
          (mark) => ({
            messages: [
              { role: 'user', content: [{ type: 'image', source: { type: 'url', url: `https://${mark}.test/` } }] },
            ],
          }),
        ],
        [
          'a file of the account',
          (mark) => ({
            messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: mark } }] }],
          }),
        ],
        [
          'a document at an address, in a result',
          (mark) => ({
            messages: [
              {
                role: 'user',
                content: [
                  {
                    type: 'tool_result',
                    tool_use_id: 'a',
                    content: [{ type: 'document', source: { type: 'url', url: mark } }],
                  },
                ],
              },
            ],
          }),
        ],
      ];
    case 'openai':
      return [
        ...[
          'web_search',
          'web_search_preview',
          'file_search',
          'code_interpreter',
          'image_generation',
          'computer_use_preview',
          'mcp',
        ].map(tool),
        [
          'a server of tools',
          (mark) => ({ tools: [{ type: 'mcp', server_label: 'a', server_url: `https://${mark}.test` }] }),
        ],
        [
          'a shell at the provider',
          (mark) => ({ tools: [{ type: 'shell', environment: { type: 'container_auto', name: mark } }] }),
        ],
        [
          'tools in a namespace',
          (mark) => ({ tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'web_search', filters: mark }] }] }),
        ],
        ['a stored prompt', (mark) => ({ prompt: { id: mark } })],
        ['a stored conversation', (mark) => ({ conversation: mark })],
        ['an earlier response', (mark) => ({ previous_response_id: mark })],
        ['work in the background', (mark) => ({ background: true, metadata: { mark } })],
        ['a stored item', (mark) => ({ input: [{ type: 'item_reference', id: mark }] })],
        [
          'an image at an address',
          (mark) => ({
            input: [{ role: 'user', content: [{ type: 'input_image', image_url: `https://${mark}.test/` }] }],
          }),
        ],
        [
          'a file at an address',
          (mark) => ({
            input: [{ role: 'user', content: [{ type: 'input_file', file_url: `https://${mark}.test/` }] }],
          }),
        ],
        [
          'a file of the account',
          (mark) => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: mark }] }] }),
        ],
      ];
    case 'gemini':
      return [
        ...[
          'googleSearch',
          'google_search',
          'urlContext',
          'url_context',
          'codeExecution',
          'code_execution',
          'googleMaps',
          'fileSearch',
          'computerUse',
        ].map((name) => [name, (mark: string) => ({ tools: [{ [name]: { a: mark } }] })] as const),
        [
          'a tool beside functions',
          (mark) => ({ tools: [{ functionDeclarations: [], googleSearchRetrieval: { a: mark } }] }),
        ],
        [
          'a file at an address',
          (mark) => ({ contents: [{ role: 'user', parts: [{ fileData: { fileUri: `https://${mark}.test` } }] }] }),
        ],
        [
          'a file, in the other spelling',
          (mark) => ({ contents: [{ role: 'user', parts: [{ file_data: { file_uri: mark } }] }] }),
        ],
        ['stored content', (mark) => ({ cachedContent: `cachedContents/${mark}` })],
        ['stored content, in the other spelling', (mark) => ({ cached_content: mark })],
      ];
  }
}

/** Chat Completions, the second API of its dialect. */
function toChat(config: Config): Named {
  const path = '/v1/chat/completions';
  const body = { model: config.model, messages: [{ role: 'user', content: 'hi' }] };
  const changed: readonly (readonly [string, (mark: string) => Json])[] = [
    ['web_search_options', (mark) => ({ web_search_options: { user_location: mark } })],
    ['enable_search', (mark) => ({ enable_search: true, search_options: mark })],
    ['search_parameters', (mark) => ({ search_parameters: { mode: mark } })],
    ['plugins', (mark) => ({ plugins: [{ id: mark }] })],
    ['a hosted tool', (mark) => ({ tools: [{ type: 'web_search', web_search: { a: mark } }] })],
    [
      'an image at an address',
      (mark) => ({
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `https://${mark}.test/` } }] }],
      }),
    ],
    ['another model', (mark) => ({ model: mark })],
  ];
  return changed.map(([name, change]) => [
    `chat: ${name}`,
    (mark: string) => send(config, `POST ${path} HTTP/1.1`, [], JSON.stringify({ ...body, ...change(mark) })),
  ]);
}
