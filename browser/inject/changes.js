// What an action changes of a page: the engine asks for the smallest parts that
// hold it all, and reads only those again.
(() => {
  const s = globalThis.sidekick;
  if (s.notice) return;

  /** Attributes that say nothing that a reading has. */
  const silent = /^(id|data-(?!state)|on|src|srcset|sizes|width|height|tabindex|nonce|d$|transform$|points$|fill|stroke)/;
  /** But those that say where and what a shape of a picture is. */
  const shaping = /^(d|transform|points|width|height|fill|stroke)$/;
  const pictures = new WeakMap();
  /** Whether el is a shape of a picture whose shapes are told. */
  function inPicture(el) {
    if (!(el instanceof SVGGraphicsElement)) return false;
    const svg = el.ownerSVGElement;
    if (!svg) return false;
    if (!pictures.has(svg)) pictures.set(svg, s.core.tells(svg));
    return pictures.get(svg);
  }
  /** What has a name made of its text: a change in it is one of its own. */
  const whole = 'a,button,summary,option,label,h1,h2,h3,h4,h5,h6,p,td,th,[role=button],[role=link],[role=tab],[role=option],' +
    '[role=menuitem],[role=checkbox],[role=radio],[role=switch],[role=treeitem],[role=row],[role=gridcell],[role=heading]';
  const watched = { subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true };
  /** As many parts are told apart; more become one that holds them. */
  const maxParts = 6;
  /** A part with more elements takes too long to read by the way. */
  const maxElements = 1500;

  /** For how long what changes is noted after somebody looked: until the answers to what an action asked for are there. */
  const noted = 5000;

  let observer = null;
  let parts = new Set();
  /** When somebody looked, and until then Infinity. */
  let asked = Infinity;
  /** What changed() answered with last. */
  let last = [];

  /**
   * What the fields held when notice was called. What scripts put into fields
   * changes nothing of the document.
   */
  let held = new Map();
  const fields = 'input:not([type=hidden],[type=file]),select,textarea';
  const maxFields = 500;
  const content = (f) => f.type === 'checkbox' || f.type === 'radio' ? f.checked :
    f instanceof HTMLSelectElement ? [...f.selectedOptions].map((o) => o.index).join() : f.value;

  function hold(root) {
    for (const f of root.querySelectorAll(fields)) {
      if (held.size >= maxFields) return;
      held.set(f, content(f));
    }
  }

  /** What a field holds now is no news: the action put it there, and says so. */
  function own(f) { if (held.has(f)) held.set(f, content(f)); }

  /** The fields that the input itself went to, since notice was called: what is done to them is told by itself. */
  let entered = new Set();
  addEventListener('input', (e) => { if (e.isTrusted) entered.add(e.composedPath()[0]); }, { capture: true, passive: true });

  /** Adds where the fields are that hold something else now. */
  function refilled() {
    for (const [f, before] of held) {
      const now = content(f);
      if (now === before) continue;
      held.set(f, now);
      // The radio button that was chosen says that another one no longer is.
      if (entered.has(f) || !f.isConnected || f.type === 'radio' && !now) continue;
      parts.add(up(f)?.closest(whole) ?? up(f) ?? document.documentElement);
    }
  }

  const up = (n) => n.parentElement ?? n.parentNode?.host ?? null;

  function take(records) {
    if (performance.now() - asked > noted) {
      observer.disconnect();
      return;
    }
    for (const r of records) {
      if (parts.size > 100) { // what holds them all will do
        observer.disconnect();
        parts = new Set([document.documentElement]);
        return;
      }
      let el = r.target;
      if (r.type === 'attributes') {
        const name = r.attributeName;
        if (silent.test(name) && !(shaping.test(name) && inPicture(el)) || el.getAttribute(name) === r.oldValue) continue;
        // Pages set classes and styles there all the time, mostly to no effect
        // that a reader could see, and then all of the page would be read.
        if (el === document.documentElement || el === document.body) continue;
        // Behind a dialog that is modal everything else is gone; the dialog alone is news.
        if (!(name === 'open' && el.localName === 'dialog')) el = up(el);
      } else if (el instanceof ShadowRoot) el = el.host;
      else if (el.nodeType !== Node.ELEMENT_NODE) el = up(el) ?? document.documentElement;
      // The body, too, is not in the tree while a modal dialog is open.
      if (el) parts.add(el === document.body ? document.documentElement : el.closest(whole) ?? el);
    }
  }

  /** From here on what changes is noted. */
  function notice() {
    observer?.disconnect();
    parts = new Set();
    asked = Infinity;
    observer = new MutationObserver(take);
    observer.observe(document, watched);
    const all = document.getElementsByTagName('*');
    held = new Map();
    entered = new Set();
    hold(document);
    if (all.length < 3000) {
      for (const n of all) {
        if (!n.shadowRoot) continue;
        observer.observe(n.shadowRoot, watched);
        hold(n.shadowRoot);
      }
    }
    return {};
  }

  const inside = (a, b) => { for (let n = up(b); n; n = up(n)) if (n === a) return true; return false; };

  /**
   * Whether something changed since notice was called; undefined where nobody
   * noted it, or asked before. It goes on to be noted for a while, for changed().
   */
  function touched() {
    if (!observer || asked < Infinity) return undefined;
    take(observer.takeRecords());
    refilled();
    asked = performance.now();
    return parts.size > 0;
  }

  /** It may be asked once more. */
  function again() { asked = Infinity; }

  /** Nobody looks any more. */
  function hush() {
    observer?.disconnect();
    observer = null;
    parts = new Set();
    held.clear();
    return {};
  }

  /** The elements that hold all that changed since; 'large' stands for one that is too large. */
  function changed() {
    if (observer) {
      take(observer.takeRecords());
      refilled();
    }
    observer?.disconnect();
    observer = null;
    let list = [...parts].filter((n) => n.isConnected);
    parts = new Set();
    while (list.length > maxParts) {
      const above = new Set(list.map((n) => up(n) ?? n));
      if (above.size === 1 && above.has(list[0])) break;
      list = [...above];
      const depth = list.length;
      list = list.filter((n) => !list.some((o) => o !== n && inside(o, n)));
      if (list.length === depth && depth <= maxParts) break;
    }
    list = list.filter((n) => !list.some((o) => o !== n && inside(o, n)));
    last = list.filter((n) => n.getElementsByTagName('*').length <= maxElements);
    return list.map((n) => n.getElementsByTagName('*').length > maxElements ? 'large' : n);
  }

  /** The marks (marks.js) in what changed() answered with; planned returns their nodes. */
  function changedMarks() {
    const roots = last;
    last = [];
    return s.core.marksIn(roots);
  }

  Object.assign(s, { notice, changed, changedMarks, touched, again, hush });
  Object.assign(s.core, { own });
})();
