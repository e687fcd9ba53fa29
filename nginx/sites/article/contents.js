// The list of headings beside the text.
const contents = document.getElementById('contents');
for (const heading of document.querySelectorAll('article h2')) {
  const link = document.createElement('a');
  link.href = `#${heading.id}`;
  link.textContent = heading.textContent;
  contents.append(link);
}
