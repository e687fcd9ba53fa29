// Minutes to read, at 230 words a minute.
const words = document.querySelector('article').textContent.trim().split(/\s+/).length;
document.getElementById('minutes').textContent = `${Math.max(1, Math.round(words / 230))} minutes`;
