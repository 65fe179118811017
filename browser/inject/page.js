// The engine's hands in a page. It runs in an isolated world of each document:
// it sees the page's elements, the page sees nothing of it. Every function that
// the engine calls answers with plain data and never throws on purpose; what
// went wrong is in {error}.
(() => {
  if (globalThis.sidekick) return;

  // A link to another program (mailto:) would start it on the user's desktop, or
  // open a question of the browser's that takes the tab's input away; and Chrome
  // takes the debugger off the tab. Nothing of it is for an agent to use.
  const web = /^(https?|about|blob|data|javascript|file|filesystem|view-source|chrome|chrome-error|chrome-extension|devtools):/i;
  // (What the user does in the tab by hand is the user's.)
  let kept = '', acting = -Infinity;
  const act = () => { acting = performance.now(); globalThis.sidekick.notice?.(); };
  /** Whether the engine acted on the page within so many ms. */
  const acted = (ms) => performance.now() - acting < ms;
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

  /** Waits that can be given up, by the number the engine gave them. */
  const waits = new Map();

  const shorten = (s, n = 60) => {
    const t = String(s ?? '').replace(/\s+/g, ' ').trim();
    return t.length > n ? t.slice(0, n - 1) + '…' : t;
  };

  /** A few words that let a reader find an element: dialog "Cookies". */
  function describe(el) {
    if (!(el instanceof Element)) return 'the page';
    const owner = el.closest('dialog,[role=dialog],[role=alertdialog],[aria-modal=true]') ?? el;
    const role = owner.getAttribute('role') ?? owner.localName;
    const id = owner.getAttribute('aria-labelledby');
    const label = owner.getAttribute('aria-label') ??
      (id && owner.ownerDocument.getElementById(id)?.textContent) ??
      owner.querySelector?.('h1,h2,h3,legend')?.textContent ?? owner.textContent;
    const name = shorten(label, 40);
    const mark = owner.id ? '#' + owner.id : owner.classList.length ? '.' + owner.classList[0] : '';
    return role + mark + (name ? ` "${name}"` : '');
  }

  /** Whether b is a or lies in it, through shadow roots and slots. */
  function holds(a, b) {
    for (let n = b; n; n = n.assignedSlot ?? n.parentNode ?? n.host) if (n === a) return true;
    for (let n = b; n; n = n.parentNode ?? n.host) if (n === a) return true;
    return false;
  }

  /** The deepest element at a point of the viewport. */
  function at(x, y) {
    let el = document.elementFromPoint(x, y);
    while (el?.shadowRoot) {
      const inner = el.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === el) break;
      el = inner;
    }
    return el;
  }

  /** What is acted on for el: a control drawn by its label is clicked there. */
  function target(el) {
    if (el.nodeType !== Node.ELEMENT_NODE) return el.parentElement;
    const r = el.getBoundingClientRect(), style = getComputedStyle(el);
    if (el instanceof HTMLInputElement && (r.width < 2 || r.height < 2 || style.opacity === '0' || style.pointerEvents === 'none' || style.clip === 'rect(0px, 0px, 0px, 0px)')) {
      for (const l of el.labels ?? []) {
        const b = l.getBoundingClientRect();
        if (b.width > 1 && b.height > 1) return l;
      }
    }
    return el;
  }

  function boxes(el) {
    const list = [...el.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    if (list.length || !boxless(el)) return list;
    const range = document.createRange(); // what is in it, texts too
    range.selectNodeContents(el);
    return [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
  }

  /** Whether el has no box of its own and yet shows what is in it. */
  const boxless = (el) => getComputedStyle(el).display === 'contents';

  /** Whether a person sees el. */
  const sees = (el) => el.checkVisibility({ visibilityProperty: true }) ||
    boxless(el) && getComputedStyle(el).visibility === 'visible' && boxed(el).checkVisibility();

  /** The element itself, or the one whose box it is in. */
  function boxed(el) {
    let n = el;
    while (n.parentElement && boxless(n)) n = n.assignedSlot ?? n.parentElement;
    return n;
  }

  /** Why nobody could act on el now, or null. */
  function obstacle(el) {
    if (!el.isConnected || el.ownerDocument !== document) return { stale: true };
    if (el.checkVisibility && !sees(el)) {
      return { error: el.localName === 'option' && el.closest('select') ? 'it is an option of a closed list: choose it with select_option' : 'it is not visible' };
    }
    if (!boxes(el).length) return { error: 'it has no size on the page' };
    if (el.matches(':disabled') || el.closest('[aria-disabled=true]')) return { error: 'it is disabled' };
    if (el.closest('[inert]')) return { error: 'it is inert (something modal may lie before it)' };
    return null;
  }

  function inView(r) {
    const x = r.left + r.width / 2, y = r.top + r.height / 2;
    return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  }

  /** Scrolls to el; to a text without a box of its own by what it lies in. */
  function bring(el) {
    if (!boxless(el)) {
      el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      return;
    }
    for (let n = boxed(el); n; n = n.parentElement) {
      const [r] = boxes(el);
      if (!r) return;
      const v = n === document.scrollingElement ? new DOMRect(0, 0, innerWidth, innerHeight) : n.getBoundingClientRect();
      n.scrollBy({ left: (r.left + r.right - v.left - v.right) / 2, top: (r.top + r.bottom - v.top - v.bottom) / 2, behavior: 'instant' });
    }
  }

  /** A point of el that a pointer would really hit, or what is in its way. */
  function aim(el) {
    let list = boxes(el);
    if (!list.some(inView) || !clear(el, list)) {
      bring(el);
      list = boxes(el);
    } else if (window !== top) {
      // In view of this frame; the frame itself may be out of view.
      el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      list = boxes(el);
    }
    return clear(el, list) ?? { error: cover(el, list) };
  }

  function clear(el, list) {
    for (const r of list) {
      const left = Math.max(r.left, 0), top = Math.max(r.top, 0);
      const right = Math.min(r.right, innerWidth), bottom = Math.min(r.bottom, innerHeight);
      if (right <= left || bottom <= top) continue;
      for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75]]) {
        const x = left + (right - left) * fx, y = top + (bottom - top) * fy;
        const hit = at(x, y);
        if (hit && (holds(el, hit) || hit.closest('label')?.control === el)) return { x, y };
        // A closed shadow root shows only its host from outside.
        const root = el.getRootNode();
        if (root instanceof ShadowRoot && hit && holds(hit, el)) {
          const inner = root.elementFromPoint(x, y);
          if (inner && holds(el, inner)) return { x, y };
        }
      }
      for (const p of drawn(el, r)) {
        if (p.x >= left && p.y >= top && p.x < right && p.y < bottom && holds(el, at(p.x, p.y))) return p;
      }
    }
    return null;
  }

  /** Points of a shape that the middle of its box may miss: of a ring, of a line. */
  function* drawn(el, r) {
    if (!(el instanceof SVGGeometryElement)) return;
    for (let i = 1; i < 8; i++) for (let j = 1; j < 8; j++) yield { x: r.left + r.width * i / 8, y: r.top + r.height * j / 8 };
    const m = el.getScreenCTM(), length = el.getTotalLength();
    for (let i = 1; m && i < 8; i++) {
      const p = el.getPointAtLength(length * i / 8).matrixTransform(m);
      yield { x: p.x, y: p.y };
    }
  }

  function cover(el, list) {
    const r = list.find(inView);
    if (!r) return 'it cannot be scrolled into view';
    if (getComputedStyle(el).pointerEvents === 'none') return 'it takes no clicks (pointer-events: none)';
    const hit = at(r.left + r.width / 2, r.top + r.height / 2);
    return hit ? `it is covered by ${describe(hit)}` : 'nothing is at its place';
  }

  /** Where a point of a frame's document lies in this one: el is the frame's element. */
  function outside(el, p) {
    const r = el.getBoundingClientRect(), s = getComputedStyle(el);
    const map = (from, size, whole, border, client, start, end, at, of) => {
      const scale = whole ? size / whole : 1;
      const pad = parseFloat(start) || 0;
      const inner = client - pad - (parseFloat(end) || 0);
      return from + (border + pad) * scale + at * (of ? inner * scale / of : scale);
    };
    return {
      x: map(r.left, r.width, el.offsetWidth, el.clientLeft, el.clientWidth, s.paddingLeft, s.paddingRight, p.x, p.width),
      y: map(r.top, r.height, el.offsetHeight, el.clientTop, el.clientHeight, s.paddingTop, s.paddingBottom, p.y, p.height),
    };
  }

  /** Whether a point of a frame's document would be hit through its element el, and where. */
  function passes(el, inner) {
    const { x, y } = outside(el, inner);
    if (!(x >= 0 && y >= 0 && x < innerWidth && y < innerHeight)) return { error: 'its frame cannot be scrolled to where it is in view' };
    if (getComputedStyle(el).pointerEvents === 'none') return { error: 'its frame takes no clicks (pointer-events: none)' };
    const hit = at(x, y);
    return hit && holds(el, hit) ? { x, y } : { error: `its frame is covered by ${describe(hit)}` };
  }

  /** Ends with the next frame, and says whether there was one. */
  const frame = () => new Promise((done) => {
    const t = setTimeout(done, 100, false);
    requestAnimationFrame(() => { clearTimeout(t); done(true); });
  });

  /** An animation that will end. */
  const passing = (a) => a.playState === 'running' && a.effect?.getComputedTiming().endTime !== Infinity;

  /** Whether something in the document moves, and will come to rest. */
  const moving = () => document.getAnimations().some(passing);

  /** Ends when the page's own tasks that were put off until now have run. */
  const settled = () => new Promise((done) => { setTimeout(done, 0, {}); });

  const shifts = /^(all|transform|translate|scale|rotate|offset|inset|left|top|right|bottom|margin|padding|width|height|zoom|font|line|gap|flex|grid|border)/;

  /** The animations of el and of what it lies in that will end, and for how many ms more. */
  function animations(el) {
    // Asking each element is dear; mostly nothing moves at all.
    let some = false;
    for (let r = el.getRootNode(); r.getAnimations && !some; r = r.host?.getRootNode() ?? {}) some = r.getAnimations().length > 0;
    const list = [];
    for (let n = el; some && n instanceof Element; n = n.parentElement ?? n.getRootNode().host) {
      for (const a of n.getAnimations()) {
        if (passing(a)) list.push({ a, rest: a.effect.getComputedTiming().endTime - (a.currentTime ?? 0) });
      }
    }
    return list;
  }

  /** For how many ms el is still animated; 0 where it is not. */
  const longest = (list) => list.reduce((most, { rest }) => Math.max(most, rest, 1), 0);

  /** Whether one of them moves el, and will be over within the time. */
  const shifting = (list, ms) => list.some(({ a, rest }) => rest < ms &&
    a.effect.getKeyframes?.().some((k) => Object.keys(k).some((p) => shifts.test(p))));

  const lays = /^(height|min-height|max-height|margin|padding|gap|row|flex|grid|font|line|block|border)/;

  /** Whether something before el in the document grows or shrinks, as a fold that opens, and will have done so soon: it pushes el. */
  const pushed = (el) => document.getAnimations().some((a) => passing(a) && a.effect.target?.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING &&
    a.effect.getComputedTiming().endTime - (a.currentTime ?? 0) < 1000 &&
    (a.transitionProperty ? lays.test(a.transitionProperty) : a.effect.getKeyframes?.().some((k) => Object.keys(k).some((p) => lays.test(p)))));

  const place = (el) => { const r = el.getBoundingClientRect(); return `${r.left},${r.top},${r.width},${r.height}`; };

  /**
   * Stands still: nothing animates it, or two frames find it in one place. What
   * will have come to its place within the time is waited for: a tab that is not
   * in front draws too seldom for two frames to say much.
   */
  async function steady(el, ms) {
    const list = animations(el), rest = longest(list);
    // (What goes on being pushed for more than a second or so is not waited for.)
    if (!rest) return ms < 3500 || !pushed(el);
    if (shifting(list, ms)) return false;
    const before = place(el);
    if (await frame()) {
      // An animation that has just begun has moved nothing yet.
      const now = longest(animations(el));
      return place(el) === before && (!now || now < rest);
    }
    // Where nothing is drawn (a tab that is not in front) nothing moves, and yet
    // a page may refuse what comes before it takes an animation to be over.
    await new Promise((done) => { setTimeout(done, Math.min(rest, 1000)); });
    return true;
  }

  function begin(id) {
    const w = { over: false, wake() {} };
    if (id) waits.set(id, w);
    return w;
  }

  /**
   * Brings el where it can be acted on, and answers with a point that hits it
   * ({x, y} in the viewport of this frame) or why it could not.
   */
  async function prepare(el, { timeout = 5000, id = 0, hit = true, clicks = 0, inner = null, how = null } = {}) {
    const w = begin(id);
    const start = performance.now(), until = start + timeout;
    // A page where nothing happens any more will not bring the element round.
    let last = start;
    let observer = null;
    const idle = () => {
      if (moving()) last = performance.now();
      return document.readyState === 'complete' && performance.now() - last > 1000;
    };
    try {
      for (;;) {
        const t = target(el);
        let bad = t ? obstacle(t) : { stale: true };
        if (!bad && t !== el && el.matches?.(':disabled')) bad = { error: 'it is disabled' };
        if (!bad && !(await steady(t, until - performance.now()))) bad = { error: 'it does not stand still' };
        if (!bad) {
          const point = inner ? passes(t, inner) : how ? globalThis.sidekick.pointFor(t, how) : hit ? aim(t) : (t.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' }), {});
          if (!point.error) {
            const r = t.getBoundingClientRect();
            act();
            if (clicks) watch(t, el, clicks);
            return { ...point, at: Date.now(), rect: { x: r.x, y: r.y, width: r.width, height: r.height }, width: innerWidth, height: innerHeight, state: state(el) };
          }
          bad = point;
        }
        if (bad.stale || performance.now() >= until || idle()) return bad;
        if (w.over) return { cancelled: true };
        if (!observer) {
          observer = new MutationObserver(() => { last = performance.now(); });
          observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
        }
        await Promise.race([new Promise((r) => setTimeout(r, 50)), new Promise((r) => { w.wake = r; })]);
        if (w.over) return { cancelled: true };
      }
    } finally {
      waits.delete(id);
      observer?.disconnect();
    }
  }

  let landed = null;
  let stopWatching = () => {};
  /** Ends when the last click that is watched for has had its handlers. */
  let clicked = Promise.resolve();
  let seen = false;
  /** Whether the click opens a tab. */
  let opens = false;

  /** Whether the browser will open a tab for a click, unless a handler prevents it. */
  function newTab(e) {
    const link = e.composedPath().find((n) => n instanceof Element && n.matches('a[href],area[href]'));
    return !!link && /^(https?|blob|about|file):/i.test(link.href) && !link.hasAttribute('download') &&
      (e.button === 1 || e.button === 0 && (e.ctrlKey || e.metaKey || e.shiftKey));
  }

  /**
   * Notes where the next press really lands, and when the last of its `count`
   * clicks has been given to the page: input and script reach a page on
   * different ways, so a script sent behind the input may run before it.
   */
  function watch(t, el, count) {
    stopWatching();
    landed = null;
    seen = opens = false;
    kept = '';
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
          const tab = newTab(e);
          const done = () => { seen = true; opens = tab && !e.defaultPrevented; resolve(); };
          setTimeout(done, 0);
          // The last handler of all. Where nothing follows by default, what
          // there is to see can be seen now.
          const last = count === 2 && type === 'click' ? 'dblclick' : type;
          if (!defaults(e)) addEventListener(last, done, { once: true, signal: off.signal });
        }, how);
      }
    });
  }

  /** What an element is now: read back after each action. */
  function state(el) {
    if (!(el instanceof Element)) return {};
    const s = { tag: el.localName, connected: el.isConnected, name: shorten(el.getAttribute('aria-label') ?? el.labels?.[0]?.textContent ?? el.textContent, 40) };
    if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
      s.type = el.type;
      s.secret = el.type === 'password';
      if (el.type === 'checkbox' || el.type === 'radio') s.checked = el.checked;
      else s.value = el.value;
    } else if (el instanceof HTMLSelectElement) {
      s.selected = [...el.selectedOptions].map((o) => shorten(o.label || o.text));
    } else if (el.isContentEditable) {
      s.value = el.innerText;
      s.type = 'contenteditable';
    }
    if (s.checked === undefined && el.hasAttribute('aria-checked')) s.checked = el.getAttribute('aria-checked') === 'true';
    for (const a of ['expanded', 'pressed', 'selected']) {
      if (el.hasAttribute('aria-' + a)) s['aria_' + a] = el.getAttribute('aria-' + a);
    }
    return s;
  }

  function active() {
    let el = document.activeElement;
    while (el?.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
    return el;
  }

  const { responseStatus } = performance.getEntriesByType('navigation')[0] ?? {};
  const failed = responseStatus >= 400 ? responseStatus : undefined;

  function page() {
    const touched = globalThis.sidekick.touched?.();
    // {news} is there only if there are some: a step of a sequence waits on it.
    return { url: location.href, title: document.title, ready: document.readyState, scale: devicePixelRatio, touched, news: touched || undefined, asks: asks(), status: failed };
  }

  /** Whether the browser itself does something after a click's handlers. */
  const defaults = (e) => e.composedPath().some((n) => n instanceof Element &&
    (n instanceof HTMLButtonElement ? n.form && n.type !== 'button' :
      n.matches('a,area,input,select,textarea,label,summary,option,video,audio,[contenteditable]')) ||
    n instanceof Element && n.matches('[command],[popovertarget]'));

  /**
   * What became of an element; after a click, once the page has had it. A page
   * may let no one see a click ({seen: false}): then this is asked once more,
   * when the browser has said that the page has had the input.
   */
  async function report(el, afterClick) {
    if (afterClick) {
      await Promise.race([clicked, new Promise((r) => setTimeout(r, 100))]);
      if (seen) stopWatching();
    }
    return { landed, seen, opens, kept, closing: closed, state: state(el), page: page() };
  }

  // In quirks mode :hover alone matches links only. What has no box any more goes
  // on to match it until the page is laid out.
  const under = (el) => el.getClientRects().length > 0 && el.matches(CSS.escape(el.localName) + ':hover');
  const hovered = (el) => ({ hovered: under(el) || !!el.labels && [...el.labels].some(under), state: state(el), page: page() });

  const scrolls = (n, dx, dy) => {
    if (n === document.scrollingElement) return (dy && n.scrollHeight > innerHeight) || (dx && n.scrollWidth > innerWidth);
    const s = getComputedStyle(n);
    return (dy && /auto|scroll|overlay/.test(s.overflowY) && n.scrollHeight > n.clientHeight) ||
      (dx && /auto|scroll|overlay/.test(s.overflowX) && n.scrollWidth > n.clientWidth);
  };

  function scroll(el, direction, pages) {
    if (el && !el.isConnected) return { stale: true };
    if (el && !direction) {
      el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      return { page: page(), visible: boxes(el).some(inView), x: scrollX, y: scrollY };
    }
    const dir = direction || 'down';
    const dx = dir === 'left' ? -1 : dir === 'right' ? 1 : 0;
    const dy = dx ? 0 : dir === 'up' || dir === 'top' ? -1 : 1;
    let n = el;
    while (n && !scrolls(n, dx, dy)) n = n.parentElement ?? n.getRootNode().host;
    n ??= document.scrollingElement ?? document.documentElement;
    const whole = n === document.scrollingElement;
    const h = whole ? innerHeight : n.clientHeight, v = whole ? innerWidth : n.clientWidth;
    const before = [n.scrollLeft, n.scrollTop];
    if (dir === 'top') n.scrollTo({ top: 0, behavior: 'instant' });
    else if (dir === 'bottom') n.scrollTo({ top: n.scrollHeight, behavior: 'instant' });
    else n.scrollBy({ left: dx * pages * v * 0.9, top: dy * pages * h * 0.9, behavior: 'instant' });
    return {
      page: page(), moved: n.scrollLeft !== before[0] || n.scrollTop !== before[1],
      what: whole ? '' : describe(n), x: Math.round(n.scrollLeft), y: Math.round(n.scrollTop),
      maxX: Math.max(0, n.scrollWidth - v), maxY: Math.max(0, n.scrollHeight - h),
    };
  }

  function cancel(id) {
    const w = waits.get(id);
    if (w) { w.over = true; w.wake(); }
  }

  /** What the other scripts of this folder build on. */
  const core = { shorten, describe, holds, at, target, boxes, sees, obstacle, clear, state, page, active, act, acted, settled, begin, waits, watch };

  globalThis.sidekick = { core, token: '', prepare, report, hovered, scroll, cancel, settled, page };
})();
