// What files are called in Content-Type, by the end of their name: the same for every server, whatever a system's tables say.
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
