// Sends one request to the service: { method, url, headers, body }. Prints { status, text }.
const { method, url, headers, body } = JSON.parse(process.argv[2] ?? '');
const answer = await fetch(url, { method, headers, body });
console.log(JSON.stringify({ status: answer.status, text: await answer.text() }));
