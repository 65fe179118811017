// What of a document is to be read. A reading costs the browser some 40 µs for
// each node that it writes down, so a table of 10,000 rows would take seconds
// and megabytes to tell what no one reads to the end. A plan keeps what lies in
// and around the viewport and counts the rest.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.plan) return;
  const { active, holds, above } = sidekick.core;

  /** A document of fewer elements is read whole: looking closer costs more. */
  const SMALL = 2000;
  /** Like neighbours are a run from this many on, and only with so many elements in all. */
  const MIXED = 200, RUN = 40, HEAVY = 1500;
  /** How many of a run are kept: from its beginning, around the viewport, and where none is there the nearest ones. */
  const FIRST = 5, AROUND = 40, NEAREST = 20;
  /** Elements of one part of a reading that goes through a run. */
  const CHUNK = 800;

  const unread = new Set(['script', 'style', 'template', 'noscript', 'head', 'link', 'meta', 'base']);

  /** How many elements are in n, open shadow roots included; at most about max. */
  function count(n, max) {
    // The browser need not make this list to tell its length.
    const list = n.getElementsByTagName?.('*') ?? n.querySelectorAll('*');
    let sum = list.length;
    if (sum >= max) return sum;
    if (n.shadowRoot) sum += count(n.shadowRoot, max - sum);
    for (const e of list) {
      if (sum >= max) break;
      if (e.shadowRoot) sum += count(e.shadowRoot, max - sum);
    }
    return sum;
  }

  /** The children that are drawn in n. */
  function kids(n) {
    if (n.shadowRoot) return n.shadowRoot.childNodes;
    const given = n.localName === 'slot' ? n.assignedNodes() : [];
    return given.length ? given : n.childNodes;
  }

  /** The children of n that say something: elements that are there, and text. */
  const telling = (n) => [...kids(n)].filter((k) => k.nodeType === Node.TEXT_NODE ? k.data.trim() !== '' :
    k.nodeType === Node.ELEMENT_NODE && !unread.has(k.localName) &&
      (k.checkVisibility() || getComputedStyle(k).display !== 'none'));

  const kind = (n) => n.localName === 'dd' ? 'dt' : n.localName;

  /** The children of n in groups of like neighbours; a text is a group by itself. */
  function groups(n) {
    const list = [];
    for (const k of telling(n)) {
      const last = list.at(-1);
      if (last && k.localName && kind(last[0]) === kind(k)) last.push(k);
      else list.push([k]);
    }
    // Hundreds that take turns, buttons among texts, are a run of their own.
    return list.length > MIXED ? [list.flat()] : list;
  }

  function isRun(group) {
    if (group.length <= RUN) return false;
    let sum = 0;
    return group.some((k) => (sum += 1 + (k.localName ? count(k, HEAVY) : 0)) > HEAVY);
  }

  /** What the members of a run are called. */
  function noun(el) {
    const role = el.getAttribute('role') ?? el.localName;
    return { tr: 'rows', row: 'rows', li: 'items', listitem: 'items', option: 'options', tbody: 'row groups' }[role] ?? 'entries';
  }

  /** Where el is drawn; what has no box of its own is where the first thing in it is. */
  function box(el) {
    for (let n = el, i = 0; n && i < 4; n = n.firstElementChild, i++) {
      let by = n;
      if (!n.localName) {
        by = document.createRange();
        by.selectNode(n);
      }
      const r = by.getBoundingClientRect();
      if (r.width || r.height) return r;
    }
    return null;
  }

  /**
   * What of a run a person sees or would: the viewport, or as much of what the
   * run scrolls in as is in that; all of it where it is out of sight itself.
   */
  function port(first) {
    const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (let n = above(first); n && n !== document.body && n !== document.documentElement; n = above(n)) {
      if (n.scrollHeight <= n.clientHeight + 1 && n.scrollWidth <= n.clientWidth + 1) continue;
      const s = getComputedStyle(n);
      if (s.overflowY === 'visible' && s.overflowX === 'visible' || s.display === 'inline' || s.display === 'contents') continue;
      const r = n.getBoundingClientRect();
      const seen = { left: Math.max(r.left, view.left), top: Math.max(r.top, view.top), right: Math.min(r.right, view.right), bottom: Math.min(r.bottom, view.bottom) };
      return seen.left < seen.right && seen.top < seen.bottom ? seen : r;
    }
    return view;
  }

  /** How far a stretch lies from another, from middle to middle. */
  const apart = (a, b, c, d) => Math.abs(a + b - c - d) / 2;

  /** The places in a run that are kept. */
  function kept(run) {
    const keep = new Set();
    const p = port(run[0]), w = p.right - p.left, h = p.bottom - p.top;
    const near = [];
    let nearest = -1, least = Infinity;
    const focus = active();
    run.forEach((k, i) => {
      if (i < FIRST || i < 2 * FIRST && k.localName === 'tr' && [...k.children].every((c) => c.localName === 'th')) keep.add(i);
      if (keep.size < 2 * AROUND && (k.selected || k.ariaSelected === 'true' || k.ariaCurrent && k.ariaCurrent !== 'false')) keep.add(i);
      if (focus && focus !== document.body && holds(k, focus)) keep.add(i);
      const r = box(k);
      if (!r) return;
      const far = apart(r.left, r.right, p.left, p.right) + apart(r.top, r.bottom, p.top, p.bottom);
      if (far < least) { least = far; nearest = i; }
      if (r.bottom >= p.top - h / 2 && r.top <= p.bottom + h / 2 && r.right >= p.left - w / 2 && r.left <= p.right + w / 2) near.push({ i, far });
    });
    // What scrolls in place has its rows in any order: those that are nearest count.
    near.sort((a, b) => a.far - b.far).slice(0, AROUND).forEach(({ i }) => keep.add(i));
    if (!near.length && nearest >= 0) {
      const from = Math.max(0, Math.min(nearest - NEAREST / 2, run.length - NEAREST));
      for (let i = from; i < run.length && i < from + NEAREST; i++) keep.add(i);
    }
    // One that would be the only one left out is said sooner than counted.
    for (let i = 1; i < run.length; i++) if (keep.has(i - 1) && (i + 1 === run.length || keep.has(i + 1))) keep.add(i);
    return keep;
  }

  /**
   * A part of a plan: {el} is read whole, {el, c} of the parts c alone, and {el,
   * gap, what} counts what is left out of el.
   */
  function part(el) {
    if (el.nodeType !== Node.TEXT_NODE && count(el, HEAVY) >= HEAVY) {
      const c = [];
      let left = false;
      for (const g of groups(el)) {
        if (!isRun(g)) {
          for (const k of g) c.push(part(k));
          continue;
        }
        left = true;
        const keep = kept(g);
        let gap = 0;
        const end = () => { if (gap) c.push({ el, gap, what: noun(g[0]) }); gap = 0; };
        g.forEach((k, i) => {
          if (!keep.has(i)) { gap++; return; }
          end();
          c.push(part(k));
        });
        end();
      }
      if (left || c.some((p) => p.c)) return { el, c };
    }
    // The browser's tree does not have what has no box, and tells nothing of it.
    if (el.nodeType === Node.ELEMENT_NODE && getComputedStyle(el).display === 'contents') return { el, c: telling(el).map(part) };
    return { el };
  }

  /** The run that a reading goes through in parts, each going on with the last. */
  let going = null;

  /** The part of el's children that begins at a place among them. */
  function through(el, from) {
    if (from === 0 || going?.el.deref() !== el) going = { el: new WeakRef(el), list: telling(el) };
    const list = going.list, c = [];
    let i = from;
    for (let sum = 0; i < list.length && sum < CHUNK; i++) {
      if (!list[i].isConnected) continue;
      sum += 1 + (list[i].localName ? Math.min(count(list[i], HEAVY), HEAVY) : 0);
      c.push(part(list[i]));
    }
    if (i >= list.length) going = null;
    return { tree: { el, c }, next: i < list.length ? i : 0, all: list.length };
  }

  /** The nodes of the last plan, until they are asked for. */
  let nodes = [];

  /** Numbers nodes: {add} gives one's place in what planned returns, {keep} has them returned, and says if there are any. */
  function places() {
    const at = new Map();
    const add = (n) => {
      if (!at.has(n)) at.set(n, at.size);
      return at.get(n);
    };
    return { add, keep: () => { nodes = [...at.keys()]; return nodes.length > 0 || undefined; } };
  }

  function numbered(p, add) {
    const r = { i: add(p.el) };
    if (p.c) r.c = p.c.map((k) => numbered(k, add));
    if (p.gap) { r.gap = p.gap; r.what = p.what; }
    return r;
  }

  /**
   * Plans the reading of el, or of the document. The answer has {whole} where
   * all of it is to be read, otherwise the parts, which name their nodes by
   * their places in what planned returns.
   */
  function plan(el, from = 0) {
    if (el && !el.isConnected) return { stale: true };
    const root = el ?? document;
    let p = null;
    if (el && (from > 0 || el.nodeType === Node.ELEMENT_NODE && count(el, HEAVY) >= HEAVY && groups(el).some(isRun))) p = through(el, from);
    else if (count(root, SMALL) >= SMALL) {
      const tree = part(root);
      if (tree.c) p = { tree };
    }
    const { add, keep } = places();
    const r = { whole: p ? undefined : true, page: sidekick.page() };
    if (p) {
      r.tree = numbered(p.tree, add);
      r.next = p.next;
      r.parts = p.all;
    }
    const read = [];
    const walk = (t) => { if (t.c) t.c.forEach(walk); else if (!t.gap) read.push(t.el); };
    if (p) walk(p.tree); else read.push(root);
    r.marks = sidekick.marks(read, add);
    r.some = keep();
    return r;
  }

  /** The marks (marks.js) in what is no reading that was planned. */
  function marksIn(roots) {
    const { add, keep } = places();
    return { marks: sidekick.marks(roots, add), some: keep() };
  }

  const marked = () => ({ ...marksIn([document]), page: sidekick.page() });

  function planned() {
    const list = nodes;
    nodes = [];
    return list;
  }

  Object.assign(sidekick, { plan, planned, marked });
  Object.assign(sidekick.core, { kids, marksIn, keep: (list) => { nodes = list; } });
})();
