// The files that a page begins to save by links with the attribute download.
// The browser holds back the second and all further ones of a tab, unless the
// user has let the site, and tells nobody; what the page asked for can be seen
// here alone.
(() => {
  const { shorten } = globalThis.sidekick.core;
  /** The latest events of such links, and how many there were. */
  let begun = [], count = 0;

  globalThis.navigation?.addEventListener('navigate', (e) => {
    if (e.downloadRequest === null || e.downloadRequest === undefined) return;
    begun = [...begun.slice(-19), { e, id: `${performance.timeOrigin} ${++count}`, at: performance.now() }];
  });

  /** The files of the last minute; undefined for none. An answer may be lost, so each is told more than once. */
  function saves() {
    begun = begun.filter(({ at }) => performance.now() - at < 60_000);
    const list = begun.filter(({ e }) => !e.defaultPrevented).map(({ e, id }) => {
      const url = e.destination.url;
      return { id, url, name: shorten(e.downloadRequest || (/^https?:/.test(url) ? new URL(url).pathname.split('/').pop() : ''), 80) };
    });
    return list.length ? list : undefined;
  }

  globalThis.sidekick.saves = saves;
})();
