// What a reading needs to know of elements that the browser's accessibility
// tree does not say: what a person would see to be clickable although it is no
// control, and how the page itself writes what CSS shows in capitals.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.marks) return;

  /** What has a ref anyway, or acts by what it labels. */
  const control = 'a[href],area[href],button,input,select,textarea,summary,option,optgroup,iframe,video[controls],audio[controls],' +
    '[tabindex],[contenteditable=""],[contenteditable=true],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],' +
    '[role=tab],[role=option],[role^=menuitem],[role=treeitem],[role=slider],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton]';
  /** Not clicked themselves: what is in them is. */
  const lists = new Set(['ul', 'ol', 'dl', 'menu', 'nav', 'table', 'thead', 'tbody', 'tfoot', 'body', 'html', 'main', 'form']);
  /** How many are marked at most. */
  const MOST = 2000;

  const pointer = (el) => getComputedStyle(el).cursor === 'pointer';

  const above = (el) => el.assignedSlot ?? el.parentElement ?? el.getRootNode().host ?? null;

  const rendered = (el) => el.getClientRects().length > 0;

  /** A label whose control can be clicked where it is needs no ref of its own. */
  const labels = (el) => el.localName === 'label' && el.control && rendered(el.control);

  /** Whether a person takes el for something to click, by its cursor or its attributes. */
  function clickable(el) {
    if (lists.has(el.localName)) return false;
    if (el.hasAttribute('onclick') || el.hasAttribute('onmousedown') || el.hasAttribute('onpointerdown')) return rendered(el);
    if (el.localName === 'label' && el.control) return rendered(el); // over what is not drawn itself
    if (!pointer(el)) return false;
    const over = above(el);
    if (over && pointer(over) && !lists.has(over.localName)) return false; // that one is clicked
    return rendered(el);
  }

  /** A word for an element that shows nothing to read. */
  function hint(el) {
    if (el.textContent.trim() || el.querySelector('img[alt],svg title,[aria-label]') || el.ariaLabel) return '';
    const icon = el.querySelector('[class]');
    return el.title || el.dataset.tooltip || el.dataset.title || el.dataset.icon ||
      (el.getAttribute('class') || el.id || icon?.getAttribute('class') || '').trim().split(/\s+/).slice(0, 3).join(' ');
  }

  /** All elements in roots, what lies in open shadow roots too. */
  function* elements(roots) {
    for (const r of roots) {
      if (r.nodeType === Node.TEXT_NODE) continue;
      if (r.nodeType === Node.ELEMENT_NODE) {
        yield r;
        if (r.shadowRoot) yield* elements([r.shadowRoot]);
      }
      for (const e of r.querySelectorAll('*')) {
        yield e;
        if (e.shadowRoot) yield* elements([e.shadowRoot]);
      }
    }
  }

  /**
   * Marks in what is read: {clicks} are [node, hint] of what can be clicked,
   * {cased} the texts that are shown in another case than the page has them in,
   * {hints} are [node, placeholder] of fields, all by the numbers that add gives.
   */
  function marks(roots, add) {
    const clicks = [], cased = [], hints = [];
    for (const el of elements(roots)) {
      if (clicks.length + cased.length >= MOST) break;
      if (el.placeholder) hints.push({ i: add(el), hint: sidekick.core.shorten(el.placeholder, 80) });
      const s = getComputedStyle(el);
      if (s.textTransform !== 'none') {
        for (const t of el.childNodes) if (t.nodeType === Node.TEXT_NODE && t.data.trim()) cased.push(add(t));
      }
      if (!el.matches(control) && !labels(el) && clickable(el)) clicks.push({ i: add(el), hint: sidekick.core.shorten(hint(el), 40) });
    }
    return { clicks, cased, hints };
  }

  Object.assign(sidekick, { marks });
  Object.assign(sidekick.core, { elements, rendered, above });
})();
