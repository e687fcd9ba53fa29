// Draws each rating as stars.
for (const stars of document.querySelectorAll('.stars')) {
  const rating = Number(stars.dataset.rating);
  stars.textContent = '★★★★★'.slice(0, rating) + '☆☆☆☆☆'.slice(rating);
  stars.title = `${rating} of 5`;
}
