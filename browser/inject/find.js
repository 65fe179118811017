// Finds elements by what a person reads of them, wherever in the document they
// are: also what a reading leaves out.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.find) return;
  const { shorten, kids, above, sees } = sidekick.core;

  /** How many candidates are looked at before the best are chosen. */
  const CANDIDATES = 2000;

  const tidy = (s) => (s ?? '').replace(/\s+/g, ' ').trim().toLowerCase();

  const byTag = {
    a: 'link', area: 'link', article: 'article', aside: 'complementary', button: 'button', dialog: 'dialog', figure: 'figure', footer: 'contentinfo',
    form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', header: 'banner', hr: 'separator',
    iframe: 'iframe', img: 'img', li: 'listitem', main: 'main', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', option: 'option',
    output: 'status', p: 'paragraph', progress: 'progressbar', section: 'region', summary: 'button', table: 'table', td: 'cell', textarea: 'textbox',
    th: 'columnheader', tr: 'row', ul: 'list',
  };
  const byType = {
    button: 'button', checkbox: 'checkbox', image: 'button', number: 'spinbutton', radio: 'radio', range: 'slider', reset: 'button',
    search: 'searchbox', submit: 'button', file: 'button',
  };

  /** The role that an element has or is written as. */
  function role(el) {
    const given = el.getAttribute('role')?.trim().split(/\s+/)[0].toLowerCase();
    if (given) return given === 'image' ? 'img' : given;
    if (el.localName === 'input') return el.list ? 'combobox' : byType[el.type] ?? 'textbox';
    if (el.localName === 'select') return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    if (el.isContentEditable && !el.parentElement?.isContentEditable) return 'textbox';
    return byTag[el.localName] ?? 'generic';
  }

  /** Whether an element's role is the one that is asked for. */
  function is(el, want) {
    const r = role(el);
    return r === want || want === 'image' && r === 'img' || want === 'textbox' && r === 'searchbox' ||
      want === 'cell' && /header$|^gridcell$/.test(r) || want === 'generic' && r === 'generic';
  }

  const shown = (el) => sees(el.localName === 'option' || el.localName === 'optgroup' ? el.closest('select') ?? el : el);

  const unread = new Set(['script', 'style', 'template', 'noscript', 'head', 'title']);

  /** The text of n, what its open shadow root draws included. */
  function text(n) {
    if (n.nodeType === Node.TEXT_NODE) return n.data;
    if (!n.shadowRoot) return n.textContent;
    return [...n.shadowRoot.childNodes].map(text).join(' ') + ' ' + n.textContent;
  }

  /** The deepest elements whose text has the words. */
  function* deepest(n, words) {
    let inner = false;
    for (const k of kids(n)) {
      if (k.nodeType !== Node.ELEMENT_NODE || unread.has(k.localName)) continue;
      if (!hosts.has(k) && !tidy(text(k)).includes(words)) continue;
      let any = false;
      for (const found of deepest(k, words)) { any = true; yield found; }
      inner ||= any;
    }
    if (!inner && n.nodeType === Node.ELEMENT_NODE && tidy(text(n)).includes(words)) yield n;
  }

  /** The elements that hold open shadow roots, whose text textContent does not have. */
  let hosts = new Set();

  /** All open roots of the document, itself first. */
  function roots() {
    hosts = new Set();
    const list = [document];
    for (const r of list) {
      for (const el of r.querySelectorAll('*')) {
        if (!el.shadowRoot) continue;
        list.push(el.shadowRoot);
        for (let n = el; n && !hosts.has(n); n = above(n)) hosts.add(n);
      }
    }
    return list;
  }

  const spoken = '[aria-label],[placeholder],[title],[alt],input,textarea,select';

  /** What an element is called other than by its text. */
  function sayings(el) {
    const list = ['aria-label', 'placeholder', 'title', 'alt'].map((a) => el.getAttribute(a));
    if (el.localName === 'input' && el.type !== 'password' || el.localName === 'textarea') list.push(el.value);
    return list.filter(Boolean).map(tidy);
  }

  /** What is named by an element: a label's control, or what says so. */
  function* named(el, said) {
    const label = el.closest('label');
    if (label?.control && !label.control.contains(el)) yield label.control;
    for (let n = el, i = 0; said.length && n && i < 4; n = n.parentElement, i++) {
      if (!n.id) continue;
      for (const c of said) if (c.getAttribute('aria-labelledby').split(/\s+/).includes(n.id)) yield c;
    }
  }

  const acts = 'a[href],button,summary,option,[role=button],[role=link],[role=tab],[role=option],[role^=menuitem],[role=treeitem],[role=checkbox],[role=radio],[role=switch]';

  /** What a person who looks for a text means: the control that shows it, or the text. */
  const meant = (el) => el.closest(acts) ?? el;

  /** How well a text fits: itself, as whole words, as a part. */
  function fit(s, words) {
    if (s === words) return 0;
    const at = s.indexOf(words);
    if (at < 0) return 9;
    const edge = (c) => c === undefined || !/[\p{L}\p{N}]/u.test(c);
    return (edge(s[at - 1]) && edge(s[at + words.length]) ? 1 : 2) + (s.length > 200 ? 1 : 0);
  }

  /** Where an element is: its row or item, what it lies in, the heading before it. */
  function place(el, headings) {
    const where = [];
    const row = el.parentElement?.closest('tr,[role=row],li,[role=listitem]');
    if (row && !row.matches('html')) {
      const t = shorten(row.innerText, 60);
      if (t && tidy(t) !== tidy(text(el))) where.push(`${/^(tr|row)$/.test(role(row)) || row.localName === 'tr' ? 'row' : 'item'} "${t}"`);
    }
    const area = el.parentElement?.closest('dialog,[role=dialog],[role=alertdialog],nav,[role=navigation],header,footer,aside,fieldset,form[aria-label],section[aria-label],[role=region]');
    if (area) {
      const name = area.getAttribute('aria-label') ?? area.querySelector(':scope > legend')?.textContent;
      where.push((area.localName === 'fieldset' ? 'group' : role(area)) + (name ? ` "${shorten(name, 40)}"` : ''));
    }
    let low = 0, high = headings.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (headings[mid].compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING) low = mid + 1; else high = mid;
    }
    const heading = headings[low - 1];
    if (heading && heading !== el && !heading.contains(el)) where.push(`under "${shorten(heading.textContent, 40)}"`);
    return where.join(', ');
  }

  /**
   * Up to max elements that a query finds, the best first; planned returns
   * them. Without any, {near} has texts of the page that are like it.
   */
  function find(query, want, max) {
    const words = tidy(query);
    const all = roots();
    const found = new Map();
    const take = (el, rank) => {
      if (want) {
        while (el && !is(el, want)) el = above(el);
        if (!el) return;
      }
      if (!shown(el)) return;
      found.set(el, Math.min(rank, found.get(el) ?? 9));
    };
    const said = all.flatMap((r) => [...r.querySelectorAll('[aria-labelledby]')]).slice(0, CANDIDATES);
    const root = document.body ?? document.documentElement;
    for (const el of all.flatMap((r) => [...r.querySelectorAll(spoken)])) {
      if (found.size >= CANDIDATES) break;
      const rank = Math.min(9, ...sayings(el).map((s) => fit(s, words)));
      if (rank < 9) take(el, rank);
    }
    for (const el of deepest(root, words)) {
      if (found.size >= CANDIDATES) break;
      const rank = fit(tidy(text(el)), words);
      let names = false;
      for (const c of named(el, said)) { names = true; take(c, rank); }
      if (!names) take(want ? el : meant(el), rank);
    }
    const order = [...found.keys()].map((el, i) => ({ el, i, rank: found.get(el) })).sort((a, b) => a.rank - b.rank || a.i - b.i);
    const headings = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]')];
    const best = order.slice(0, max);
    sidekick.core.keep(best.map((b) => b.el));
    const r = {
      matches: best.map(({ el, rank }) => ({ place: place(el, headings), rank, role: role(el), text: shorten(el.innerText ?? text(el), 160) || el.title })),
      total: order.length, some: best.length > 0 || undefined, page: sidekick.page(),
    };
    if (!best.length) r.near = near(root, words);
    return r;
  }

  /** A few texts that have the longest of the words. */
  function near(root, words) {
    const list = new Set();
    for (const w of words.split(' ').filter((w) => w.length > 2).sort((a, b) => b.length - a.length).slice(0, 2)) {
      for (const el of deepest(root, w)) {
        if (list.size >= 5) break;
        if (shown(el)) list.add(shorten(text(el), 60));
      }
    }
    return [...list];
  }

  Object.assign(sidekick, { find });
})();
