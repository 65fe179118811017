// Selects a text of an element as a person does, by its two ends.
(() => {
  const s = globalThis.sidekick;
  if (s.textEnds) return;
  const { at, holds, shorten, page, state } = s.core;

  const tidy = (t) => t.replace(/\s+/g, ' ').trim();

  const isField = (el) => el instanceof HTMLTextAreaElement || el instanceof HTMLInputElement;

  /** Where a text stands in another, whatever the spaces in both are: [from, to], or null. */
  function place(hay, text) {
    const find = (flags) => new RegExp(tidy(text).split(' ').map((w) => w.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), flags).exec(hay);
    const m = find('') ?? find('i');
    return m && [m.index, m.index + m[0].length];
  }

  /** The range of a text in el, or null. */
  function rangeOf(el, text) {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    const list = [];
    let all = '', block = null;
    for (let n = walker.nextNode(); n; n = walker.nextNode()) {
      if (!n.parentElement?.checkVisibility({ visibilityProperty: true })) continue;
      // The ends of lines and blocks are spaces to a reader.
      const around = n.parentElement.closest('p,div,li,td,th,h1,h2,h3,h4,h5,h6,pre,section,article,blockquote,tr,dd,dt') ?? el;
      if (list.length && (around !== block || n.previousSibling?.nodeName === 'BR')) all += '\n';
      block = around;
      list.push({ n, from: all.length });
      all += n.data;
    }
    const found = tidy(text) && place(all, text);
    if (!found) return null;
    const point = (i, end) => {
      const t = list.findLast((t) => end ? t.from < i : t.from <= i);
      return [t.n, Math.min(i - t.from, t.n.length)];
    };
    const r = document.createRange();
    r.setStart(...point(found[0], false));
    r.setEnd(...point(found[1], true));
    return r;
  }

  /**
   * Gets el ready for one of its texts to be selected. The answer has the two
   * ends where it is to be done with the pointer ({x, y} and {end}); otherwise
   * it is done.
   */
  function textEnds(el, text) {
    const none = { error: `it has no text "${shorten(text)}"` };
    if (isField(el)) {
      const p = place(el.value, text);
      if (!p) return none;
      el.focus({ preventScroll: true });
      try { el.setSelectionRange(...p); } catch { return { error: `a field of type ${el.type} lets none of its text be selected` }; }
      return { page: page() };
    }
    const r = rangeOf(el, text);
    if (!r) return none;
    const host = r.commonAncestorContainer, holder = host.nodeType === Node.TEXT_NODE ? host.parentElement : host;
    holder.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const boxes = [...r.getClientRects()].filter((b) => b.width > 0 && b.height > 0);
    const first = boxes[0], last = boxes.at(-1);
    getSelection().removeAllRanges(); // what is selected would be dragged instead
    if (first && window === top && getComputedStyle(holder).direction !== 'rtl' && !holder.closest('a[href],[draggable=true],button,label')) {
      const a = { x: first.left + 0.5, y: (first.top + first.bottom) / 2 }, b = { x: last.right - 0.5, y: (last.top + last.bottom) / 2 };
      const free = (p) => { const hit = at(p.x, p.y); return hit && holds(el, hit) && !hit.closest('a[href],img,[draggable=true]'); };
      if (free(a) && free(b)) return { ...a, end: b, page: page() };
    }
    selectRange(el, r);
    return { page: page() };
  }

  function selectRange(el, r) {
    if (el.isContentEditable) el.focus({ preventScroll: true });
    getSelection().setBaseAndExtent(r.startContainer, r.startOffset, r.endContainer, r.endOffset);
  }

  const selection = (el) => isField(el) ? el.value.slice(el.selectionStart, el.selectionEnd) : getSelection().toString();

  /** What is selected now; what the pointer missed by a letter is put right. */
  function selectedText(el, text) {
    const same = () => tidy(selection(el)).toLowerCase() === tidy(text).toLowerCase();
    if (!same() && !isField(el)) {
      const r = rangeOf(el, text);
      if (r) selectRange(el, r);
    }
    return { text: selection(el), met: same(), state: state(el), page: page() };
  }

  Object.assign(s, { textEnds, selectedText });
})();
