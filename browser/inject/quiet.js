// Waits until a document comes to rest after something changed in it.
(() => {
  const s = globalThis.sidekick;
  if (s.quiet) return;
  const { begin, waits, page } = s.core;

  /**
   * Ends when nothing came, went or got another text for so many ms, at the
   * latest at the limit; with {loaded} also when the document has loaded.
   * Attributes do not count: scripts that move things set styles all the time.
   */
  const quiet = (ms, limit, loaded, id) => new Promise((done) => {
    const w = begin(id), start = performance.now();
    let last = start, timer = 0;
    const end = (r) => {
      observer.disconnect();
      clearTimeout(timer);
      removeEventListener('load', over);
      waits.delete(id);
      s.again?.(); // what changed until now is asked for once more
      done(r ?? { page: page() });
    };
    const over = () => end();
    const look = () => {
      const now = performance.now(), rest = Math.min(last + ms, start + limit) - now;
      if (rest <= 0 || loaded && document.readyState === 'complete') end();
      else timer = setTimeout(look, rest);
    };
    const observer = new MutationObserver(() => { last = performance.now(); });
    observer.observe(document, { subtree: true, childList: true, characterData: true });
    if (loaded) addEventListener('load', over);
    w.wake = () => end({ cancelled: true });
    look();
  });

  Object.assign(s, { quiet });
})();
