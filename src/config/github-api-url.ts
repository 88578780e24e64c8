/**
 * Root of the REST API of a GitHub, by the host of its pages: github.com and `<name>.ghe.com` have a host of their own for it, GitHub
 * Enterprise Server has a path. The host of the API is taken, too.
 */
export function toGitHubApiUrl(host: string, protocol: 'https' | 'http'): string {
  const name = host.toLowerCase().replace(/^(?:api|www)\.(?=github\.com$|[^.]+\.ghe\.com$)/u, '');
  const isHosted = name === 'github.com' || /^[^.]+\.ghe\.com$/u.test(name);
  return isHosted ? `https://api.${name}` : `${protocol}://${host}/api/v3`;
}
