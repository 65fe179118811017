// Waits that the page itself ends: for a text, an element, and for quiet.
(() => {
  const s = globalThis.sidekick;
  if (s.waitRef) return;
  const { begin, waits, target, obstacle, page } = s.core;

  const tidy = (s) => s.replace(/\s+/g, ' ').trim().toLowerCase();

  /** The text a person could read in this document, open shadow roots included. */
  function visibleText() {
    let text = document.body ? document.body.innerText : document.documentElement?.textContent ?? '';
    for (const n of document.querySelectorAll('*')) {
      if (n.shadowRoot) for (const c of n.shadowRoot.children) text += '\n' + (c.innerText ?? '');
    }
    return text;
  }

  /** Waits until a text is there, or until it is gone. */
  function waitText(want, gone, timeout, id) {
    const needle = tidy(want);
    const met = () => tidy(visibleText()).includes(needle) !== gone;
    return new Promise((done) => {
      const w = begin(id);
      let timer = 0, planned = 0;
      const end = (r) => {
        observer.disconnect();
        clearTimeout(timer);
        clearTimeout(planned);
        clearInterval(slow);
        waits.delete(id);
        done(r);
      };
      const look = () => { planned = 0; if (met()) end({ met: true, page: page() }); };
      const plan = () => { planned ||= setTimeout(look, 30); };
      // Style sheets and layout change what is visible with no event at all:
      // the slow look is for those alone.
      const slow = setInterval(plan, 250);
      const observer = new MutationObserver(plan);
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      timer = setTimeout(() => end({ met: met(), page: page() }), timeout);
      w.wake = () => end({ cancelled: true });
      look();
    });
  }

  /** Polls and watches until met() answers with something. */
  function until(met, timeout, id, every) {
    return new Promise((done) => {
      const w = begin(id);
      const end = (r) => { clearInterval(slow); clearTimeout(timer); observer.disconnect(); waits.delete(id); done({ ...r, page: page() }); };
      const look = () => { const r = met(); if (r) end(r); };
      const observer = new MutationObserver(() => { w.changed = performance.now(); });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      w.changed = performance.now();
      const slow = setInterval(look, every);
      const timer = setTimeout(() => end({ met: false }), timeout);
      w.wake = () => end({ cancelled: true });
      met.wait = w;
      look();
    });
  }

  /** Waits until el is visible and enabled. */
  const waitRef = (el, timeout, id) => until(() => {
    if (!el.isConnected) return { stale: true };
    const t = target(el);
    return obstacle(t) || el.matches?.(':disabled') ? null : { met: true };
  }, timeout, id, 50);

  const quietFor = 500;

  /** Waits until the page is loaded, and neither changed nor fetched anything for a while. */
  function waitIdle(timeout, id) {
    let fetched = performance.now();
    const seen = new PerformanceObserver(() => { fetched = performance.now(); });
    seen.observe({ type: 'resource' });
    const met = () => {
      const now = performance.now();
      return document.readyState === 'complete' && now - fetched > quietFor && now - (met.wait?.changed ?? now) > quietFor ? { met: true } : null;
    };
    return until(met, timeout, id, 50).finally(() => seen.disconnect());
  }

  Object.assign(s, { waitText, waitRef, waitIdle });
})();
