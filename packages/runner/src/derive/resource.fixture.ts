import type { Resource } from '@pronghorn/core';

/** A resource for tests: an image over HTTP/2, with what the test says different. */
export function resource(different: Partial<Resource> = {}): Resource {
  return {
    seq: 0,
    url: 'https://example.org/image.png',
    host: 'example.org',
    method: 'GET',
    type: 'Image',
    initiatorType: 'parser',
    initiatorUrl: 'https://example.org/',
    linked: true,
    protocol: 'h2',
    connectionId: 1,
    connectionReused: true,
    remoteAddress: '192.0.2.1:443',
    alternateProtocolUsage: null,
    startMs: 10,
    queueingMs: 0,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    sendMs: 0,
    waitMs: 5,
    receiveMs: 5,
    endMs: 20,
    transferBytes: 1_000,
    bodyBytes: 900,
    status: 200,
    mimeType: 'image/png',
    priority: 'Medium',
    cache: 'none',
    server: null,
    altSvc: null,
    failure: null,
    ...different,
  };
}
