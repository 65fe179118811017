// Lists of choices that a page builds itself: ARIA listboxes and comboboxes.
(() => {
  const s = globalThis.sidekick;
  if (s.choosable) return;
  const { shorten, boxes } = s.core;

  const choosable = (el) => el instanceof Element &&
    (el.matches('[role=listbox],[role=combobox],[aria-haspopup=listbox],[role=radiogroup]') || !!el.querySelector('[role=combobox]'));

  /** What opens the list: el, or the one combobox in it. */
  const opener = (el) => el.matches('[role=listbox],[role=combobox],[aria-haspopup=listbox],[role=radiogroup]') ? el : el.querySelector('[role=combobox]');

  const listed = '[role=option],[role=menuitemradio],[role=radio],[role=treeitem]';
  const shown = (n) => n.isConnected && (!n.checkVisibility || n.checkVisibility({ visibilityProperty: true })) && boxes(n).length > 0;

  /** All elements of a kind, in open shadow roots and in what is slotted too. */
  function all(root, selector, found = new Set()) {
    for (const n of root.querySelectorAll('*')) {
      if (n.matches(selector)) found.add(n);
      if (n.shadowRoot) all(n.shadowRoot, selector, found);
      if (n.localName !== 'slot') continue;
      for (const a of n.assignedElements({ flatten: true })) {
        if (a.matches(selector)) found.add(a);
        all(a, selector, found);
      }
    }
    return found;
  }

  /** The list for assistive software alone that stands for what is shown, by what is shown. */
  let twins = new WeakMap();

  /** What shows the options of a list that nobody sees: what can be clicked beside it. */
  function shownFor(list) {
    let box = list.parentElement;
    while (box && box !== document.body && !boxes(box).length) box = box.parentElement;
    if (!box || box === document.body) return [];
    const its = [...box.querySelectorAll('*')].filter((n) => !list.contains(n) && s.core.clickable(n) && shown(n) && label(n).trim());
    for (const n of its) twins.set(n, list);
    return its;
  }

  const lists = () => [...all(document, '[role=listbox],[role=tree],[role=menu]')].filter((l) => [...all(l, listed)].some(shown));
  /** Lists that were there before el was opened, and so are not its own. */
  let before = new Set();

  /** The options that belong to el, as far as they can be seen now; with guess also of a list that does not say whose it is: of the last one, and where el is gone of the only one. */
  function options(el, guess) {
    const own = [...all(el, listed), ...(el.shadowRoot ? all(el.shadowRoot, listed) : [])];
    if (own.some(shown)) return own.filter(shown);
    const root = el.getRootNode();
    for (const id of `${el.getAttribute('aria-controls') ?? ''} ${el.getAttribute('aria-owns') ?? ''}`.split(/\s+/).filter(Boolean)) {
      const list = root.getElementById?.(id) ?? document.getElementById(id);
      const its = list ? [...(list.matches(listed) ? [list] : []), ...all(list, listed)].filter(shown) : [];
      if (list && s.core.veiled(list)) return shownFor(list);
      if (its.length) return its;
    }
    // Many draw the list at the end of the page and do not say that it is theirs.
    const others = guess ? lists().filter((l) => !s.core.holds(l, el) && !before.has(l)) : [];
    const last = el.isConnected || others.length < 2 ? others.at(-1) : null;
    return last ? [...all(last, listed)].filter(shown) : [];
  }

  const norm = (t) => t.replace(/\s+/g, ' ').trim().toLowerCase();
  const label = (o) => o.getAttribute('aria-label') || o.innerText || o.textContent || o.getAttribute('title') || '';
  const disabled = (o) => o.matches(':disabled') || o.getAttribute('aria-disabled') === 'true';
  const marked = (o) => o.getAttribute('aria-selected') === 'true' || o.getAttribute('aria-checked') === 'true';
  const chosen = (o) => marked(o) || !!twins.get(o) && [...all(twins.get(o), listed)].some((t) => marked(t) && norm(label(t)) === norm(label(o)));
  const several = (o) => (twins.get(o) ?? o).closest('[aria-multiselectable=true]');

  let found = null;

  /** Whether el's list has to be opened first; and whether it can be typed into. */
  function chooser(el) {
    if (!el.isConnected) return { stale: true };
    const o = opener(el);
    if (!o) return { error: 'it is not a list of choices' };
    if (disabled(o)) return { error: 'it is disabled' };
    const field = o instanceof HTMLInputElement || o instanceof HTMLTextAreaElement ? o : o.querySelector('input,textarea');
    const many = o.getAttribute('aria-multiselectable') === 'true' ||
      options(o).some(several);
    before = new Set(o.getAttribute('aria-expanded') === 'true' ? [] : lists());
    return { open: options(o).length > 0 && o.getAttribute('aria-expanded') !== 'false', editable: !!field && !field.readOnly, many };
  }

  /** Waits for the option of a name, and keeps it for foundOption; with gone also where the page drew something else in el's place. */
  async function findOption(el, want, timeout, gone) {
    const until = performance.now() + timeout;
    let o = null;
    found = null;
    let list = [];
    for (;;) {
      if (!gone && !el.isConnected) return { stale: true };
      o = opener(el) ?? o;
      if (!o) return { stale: true };
      list = options(o, true);
      found = list.find((n) => (n.getAttribute('data-value') ?? n.getAttribute('value')) === want) ??
        list.find((n) => label(n).trim() === want.trim()) ?? list.find((n) => norm(label(n)) === norm(want)) ?? null;
      if (found || performance.now() > until) break;
      await new Promise((r) => setTimeout(r, 40));
    }
    if (!found) {
      if (!list.length) return { error: 'no list of choices came up' };
      return { error: `it has no option "${shorten(want)}"; it shows ${list.slice(0, 30).map((n) => `"${shorten(label(n), 40)}"`).join(', ')}${list.length > 30 ? ', …' : ''}` };
    }
    if (disabled(found)) return { error: `its option "${shorten(want)}" is disabled` };
    // One that stays open behind a choice takes another.
    return { what: shorten(label(found)), on: chosen(found), many: !!several(found) || o.getAttribute('aria-expanded') === 'true' };
  }

  const foundOption = () => found;

  /** What is chosen, as far as the page says. */
  function chosenNow(el) {
    const o = opener(el);
    if (!el.isConnected || !o) return { stale: true };
    const field = o instanceof HTMLInputElement ? o : o.querySelector('input');
    const picked = options(o).filter(chosen).map((n) => shorten(label(n)));
    const text = shorten(field?.value || (o.matches('[role=listbox],[role=radiogroup]') ? '' : o.innerText || o.parentElement?.innerText || ''));
    return { selected: picked, text, open: o.getAttribute('aria-expanded') === 'true', page: s.core.page() };
  }

  Object.assign(s, { choosable, chooser, findOption, foundOption, chosenNow });
})();
