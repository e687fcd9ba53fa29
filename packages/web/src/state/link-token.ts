// A link with #token=… signs in once: the token leaves the address, and with it this tab's history, before anything else reads either.
const [, found] = location.hash.match(/^#\/?token=(.*)$/) ?? [];
if (found !== undefined) history.replaceState(null, '', '#/');

/** Undefined where the page was opened by another link. */
export const linkToken: string | undefined = found === undefined ? undefined : decoded(found).trim();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the service says that it knows no such token
  }
}
