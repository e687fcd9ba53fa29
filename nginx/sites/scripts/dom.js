// The panels of the page.
export function panel(title, figure, inner) {
  const section = document.createElement('div');
  section.className = 'panel';
  section.innerHTML = `<h3>${title}</h3>${figure ? `<b>${figure}</b>` : ''}${inner}`;
  return section;
}

export function row(cells) {
  const line = document.createElement('tr');
  for (const cell of cells) line.insertCell().textContent = cell;
  return line;
}
