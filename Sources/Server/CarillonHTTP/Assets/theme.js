// Sets the theme before the first paint.
(() => {
  const stored = localStorage.getItem('carillon-theme');
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
})();
