// How far down the reader is.
const bar = document.getElementById('progress');
addEventListener(
  'scroll',
  () => {
    const whole = document.documentElement.scrollHeight - innerHeight;
    bar.style.width = `${whole > 0 ? (scrollY / whole) * 100 : 0}%`;
  },
  { passive: true },
);
