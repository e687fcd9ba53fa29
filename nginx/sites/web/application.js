// An application: waits, works, asks for its data, shows it, and tells when it was on the screen.
(() => {
  const { waitMs, tasks, taskMs, timerMs } = JSON.parse(document.currentScript.dataset.schedule);
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));
  /** What frameworks do between markup and life: much small work on objects. */
  const work = (ms) => {
    const end = performance.now() + ms;
    const nodes = [];
    while (performance.now() < end) {
      nodes.push({ type: 'div', props: { key: nodes.length } });
      if (nodes.length > 5000) nodes.length = 0;
    }
  };
  const frame = () => new Promise(requestAnimationFrame);
  addEventListener('load', async () => {
    if (waitMs > 0) await rest(waitMs);
    if (tasks > 0 && waitMs === 0) work(taskMs);
    for (let n = waitMs === 0 ? 1 : 0; n < tasks; n++) {
      await rest(0);
      work(taskMs);
    }
    if (timerMs > 0) await rest(timerMs);
    const pots = await (await fetch('/api/pots')).json();
    const cards = await Promise.all(
      pots.map(async ({ name, price, picture }) => {
        const image = Object.assign(new Image(110, 110), { src: picture, alt: '' });
        await image.decode();
        const card = document.createElement('div');
        card.className = 'pot';
        card.append(image, `${name} · ${price}.00`);
        return card;
      }),
    );
    document.getElementById('content').replaceChildren(...cards);
    // The first frame has the content, the second says that the first was shown.
    await frame();
    const contentMs = performance.now();
    await frame();
    document.documentElement.dataset.contentMs = contentMs;
    performance.mark('content', { startTime: contentMs });
    await (await fetch(`/seen?content=${contentMs.toFixed(1)}`)).text();
  });
})();
