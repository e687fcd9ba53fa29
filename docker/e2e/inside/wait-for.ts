// Reads a campaign's events until one is as wanted: { url, headers, until, limitMs }, url with the events' address. Prints what
// that told, or null where it did not come in time. One process for the whole wait: asking again and again would start one each time, beside
// the visits that are being measured.
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
throw new Error('The stream of events ended before what was waited for.');

function end(told: string): never {
  console.log(told);
  process.exit(0);
}
