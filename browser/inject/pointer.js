// Points for the pointer that are not an element's middle, and drags.
(() => {
  const s = globalThis.sidekick;
  if (s.pointFor) return;
  const { at, holds, shorten } = s.core;

  /** What a hit element is called. */
  function named(el) {
    if (!el) return 'nothing';
    const text = el.getAttribute('aria-label') ?? el.getAttribute('alt') ?? el.getAttribute('title') ?? el.textContent;
    const name = shorten(text, 40);
    return (el.getAttribute('role') ?? el.localName) + (el.id ? '#' + el.id : '') + (name ? ` "${name}"` : '');
  }

  const within = (x, y) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

  /** Where a drag of el begins: a slider is dragged by its thumb. */
  function middle(el, r) {
    if (el instanceof HTMLInputElement && el.type === 'range') {
      const min = Number(el.min || 0), max = Number(el.max || 100);
      const part = max > min ? (el.valueAsNumber - min) / (max - min) : 0.5;
      const upright = r.height > r.width;
      const thumb = Math.min(16, upright ? r.height : r.width);
      const rtl = getComputedStyle(el).direction === 'rtl';
      if (upright) return { x: r.width / 2, y: r.height - thumb / 2 - part * (r.height - thumb) };
      return { x: thumb / 2 + (rtl ? 1 - part : part) * (r.width - thumb), y: r.height / 2 };
    }
    return { x: r.width / 2, y: r.height / 2 };
  }

  /**
   * A point of el in the viewport: at {x, y} from its top left, or where it is
   * to be dragged by. With {free} something else may lie there, as what is
   * being dragged does.
   */
  function pointFor(el, { x, y, free }) {
    let r = el.getBoundingClientRect();
    const given = x !== undefined;
    const off = given ? { x, y } : middle(el, r);
    if (given && (x < 0 || y < 0 || x > r.width || y > r.height)) {
      return { error: `the point ${x},${y} lies outside of it: it is ${Math.round(r.width)} × ${Math.round(r.height)} px` };
    }
    const reach = () => { r = el.getBoundingClientRect(); return { x: r.left + off.x, y: r.top + off.y }; };
    const lands = (q) => { const hit = at(q.x, q.y); return hit && (holds(el, hit) || closed(el, hit, q) || hit.closest('label')?.control === el || draws(hit, el)); };
    let p = reach();
    if (!within(p.x, p.y) || !free && !lands(p)) {
      el.scrollIntoView({ block: free ? 'nearest' : 'center', inline: free ? 'nearest' : 'center', behavior: 'instant' });
      p = reach();
      // It may be larger than the viewport.
      if (!within(p.x, p.y)) { scrollBy({ left: p.x - innerWidth / 2, top: p.y - innerHeight / 2, behavior: 'instant' }); p = reach(); }
    } else if (window !== top) {
      el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      p = reach();
    }
    if (!within(p.x, p.y)) return { error: 'it cannot be scrolled into view' };
    if (!free && !lands(p)) return { error: given ? `at ${x},${y} it is covered by ${named(at(p.x, p.y))}` : `it is covered by ${named(at(p.x, p.y))}` };
    return { ...p, what: named(at(p.x, p.y)) };
  }

  /** Whether a field that nobody sees, a slider for one, is drawn by what hit: its own small box. */
  function draws(hit, el) {
    if (!(el instanceof HTMLInputElement) || !hit.contains(el)) return false;
    const r = el.getBoundingClientRect(), h = hit.getBoundingClientRect();
    return h.width * h.height <= 4 * Math.max(r.width * r.height, 256);
  }

  /** A closed shadow root shows only its host from outside. */
  function closed(el, hit, q) {
    const root = el.getRootNode();
    return root instanceof ShadowRoot && holds(hit, el) && holds(el, root.elementFromPoint(q.x, q.y));
  }

  /** What a click at a point of the viewport will hit; it is watched for. */
  function hitAt(x, y, clicks) {
    if (!within(x, y)) return { error: `The point ${x},${y} lies outside of the visible part of the page, which is ${innerWidth} × ${innerHeight} px; scroll first.` };
    const hit = at(x, y);
    if (!hit) return { error: `There is nothing at ${x},${y}.` };
    s.core.watch(hit, hit, clicks, hit);
    return { x, y, what: named(hit) };
  }

  let drag = null;

  /** Watches what becomes of a drag. */
  function dragWatch(el) {
    drag?.off.abort();
    const d = drag = { off: new AbortController(), started: false, prevented: false, dropped: false, changed: 0 };
    const how = { capture: true, signal: d.off.signal };
    addEventListener('dragstart', (e) => {
      d.started = true;
      // The last of all handlers is the one that is added last.
      addEventListener('dragstart', (last) => { d.prevented = last.defaultPrevented; }, { signal: d.off.signal, once: true });
      setTimeout(() => { d.prevented ||= e.defaultPrevented; }, 0);
    }, how);
    addEventListener('drop', () => { d.dropped = true; }, how);
    for (const type of ['input', 'change']) addEventListener(type, () => { d.changed++; }, how);
    const seen = new MutationObserver((list) => { d.changed += list.length; });
    seen.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    d.off.signal.addEventListener('abort', () => seen.disconnect());
    return { state: s.core.state(el) };
  }

  const dragState = () => ({ started: !!drag?.started, prevented: !!drag?.prevented, dropped: !!drag?.dropped, changed: drag?.changed ?? 0, page: s.core.page() });

  /** Ends when what was dragged over has come to rest, or soon. */
  async function dragCalm() {
    const until = performance.now() + 500;
    for (let seen = -1; performance.now() < until;) {
      const still = seen === (drag?.changed ?? 0) && !document.getAnimations().some((a) => a.playState === 'running' && a.effect?.getComputedTiming().endTime !== Infinity);
      if (still) break;
      seen = drag?.changed ?? 0;
      await new Promise((done) => { setTimeout(done, 50); });
    }
    return dragState();
  }

  function dragEnd() {
    const r = dragState();
    drag?.off.abort();
    drag = null;
    return r;
  }

  const sliding = (el) => ({
    state: s.core.state(el), page: s.core.page(),
    now: el.getAttribute?.('aria-valuetext') ?? el.getAttribute?.('aria-valuenow') ?? '',
  });

  Object.assign(s, { pointFor, hitAt, dragWatch, dragState, dragCalm, dragEnd, sliding });
})();
