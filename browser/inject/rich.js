// Editors: editable regions, and what keeps a document of its own behind a
// hidden field. Text that a script puts into them escapes the model that they
// keep; they take it as it comes from a keyboard or a clipboard.
(() => {
  const s = globalThis.sidekick;
  if (s.fillRich) return;
  const { page } = s.core;

  /** Ends when the page has heard of a new selection, or soon if none comes. */
  const selectionHeard = (change) => new Promise((done) => {
    const end = () => { clearTimeout(timer); document.removeEventListener('selectionchange', heard); done(); };
    // In a task behind the event all of its handlers have run.
    const heard = () => setTimeout(end, 0);
    const timer = setTimeout(end, 60);
    document.addEventListener('selectionchange', heard);
    change();
  });

  /**
   * The first and the last place in el, as the caret takes them: Lexical for
   * one knows no selection that is of the whole region's own children.
   */
  function ends(el) {
    let a = el, b = el;
    while (a.firstChild) a = a.firstChild;
    while (b.lastChild) b = b.lastChild;
    const beside = (n, after) => n.nodeType === Node.TEXT_NODE ? [n, after ? n.length : 0] : n === el ? [el, 0] :
      [n.parentNode, [...n.parentNode.childNodes].indexOf(n) + (after ? 1 : 0)];
    return [beside(a, false), beside(b, true)];
  }

  /** Selects all of an editable region; the rest is the caller's ({insert}). */
  async function fillRich(el) {
    await selectionHeard(() => {
      el.focus({ preventScroll: true });
      const [first, last] = ends(el);
      getSelection().setBaseAndExtent(...first, ...last);
    });
    return { insert: true };
  }

  /**
   * Whether el is the place that an editor takes keys at while its document is
   * drawn elsewhere (Monaco): its own value says nothing.
   */
  const keyed = (el) => el instanceof Element && !!el.closest('.monaco-editor') && el.matches('textarea,.native-edit-context,[role=textbox]');

  /** Focuses it; the rest is done with keys. */
  function fillKeyed(el) {
    if (el.getAttribute('aria-readonly') === 'true' || el.readOnly) return { error: 'it is read-only' };
    el.focus({ preventScroll: true });
    return { keyed: true };
  }

  /** Hands an editor a text as from a clipboard: as it is, with nothing added to it while it is typed. */
  function pasteKeyed(el, text) {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const e = new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true, clipboardData });
    (s.core.active() ?? el).dispatchEvent(e);
    return e.defaultPrevented ? {} : { insert: true };
  }

  const norm = (t) => t.replaceAll('\u00a0', ' ').replaceAll('\u200b', '').replaceAll('\t', '    ');

  const drawnLines = (el) => [...el.closest('.monaco-editor').querySelectorAll('.view-lines .view-line')]
    .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top)).map((l) => norm(l.textContent));

  /** The lines that such an editor shows, of which the browser's tree has none; null for any other field. */
  const shownLines = (el) => keyed(el) ? drawnLines(el).map((l) => l.length > 400 ? l.slice(0, 399) + '…' : l) : null;

  /** What such an editor shows; {seen} if that is how the wanted text begins. */
  async function keyedState(el, want) {
    await s.drawn();
    const lines = drawnLines(el);
    const wanted = norm(want).split(/\r?\n/);
    const seen = lines.length > 0 && lines.every((l, i) => (wanted[i] ?? '') === l);
    return { seen, text: lines.join('\n'), page: page() };
  }

  Object.assign(s, { fillRich, keyed, fillKeyed, pasteKeyed, keyedState, shownLines });
})();
