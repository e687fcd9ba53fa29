// Content-Type by file extension: the same for every server, whatever the system's own tables say.
export const contentTypes = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  webm: 'video/webm',
} as const;

/** Ends of names of files in somebody's build, by Content-Type (IANA's media types; text/javascript by RFC 9239). */
const endsOf: Readonly<Record<string, string>> = {
  'text/html': 'html htm',
  'application/xhtml+xml': 'xhtml',
  'text/css': 'css',
  'text/javascript': 'js mjs cjs',
  'application/json': 'json map',
  'application/manifest+json': 'webmanifest',
  'application/xml': 'xml',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/csv': 'csv',
  'text/vtt': 'vtt',
  'application/wasm': 'wasm',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/apng': 'apng',
  'image/jpeg': 'jpg jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/jxl': 'jxl',
  'image/bmp': 'bmp',
  'image/vnd.microsoft.icon': 'ico',
  'font/woff2': 'woff2',
  'font/woff': 'woff',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'application/vnd.ms-fontobject': 'eot',
  'video/mp4': 'mp4 m4v',
  'video/webm': 'webm',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'application/vnd.apple.mpegurl': 'm3u8',
  'video/mp2t': 'ts',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg oga opus',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'model/gltf-binary': 'glb',
  'model/gltf+json': 'gltf',
  'application/octet-stream': 'bin',
};

export const buildTypes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(endsOf).flatMap(([type, ends]) => ends.split(' ').map((end) => [end, type])),
);

/** Extensions of files that gzip makes smaller; the rest is compressed already. */
const compressible = new Set(
  'html htm xhtml css js mjs cjs json map webmanifest xml rss atom txt md csv vtt wasm svg ico ttf otf eot gltf'.split(' '),
);

export const isCompressible = (name: string): boolean => compressible.has(/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '');
