/**
 * The name of an operation in generated clients: `listCampaigns`, `getCampaign`, `cancelCampaign`, `putLeaseVisit`.
 *
 * @param url as Fastify has it, with or without a prefix of version: /api/v1/campaigns/:id/cancel.
 * @param isList whether it answers by a page of a list.
 */
export function operationIdOf(method: string, url: string, isList: boolean): string {
  const parts = url
    .replace(/^\/api\/v\d+/, '')
    .split('/')
    .filter((part) => part !== '');
  const words = parts.flatMap((part, place) => {
    if (part.startsWith(':')) return [];
    return [pascal((parts[place + 1] ?? '').startsWith(':') ? singular(part) : part)];
  });
  const last = parts.at(-1) ?? '';
  const name = words.join('');
  switch (method) {
    case 'GET':
      return `${isList ? 'list' : 'get'}${name}`;
    case 'PUT':
      return `put${name}`;
    case 'PATCH':
      return `change${name}`;
    case 'DELETE':
      return `delete${name}`;
    default: {
      // What ends in a plural makes one of these; everything else is the verb itself, such as /campaigns/:id/cancel.
      if (isPlural(last)) return `create${words.slice(0, -1).join('')}${pascal(singular(last))}`;
      const [verb = '', ...rest] = pascal(last).replace(/^./, (letter) => letter.toLowerCase());
      return `${verb}${rest.join('')}${words.slice(0, -1).join('')}`;
    }
  }
}

const isPlural = (word: string) => word.endsWith('s');
const singular = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '');
const pascal = (word: string) => word.replaceAll(/(?:^|[-._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
