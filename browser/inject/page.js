// The engine's hands in a page. They run in an isolated world of each document:
// it sees the page's elements, the page sees nothing of it. Every function that
// the engine calls answers with plain data and never throws on purpose; what
// went wrong is in {error}. This is what they all build on: what an element and
// the page are now, and waits that can be given up.
(() => {
  if (globalThis.sidekick) return;

  let acting = -Infinity;
  const act = () => { acting = performance.now(); globalThis.sidekick.notice?.(); };
  /** Whether the engine acted on the page within so many ms: what the user does in the tab by hand is the user's. */
  const acted = (ms) => performance.now() - acting < ms;

  /** Waits that can be given up, by the number the engine gave them. */
  const waits = new Map();

  const shorten = (s, n = 60) => {
    const t = String(s ?? '').replace(/\s+/g, ' ').trim();
    return t.length > n ? t.slice(0, n - 1) + '…' : t;
  };

  /** A few words that let a reader find an element: dialog "Cookies". */
  function describe(el) {
    if (!(el instanceof Element)) return 'the page';
    const owner = el.closest('dialog,[role=dialog],[role=alertdialog],[aria-modal=true]') ?? el;
    const role = owner.getAttribute('role') ?? owner.localName;
    const id = owner.getAttribute('aria-labelledby');
    const label = owner.getAttribute('aria-label') ??
      (id && owner.ownerDocument.getElementById(id)?.textContent) ??
      owner.querySelector?.('h1,h2,h3,legend')?.textContent ?? owner.textContent;
    const name = shorten(label, 40);
    const mark = owner.id ? '#' + owner.id : owner.classList.length ? '.' + owner.classList[0] : '';
    return role + mark + (name ? ` "${name}"` : '');
  }

  /** What an element is now: read back after each action. */
  function state(el) {
    if (!(el instanceof Element)) return {};
    if (el instanceof HTMLLabelElement && el.control && !core.rendered(el.control)) el = el.control;
    const s = { tag: el.localName, connected: el.isConnected, name: shorten(el.getAttribute('aria-label') ?? el.labels?.[0]?.textContent ?? el.textContent, 40) };
    if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
      s.type = el.type;
      s.secret = el.type === 'password';
      if (el.type === 'checkbox' || el.type === 'radio') s.checked = el.checked;
      else s.value = el.value;
    } else if (el instanceof HTMLSelectElement) {
      s.selected = [...el.selectedOptions].map((o) => shorten(o.label || o.text));
    } else if (el.isContentEditable) {
      s.value = el.innerText;
      s.type = 'contenteditable';
    }
    if (s.checked === undefined && el.hasAttribute('aria-checked')) s.checked = el.getAttribute('aria-checked') === 'true';
    for (const a of ['expanded', 'pressed', 'selected']) {
      if (el.hasAttribute('aria-' + a)) s['aria_' + a] = el.getAttribute('aria-' + a);
    }
    return s;
  }

  function active() {
    let el = document.activeElement;
    while (el?.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
    return el;
  }

  /** The status of the answer that the document came with, if it tells of an error. */
  let status;
  function failed() {
    // (This script may run before the document's answer is known.)
    status ||= performance.getEntriesByType('navigation')[0]?.responseStatus;
    return status >= 400 ? status : undefined;
  }

  function page() {
    const touched = globalThis.sidekick.touched?.();
    // {news} is there only if there are some: a step of a sequence waits on it.
    return { url: location.href, title: document.title, ready: document.readyState, scale: devicePixelRatio, touched, news: touched || undefined, asks: core.asks(), saves: core.saves(), invalid: core.invalid(), status: failed() };
  }

  /** Ends when the page's own tasks that were put off until now have run. */
  const settled = () => new Promise((done) => { setTimeout(done, 0, {}); });

  function begin(id) {
    const w = { over: false, wake() {} };
    if (id) waits.set(id, w);
    return w;
  }

  function cancel(id) {
    const w = waits.get(id);
    if (w) { w.over = true; w.wake(); }
  }

  /** What the other scripts of this folder build on. */
  const core = { shorten, describe, state, page, active, act, acted, settled, begin, waits };

  globalThis.sidekick = { core, token: '', cancel, settled, page };
})();
