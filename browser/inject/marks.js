// What a reading needs to know of elements that the browser's accessibility
// tree does not say: what a person would see to be clickable although it is no
// control, and how the page itself writes what CSS shows in capitals.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.marks) return;

  /** What has a ref anyway, or acts by what it labels. */
  const control = 'a[href],area[href],button,input,select,textarea,summary,option,optgroup,iframe,video[controls],audio[controls],' +
    '[tabindex],.native-edit-context,[contenteditable=""],[contenteditable=true],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],' +
    '[role=tab],[role=option],[role^=menuitem],[role=treeitem],[role=slider],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton]';
  /** Not clicked themselves: what is in them is. */
  const lists = new Set(['ul', 'ol', 'dl', 'menu', 'nav', 'table', 'thead', 'tbody', 'tfoot', 'body', 'html', 'main', 'form']);
  /** How many are marked at most. */
  const MOST = 2000;

  /** The cursors that tell a person that something can be done here: clicked, dragged, drawn on. */
  const acting = /^(pointer|grab|grabbing|move|all-scroll|crosshair|cell|copy|alias|context-menu|zoom-in|zoom-out|[a-z]+-resize)$/;

  /** The cursor of el if it is one of those; of one that is a picture what it stands for. */
  const cursor = (el) => { const c = getComputedStyle(el).cursor.split(',').at(-1).trim(); return acting.test(c) ? c : ''; };

  const above = (el) => el.assignedSlot ?? el.parentElement ?? el.getRootNode().host ?? null;

  const rendered = (el) => el.getClientRects().length > 0;

  /** A label whose control can be clicked where it is needs no ref of its own. */
  const labels = (el) => el.localName === 'label' && el.control && rendered(el.control);

  /** Whether a person takes el for something to click, by its cursor or its attributes. */
  function clickable(el) {
    if (lists.has(el.localName)) return false;
    if (el.hasAttribute('onclick') || el.hasAttribute('onmousedown') || el.hasAttribute('onpointerdown')) return rendered(el);
    if (el.localName === 'label' && el.control) return rendered(el); // over what is not drawn itself
    if (el.getAttribute('draggable') === 'true') return rendered(el);
    const c = cursor(el);
    if (!c) return false;
    const over = above(el);
    if (over && cursor(over) === c && !lists.has(over.localName)) return false; // that one is acted on
    return rendered(el);
  }

  /**
   * What says of itself that it acts, although nobody sees it: by a handler of
   * another kind than the browser tells of, by a state that only what acts has,
   * or by what a library that listens on the whole document looks for.
   */
  const acts = '[ondblclick],[oncontextmenu],[onauxclick],[onpointerup],[onmouseup],[ontouchstart],[ontouchend],' +
    '[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[aria-pressed],[aria-checked],[aria-selected],' +
    '[data-toggle],[data-bs-toggle],[phx-click],[jsaction*=click],[jsaction*=mousedown]';

  /** A handler that only takes the browser's own menu away. */
  const refuses = (el) => /^\s*return false;?\s*$/.test(el.getAttribute('oncontextmenu') ?? '') && !el.matches(acts.replace('[oncontextmenu],', ''));

  /**
   * An icon or a sign in something to click that says more than that: the bin and
   * the star of a row do something else than the row, where one listener has it all.
   */
  function sign(el) {
    if (el.childElementCount > 1 || el instanceof SVGElement) return false;
    const text = el.textContent.trim(), only = el.firstElementChild;
    if (text.length > 2 || /[\p{L}\p{N}]/u.test(text) || only && !/^(svg|img|i|path)$/.test(only.localName)) return false;
    const over = above(el);
    if (!over || !cursor(el) || over.matches(control) || !/[\p{L}\p{N}]/u.test(over.textContent)) return false;
    if (!text && !only && !el.title && getComputedStyle(el).backgroundImage === 'none') return false;
    const r = el.getBoundingClientRect();
    return r.width >= 6 && r.height >= 6 && r.width <= 60 && r.height <= 60 && !el.closest('a,button,label,summary,[role=button],[role=link],[role=option],[role=tab]');
  }

  const says = (el) => !lists.has(el.localName) && el.matches(acts) && !refuses(el) && rendered(el);

  /** The texts in an inline element, which the browser's tree does not tell from those around it. */
  function inlineTexts(el) {
    if (!(el instanceof HTMLElement) || getComputedStyle(el).display !== 'inline') return [];
    const list = [], walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    const flows = (n) => n === el || getComputedStyle(n).display === 'inline' && flows(n.parentElement);
    for (let n = walker.nextNode(); n && list.length < 10; n = walker.nextNode()) if (n.data.trim() && flows(n.parentElement)) list.push(n);
    return list;
  }

  const ownTexts = (el) => [...el.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());

  /**
   * What el lies in, up to the first that is a box of its own: where the
   * browser's tree leaves out an element without a text, it may have one of these.
   */
  function holders(el) {
    const list = [];
    for (let n = above(el); n && list.length < 5; n = above(n)) {
      list.push(n);
      if (getComputedStyle(n).display !== 'inline') break;
    }
    return list;
  }

  /** Whether a text or an element stands before el in what holds it. */
  const follows = (el) => {
    for (let n = el.previousSibling; n; n = n.previousSibling) if (n.nodeType === Node.ELEMENT_NODE || n.nodeType === Node.TEXT_NODE && n.data.trim()) return true;
    return undefined;
  };

  /** A word for an element that shows nothing to read. */
  function hint(el) {
    const shrunk = !el.childElementCount && getComputedStyle(el).fontSize === '0px'; // nobody sees its text
    if (!shrunk && el.textContent.replace(/[\ue000-\uf8ff\s]+/g, '') || el.querySelector('img[alt],svg title,[aria-label]') || el.ariaLabel) return '';
    const icon = el.querySelector('[class]');
    const word = el.title || el.dataset.tooltip || el.dataset.title || el.dataset.icon ||
      (el.getAttribute('class') || el.id || icon?.getAttribute('class') || '').trim().split(/\s+/).slice(0, 3).join(' ');
    return [sidekick.core.shorten(word, 40), sidekick.core.box(el)].filter(Boolean).join(', ');
  }

  /**
   * Whether assistive software is to pass over el itself, which a person sees: the
   * arrows of a field whose keys do the same, the arrow of a carousel.
   */
  function unspoken(el) {
    if (el.ariaHidden !== 'true' || !el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const r = el.getBoundingClientRect();
    return r.width >= 6 && r.height >= 6 && !sidekick.core.beyond(r);
  }

  /** A word for what the browser's tree has no text of. */
  const sayFor = (el) => sidekick.core.shorten(el.textContent.trim(), 40) || hint(el);

  /**
   * The file and the size of a picture that nobody gave a word for, not even that
   * it is there to be seen only: it may be all that the page is about. '' for
   * others, and for icons.
   */
  function wordless(img) {
    if (img.hasAttribute('alt') || img.title || img.ariaLabel || img.hasAttribute('aria-labelledby')) return '';
    const r = img.getBoundingClientRect();
    if (r.width < 48 || r.height < 48 || !img.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return '';
    const file = /^(?:https?|file):[^?#]*\/([^/?#]+)/.exec(img.currentSrc || img.src)?.[1] ?? '';
    return [sidekick.core.shorten(file, 40), `${Math.round(r.width)}×${Math.round(r.height)}`].filter(Boolean).join(', ');
  }

  /** What a form calls a field that has no label, where that is a word. */
  function formName(el) {
    if (el.labels?.length || el.placeholder || el.ariaLabel || el.hasAttribute('aria-labelledby') || el.title) return '';
    const name = el.name || el.id;
    return /^[a-z][a-z_.-]*\d{0,2}$/i.test(name) ? sidekick.core.shorten(name, 40) : '';
  }

  const fields = 'input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image]),select,textarea';

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
   * Marks in what is read, by the numbers that add gives: {clicks} are [node,
   * hint] of what can be clicked or dragged, {said} of what only says so, {cased} the texts that are shown in
   * another case than the page has them in, {texts} are [text, what is clicked
   * with it], {hints} are [node, placeholder] of
   * fields, {words} what a control without a name is called in the page's code,
   * {shapes} what pictures are drawn of, {veiled} lists and texts that nobody sees, {lines}
   * the text of editors that keep it to themselves, {alone} where things to click
   * lie that have no text, for which the browser's tree may have no place,
   * {stands} what labels stand for that is not drawn.
   */
  function marks(roots, add) {
    const { shorten, shapes, veiled } = sidekick.core;
    const m = { clicks: [], said: [], texts: [], cased: [], hints: [], words: [], veiled: [], lines: [], alone: [], stands: [] };
    const drawn = shapes(add);
    for (const el of elements(roots)) {
      if (m.clicks.length + m.said.length + m.cased.length + m.words.length >= MOST) break;
      if (el.placeholder) m.hints.push({ i: add(el), hint: shorten(el.placeholder, 80) });
      if (veiled(el)) m.veiled.push(add(el));
      const s = getComputedStyle(el);
      if (s.fontSize === '0px') m.veiled.push(...ownTexts(el).map(add));
      if (s.textTransform !== 'none') m.cased.push(...ownTexts(el).map(add));
      drawn.take(el);
      if (el.matches(control)) {
        const word = el.matches(fields) ? formName(el) : hint(el);
        if (word) m.words.push({ i: add(el), hint: word });
        const lines = sidekick.shownLines(el);
        if (lines) m.lines.push({ i: add(el), lines });
        if (el.matches('a,button,[role=button]') && unspoken(el)) {
          m.clicks.push({ i: add(el), hint: sayFor(el) });
          m.alone.push({ i: add(el), in: holders(el).map(add), last: follows(el) });
        }
        continue;
      }
      if (el.localName === 'img') {
        const word = wordless(el);
        if (word) m.words.push({ i: add(el), hint: word });
      }
      if (labels(el)) continue;
      const shows = clickable(el);
      if (shows || sign(el)) {
        const mute = unspoken(el);
        m.clicks.push({ i: add(el), hint: mute ? sayFor(el) : hint(el) || (shows ? '' : el.title) });
        const c = el.localName === 'label' && el.control;
        if (c && (c.type === 'radio' || c.type === 'checkbox')) m.stands.push({ i: add(el), role: c.type, checked: c.checked || undefined, disabled: c.disabled || undefined });
        if ((mute || !el.textContent.trim()) && !(el instanceof SVGElement)) m.alone.push({ i: add(el), in: holders(el).map(add), last: follows(el) });
        for (const t of inlineTexts(el)) m.texts.push({ i: add(t), in: add(el) });
      } else if (says(el)) {
        m.said.push({ i: add(el), hint: hint(el) });
      }
    }
    m.shapes = drawn.list;
    return m;
  }

  Object.assign(sidekick, { marks });
  Object.assign(sidekick.core, { elements, rendered, above, clickable });
})();
