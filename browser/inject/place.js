// Where an element is, and where a pointer would really hit it.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.core.holds) return;
  const { describe } = sidekick.core;

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

  /** Whether a box lies before the page's beginning, where nobody can scroll to. */
  const beyond = (r) => r.right + scrollX <= 0 || r.bottom + scrollY <= 0;

  /** What is acted on for el: a control drawn by its label is clicked there. */
  function target(el) {
    if (el.nodeType !== Node.ELEMENT_NODE) return el.parentElement;
    const r = el.getBoundingClientRect(), style = getComputedStyle(el);
    if (el instanceof HTMLInputElement && (r.width < 2 || r.height < 2 || beyond(r) || style.opacity === '0' || style.pointerEvents === 'none' || style.clip === 'rect(0px, 0px, 0px, 0px)')) {
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
      const label = el instanceof HTMLLabelElement, edge = Math.min(8 / (right - left), 0.5);
      for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], ...label ? [[edge, 0.5], [1 - edge, 0.5]] : []]) {
        const x = left + (right - left) * fx, y = top + (bottom - top) * fy;
        const hit = at(x, y);
        if (label && hit && another(el, hit)) continue;
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

  /** Whether a click on hit, in a label, is something else than one on its control: a link to the terms, say. */
  function another(label, hit) {
    const n = hit.closest('a[href],button,input,select,textarea');
    return !!n && n !== label.control && label.contains(n);
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

  Object.assign(sidekick.core, { holds, at, beyond, target, boxes, sees, obstacle, inView, aim, clear, passes });
})();
