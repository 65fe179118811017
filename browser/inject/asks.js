// What a page asks of the browser outside of itself: another program, a file of
// the user's, a download.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.core.asks) return;
  const { shorten, acted } = sidekick.core;

  // A link to another program (mailto:) would start it on the user's desktop, or
  // open a question of the browser's that takes the tab's input away; and Chrome
  // takes the debugger off the tab. Nothing of it is for an agent to use.
  const web = /^(https?|about|blob|data|javascript|file|filesystem|view-source|chrome|chrome-error|chrome-extension|devtools):/i;
  let kept = '';
  const keep = (e, url) => {
    if (web.test(url) || !acted(2000)) return;
    kept = shorten(url, 200);
    e.preventDefault();
  };
  globalThis.navigation?.addEventListener('navigate', (e) => keep(e, e.destination.url));
  addEventListener('click', (e) => {
    const link = e.composedPath().find((n) => n instanceof Element && n.matches('a[href],area[href]'));
    if (link && !e.defaultPrevented) keep(e, link.href);
  });

  // The browser says that a page asks for a file a moment after the click.
  let asking = null;
  addEventListener('click', (e) => {
    const field = e.composedPath()[0];
    if (field instanceof HTMLInputElement && field.type === 'file' && !field.disabled && acted(2000)) asking = e;
  }, true);
  const asks = () => { const e = asking; asking = null; return e && !e.defaultPrevented || undefined; };

  // Of the files that a page begins to save, by links with the attribute download,
  // the browser holds back the second and all further ones of a tab, unless the
  // user has let the site, and tells nobody: what was asked for is seen here alone.
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

  // A form that the browser holds back because of a field says so in a bubble.
  /** When a form was last to be sent, and the first field that it was held back for. */
  let sending = -Infinity, held = null;
  const sends = (e) => {
    const by = e.composedPath().find((n) => n instanceof HTMLButtonElement || n instanceof HTMLInputElement);
    if (!e.isTrusted || !acted(2000) || !by?.form) return;
    if (e.type === 'keydown' ? e.key === 'Enter' : by.type === 'submit' || by.type === 'image') { sending = performance.now(); held = null; }
  };
  for (const type of ['click', 'keydown']) addEventListener(type, sends, true);
  addEventListener('invalid', (e) => {
    if (!held && performance.now() - sending < 1000) held = { e, field: e.composedPath()[0] };
  }, true);
  function invalid() {
    const h = held;
    held = null;
    if (!h || h.e.defaultPrevented || !h.field.validationMessage) return undefined;
    const name = h.field.labels?.[0]?.textContent || h.field.ariaLabel || h.field.placeholder || h.field.name || h.field.localName;
    return `${shorten(name, 60)}: ${shorten(h.field.validationMessage, 200)}`;
  }

  Object.assign(sidekick.core, { asks, saves, invalid, kept: () => kept, forget: () => { kept = ''; } });
})();
