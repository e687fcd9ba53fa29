// A link with #token=…, or with it behind a page (#/campaigns/1?token=…), signs in once: the token leaves the address, and with it this tab's
// history, before anything else reads either.
const [, page = '', found] = location.hash.match(/^#\/?(?:([^?]*)\?)?token=(.*)$/) ?? [];
if (found !== undefined) history.replaceState(null, '', `#/${page}`);

/** Undefined where the page was opened by another link. */
export const linkToken: string | undefined = found === undefined ? undefined : decoded(found).trim();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the service says that it knows no such token
  }
}
