/** Paths and packages of libraries, of runtimes and of test runners. */
const FOREIGN =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|gems|vendor|\.rustup|rustc|\.cargo|\.m2|\.gradle|jdk|ghc|compiler-rt)[/\\]|(?:^|[\s"'(])(?:node:|internal[/\\][\w/\\]{1,80}\.js\b|\/usr\/(?:lib|include|share|local\/(?:lib|go))|\/opt\/|\/rustc\/|<frozen)|[/\\]lib[/\\](?:python|ruby)[/\\\d]|(?:^|\bat |(?<!\/src\/\w{1,30})\/)(?:java|javax|jdk|sun|com[./]sun|junit|scala|kotlin|groovy|akka|org[./](?:junit|testng|gradle|mockito|hamcrest|assertj|scalatest|specs2|codehaus|apache[./]maven|apache[./]tools|eclipse[./](?:jetty|sisu)|springframework))[./]/u;

/** Whether a path or a line of a log is about code of others. */
export function isForeign(text: string): boolean {
  return FOREIGN.test(text);
}
