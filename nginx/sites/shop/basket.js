// Counts what is put into the basket.
const basketCount = document.querySelector('#basket span');
document.querySelector('main').addEventListener('click', (event) => {
  if (event.target.tagName === 'BUTTON') basketCount.textContent = String(Number(basketCount.textContent) + 1);
});
