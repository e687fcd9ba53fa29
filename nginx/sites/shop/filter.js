// Shows one kind of pot, or all.
const filters = document.getElementById('filters');
filters.addEventListener('click', (event) => {
  const { kind } = event.target.dataset;
  if (!kind) return;
  for (const button of filters.children) button.classList.toggle('on', button === event.target);
  for (const card of document.querySelectorAll('.card')) card.hidden = kind !== 'all' && card.dataset.kind !== kind;
});
