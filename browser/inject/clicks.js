// What becomes of a click: where it lands, what it opens, and when the page has
// had it.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.report) return;
  const { describe, holds, state, page, kept, forget } = sidekick.core;

  let landed = null;
  let stopWatching = () => {};
  /** Ends when the last click that is watched for has had its handlers. */
  let clicked = Promise.resolve();
  let seen = false;
  /** How many presses the document had had when the last click was begun. */
  let before = NaN;
  /** Whether the click opens a tab, and whether it runs the script of a link. */
  let opens = false, runs = false;

  /** Whether the browser will open a tab for a click, unless a handler prevents it. */
  function newTab(e) {
    const link = e.composedPath().find((n) => n instanceof Element && n.matches('a[href],area[href]'));
    return !!link && /^(https?|blob|about|file):/i.test(link.href) && !link.hasAttribute('download') &&
      (e.button === 1 || e.button === 0 && (e.ctrlKey || e.metaKey || e.shiftKey));
  }

  /**
   * How many presses of a button the browser gave to this document, those too
   * that the page lets no one see (Event Timing, EventCounts).
   */
  const presses = () => performance.eventCounts.get('pointerdown');

  /**
   * Notes where the next press really lands, and when the last of its `count`
   * clicks has been given to the page: input and script reach a page on
   * different ways, so a script sent behind the input may run before it. The
   * point lies on hit, in t, for what is asked of el.
   */
  function watch(t, el, count, hit) {
    stopWatching();
    landed = null;
    seen = opens = runs = false;
    // What a frame shows is another document.
    before = hit?.matches('iframe,frame,object,embed') ? NaN : presses();
    forget();
    const off = new AbortController();
    stopWatching = () => off.abort();
    const how = { capture: true, signal: off.signal };
    let left = count;
    clicked = new Promise((resolve) => {
      addEventListener('mousedown', (e) => {
        const hit = e.composedPath()[0];
        // Out of a closed shadow root an event comes from its host.
        const closed = t.getRootNode() instanceof ShadowRoot && holds(hit, t);
        landed ??= { ok: holds(t, hit) || closed || hit.closest?.('label')?.control === el, on: describe(hit) };
      }, how);
      // A right click ends with its auxclick; what it opens comes before.
      for (const type of ['click', 'auxclick']) {
        addEventListener(type, (e) => {
          // A click on a label makes a second one, on its control.
          if (!e.isTrusted || e.detail === 0 || --left > 0) return;
          // In a task behind the event's own the page's handlers and the browser's
          // default action have run; the browser draws first, so it takes a while.
          // (A timer's task comes sooner than a message's.)
          const tab = newTab(e), link = e.composedPath().find((n) => n instanceof HTMLAnchorElement);
          const done = () => {
            seen = true;
            opens = tab && !e.defaultPrevented;
            runs = !!link && !e.defaultPrevented && /^javascript:(?!\s*(void\b|;|$))/i.test(link.href);
            resolve();
          };
          setTimeout(done, 0);
          // The last handler of all. Where nothing follows by default, what
          // there is to see can be seen now.
          const last = count === 2 && type === 'click' ? 'dblclick' : type;
          if (!defaults(e)) addEventListener(last, done, { once: true, signal: off.signal });
        }, how);
      }
    });
  }

  /** Whether the browser itself does something after a click's handlers. */
  const defaults = (e) => e.composedPath().some((n) => n instanceof Element &&
    (n instanceof HTMLButtonElement ? n.form && n.type !== 'button' :
      n.matches('a,area,input,select,textarea,label,summary,option,video,audio,[contenteditable]')) ||
    n instanceof Element && n.matches('[command],[popovertarget]'));

  /**
   * What became of an element; after a click, once the page has had it. A page
   * may let no one see a click ({seen: false}): then this is asked once more,
   * when the browser has said that the page has had the input. {lost} says that
   * the press did not come to this document, and {others} that there are more in
   * the tab, one of which may have got it.
   */
  async function report(el, afterClick) {
    if (afterClick) {
      await Promise.race([clicked, new Promise((r) => setTimeout(r, 100))]);
      if (seen) stopWatching();
    }
    return { landed, seen, lost: presses() === before, others: top.length > 0, opens, runs, kept: kept(), closing: closed, state: state(el), page: page() };
  }

  sidekick.report = report;
  sidekick.core.watch = watch;
})();
