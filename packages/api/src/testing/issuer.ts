// An issuer of jobs' tokens on the loopback, such as GitHub and GitLab are, with keys of its own.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Signing = { header?: { alg: string; kid?: string }; key?: Parameters<SignJWT['sign']>[0] };

export type TestIssuer = Awaited<ReturnType<typeof testIssuer>>;

export async function testIssuer(t: TestContext) {
  const made = async (kid: string) => ({ kid, ...(await generateKeyPair('RS256', { extractable: true })) });
  let [current, count] = [await made('key-1'), 1];
  let answer: Answer | undefined;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (answer !== undefined) return answer(request, response);
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration')
      return response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys`, id_token_signing_alg_values_supported: ['RS256'] }));
    if (request.url !== '/keys') return response.writeHead(404).end();
    exportJWK(current.publicKey).then((key) =>
      response.end(JSON.stringify({ keys: [{ ...key, kid: current.kid, alg: 'RS256', use: 'sig' }] })),
    );
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.after(close);

  return {
    url,
    /** Paths that it was asked for. */
    asked,
    close,
    open: () => listen(port),
    /** Answers whatever is asked. */
    answerBy(by: Answer | undefined): void {
      answer = by;
    },
    /** Another key in place of the one before. */
    async rotate(): Promise<void> {
      count += 1;
      current = await made(`key-${count}`);
    },
    publicPem: () => exportSPKI(current.publicKey),
    /** A token as it stands, signed by the key of now. */
    sign: (claims: JWTPayload, { header, key }: Signing = {}): Promise<string> =>
      new SignJWT(claims).setProtectedHeader(header ?? { alg: 'RS256', kid: current.kid, typ: 'JWT' }).sign(key ?? current.privateKey),
  };
}
