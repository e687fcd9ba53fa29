// Keeps the pictures of the shop: fetched ahead when it is installed, answered from its own cache from then on.
const kept = [];
addEventListener('install', (event) =>
  event.waitUntil(
    caches
      .open('shop')
      .then((cache) => cache.addAll(kept))
      .then(() => skipWaiting()),
  ),
);
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => event.respondWith(caches.match(event.request).then((answer) => answer ?? fetch(event.request))));
