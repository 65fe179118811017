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

  /** All elements of a kind, in open shadow roots too. */
  function* all(root, selector) {
    yield* root.querySelectorAll(selector);
    for (const n of root.querySelectorAll('*')) if (n.shadowRoot) yield* all(n.shadowRoot, selector);
  }

  const lists = () => [...all(document, '[role=listbox],[role=tree],[role=menu]')].filter((l) => [...all(l, listed)].some(shown));
  /** Lists that were there before el was opened, and so are not its own. */
  let before = new Set();

  /** The options that belong to el, as far as they can be seen now; with guess also of a list that does not say whose it is. */
  function options(el, guess) {
    const own = [...all(el, listed), ...(el.shadowRoot ? all(el.shadowRoot, listed) : [])];
    if (own.some(shown)) return own.filter(shown);
    const root = el.getRootNode();
    for (const id of `${el.getAttribute('aria-controls') ?? ''} ${el.getAttribute('aria-owns') ?? ''}`.split(/\s+/).filter(Boolean)) {
      const list = root.getElementById?.(id) ?? document.getElementById(id);
      const its = list ? [...(list.matches(listed) ? [list] : []), ...all(list, listed)].filter(shown) : [];
      if (its.length) return its;
    }
    // Many draw the list at the end of the page and do not say that it is theirs.
    const last = guess ? lists().filter((l) => !s.core.holds(l, el) && !before.has(l)).at(-1) : null;
    return last ? [...all(last, listed)].filter(shown) : [];
  }

  const norm = (t) => t.replace(/\s+/g, ' ').trim().toLowerCase();
  const label = (o) => o.getAttribute('aria-label') || o.innerText || o.textContent || o.getAttribute('title') || '';
  const disabled = (o) => o.matches(':disabled') || o.getAttribute('aria-disabled') === 'true';
  const chosen = (o) => o.getAttribute('aria-selected') === 'true' || o.getAttribute('aria-checked') === 'true';

  let found = null;

  /** Whether el's list has to be opened first; and whether it can be typed into. */
  function chooser(el) {
    if (!el.isConnected) return { stale: true };
    const o = opener(el);
    if (!o) return { error: 'it is not a list of choices' };
    if (disabled(o)) return { error: 'it is disabled' };
    const field = o instanceof HTMLInputElement || o instanceof HTMLTextAreaElement ? o : o.querySelector('input,textarea');
    const many = o.getAttribute('aria-multiselectable') === 'true' ||
      options(o).some((n) => n.closest('[aria-multiselectable=true]'));
    before = new Set(o.getAttribute('aria-expanded') === 'true' ? [] : lists());
    return { open: options(o).length > 0 && o.getAttribute('aria-expanded') !== 'false', editable: !!field && !field.readOnly, many };
  }

  /** Waits for the option of a name, and keeps it for foundOption. */
  async function findOption(el, want, timeout) {
    const until = performance.now() + timeout;
    const o = opener(el);
    found = null;
    let list = [];
    for (;;) {
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
    return { what: shorten(label(found)), on: chosen(found), many: !!found.closest('[aria-multiselectable=true]') };
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
