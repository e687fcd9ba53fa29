// Draws every chart, then fetches the sightings that come from a server.
import { charts, regions } from '{{/charts.js}}';
import { panel, row } from '{{/dom.js}}';

document.getElementById('menu').innerHTML = ['Overview', 'Herds', 'Ridges', 'Fences', 'Weather'].map((name) => `<li>${name}</li>`).join('');
document.getElementById('charts').append(...charts.map(({ title, draw }) => panel(title, '', draw())));
document.getElementById('state').textContent = `${charts.length} charts, four regions`;

async function report(region) {
  const response = await fetch(`/api/${region}.json`);
  return response.json();
}

document.addEventListener('DOMContentLoaded', async () => {
  const totals = document.getElementById('totals');
  const rows = document.querySelector('#sightings tbody');
  const reports = await Promise.all(regions.map(report));
  for (const { region, animals, sightings } of reports) {
    totals.append(panel(region, animals.toLocaleString('en'), 'animals counted'));
    rows.append(...sightings.slice(0, 3).map(({ at, place, count }) => row([at, place, `${count} animals`])));
  }
});
