// Opens a guest between two namespaces, for a test that kills this process.
import { Namespace } from '../src/link/net/namespace.ts';
import { openGuest } from '../src/link/shapers/guest.ts';

await openGuest(await Namespace.create('near'), await Namespace.create('far'));
console.log('open');
setInterval(() => {}, 1_000);
