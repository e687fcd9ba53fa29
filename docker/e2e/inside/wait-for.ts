// Reads a campaign's events until the wanted one: { url, headers, until, limitMs }, with the URL of the events. Prints its data, or null where it did not
// come in time. One process waits, since polling would start one each time, beside the measured visits.
const { url, headers, until, limitMs } = JSON.parse(process.argv[2] ?? '');

type Data = { state?: string; progress?: { roundsDone: number } };

function isWanted(event: string, { state, progress }: Data): boolean {
  if (until === 'round') return event === 'progress' && (progress?.roundsDone ?? 0) > 0;
  return event === 'progress' && state === 'done';
}

const answer = await fetch(`${url}?lastEventId=0`, { headers });
if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
setTimeout(() => end('null'), limitMs);
let text = '';
for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
  const blocks = (text + chunk).split('\n\n');
  text = blocks.pop() ?? '';
  for (const block of blocks) {
    const event = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (event !== undefined && data !== undefined && isWanted(event, JSON.parse(data))) end(data);
  }
}
throw new Error('The stream of events ended before the wanted event.');

function end(text: string): never {
  console.log(text);
  process.exit(0);
}
