// Fields of HTML's own: what they are given, and which one has the focus.
(() => {
  const s = globalThis.sidekick;
  if (s.fill) return;
  const { shorten, describe, holds, state, page, active, act, acted, settled } = s.core;

  const fires = (el, type, init) => el.dispatchEvent(new (init ? InputEvent : Event)(type, { bubbles: true, composed: true, ...init }));

  const plain = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number', '']);
  const forms = { date: 'YYYY-MM-DD', time: 'HH:MM', month: 'YYYY-MM', week: 'YYYY-Www', 'datetime-local': 'YYYY-MM-DDTHH:MM', color: '#rrggbb', range: 'a number', number: 'a number' };

  /**
   * Gives a field a value in one step, with the events that a page listens to.
   * Editable regions are only selected here ({insert}): text put into them by
   * script escapes the editors that keep a model of their own.
   */
  function fill(el, value) {
    act();
    if (el instanceof HTMLLabelElement && el.control) el = el.control;
    if (!el.isConnected) return { stale: true };
    if (el instanceof HTMLSelectElement) return { error: 'it is a list of choices: use select_option' };
    if (el.matches?.(':disabled')) return { error: 'it is disabled' };
    if (s.keyed(el)) return s.fillKeyed(el);
    const input = el instanceof HTMLInputElement;
    if (input || el instanceof HTMLTextAreaElement) {
      if (el.readOnly) return { error: 'it is read-only' };
      if (input && !plain.has(el.type) && !forms[el.type]) return { error: `it is an input of type ${el.type}: use click` };
      el.focus({ preventScroll: true });
      if (!el.isConnected) { // the page drew it anew
        const now = active();
        return now?.localName === el.localName && now.type === el.type && now.name === el.name ? fill(now, value) : { error: 'it was replaced as it got the focus: call read_page' };
      }
      let text = value;
      if (el.maxLength >= 0 && text.length > el.maxLength) text = text.slice(0, el.maxLength);
      const old = el.value;
      el.value = text;
      if (el.value !== text && forms[el.type] && text !== '') {
        const kept = el.value;
        el.value = old;
        if (kept === '' || el.type === 'color') return { error: `an input of type ${el.type} takes ${forms[el.type]}` };
        el.value = kept;
      }
      if (el.value !== old || text !== old) {
        fires(el, 'input', { inputType: 'insertReplacementText', data: text.length > 10000 ? null : text });
        fires(el, 'change');
      }
      s.core.own(el);
      return { state: state(el), page: page(), cut: text !== value ? el.maxLength : undefined, invalid: value !== '' && el.willValidate ? el.validationMessage : '' };
    }
    if (el.isContentEditable) {
      return s.fillRich(el);
    }
    // An editor that draws its own text and its own selection (Monaco).
    if (el.editContext) {
      el.focus({ preventScroll: true });
      return { insert: true, all: true };
    }
    return { error: `it is not a field that takes text (${describe(el)})` };
  }

  /** Whether nobody sees a field: it has no size, or what it lies in shows nothing of it. */
  function hidden(el) {
    const r = el.getBoundingClientRect(), style = getComputedStyle(el);
    if (r.width < 2 || r.height < 2 || style.opacity === '0' || style.clip === 'rect(0px, 0px, 0px, 0px)' || !el.checkVisibility({ visibilityProperty: true })) return true;
    for (let n = el.parentElement; n; n = n.parentElement) {
      if (n.clientWidth * n.clientHeight === 0 && getComputedStyle(n).overflow !== 'visible') return true;
    }
    return false;
  }

  function select(el, values) {
    act();
    if (!el.isConnected) return { stale: true };
    if (el.localName === 'option') el = el.closest('select') ?? el;
    if (!(el instanceof HTMLSelectElement) && s.choosable(el)) return { kind: 'choose' };
    if (!(el instanceof HTMLSelectElement)) return { error: `it is not a list of choices (${describe(el)}): click it and then the option` };
    if (el.matches(':disabled')) return { error: 'it is disabled' };
    if (!values.length && !el.multiple) return { error: 'it always has one choice: name the one to select' };
    if (values.length > 1 && !el.multiple) return { error: 'it takes one choice only' };
    const norm = (s) => s.replace(/\s+/g, ' ').trim().toLowerCase();
    const opts = [...el.options];
    const chosen = [];
    for (const v of values) {
      const o = opts.find((o) => o.value === v) ?? opts.find((o) => (o.label || o.text).trim() === v.trim()) ??
        opts.find((o) => norm(o.label || o.text) === norm(v));
      if (!o) {
        const list = opts.slice(0, 30).map((o) => `"${shorten(o.label || o.text, 40)}"`).join(', ');
        return { error: `it has no option "${shorten(v)}"; it has ${list}${opts.length > 30 ? ', …' : ''}` };
      }
      if (o.disabled || o.parentElement?.disabled) return { error: `its option "${shorten(v)}" is disabled` };
      chosen.push(o);
    }
    const veiled = hidden(el) || undefined;
    // What stands for a list that nobody sees takes the focus as a wish to see its own.
    if (!veiled) el.focus({ preventScroll: true });
    for (const o of opts) o.selected = chosen.includes(o);
    fires(el, 'input');
    fires(el, 'change');
    s.core.own(el);
    return { state: state(el), page: page(), want: chosen.map((o) => shorten(o.label || o.text)), veiled };
  }

  /** Puts the focus on el (if any) with the caret at the end of its text. */
  function focus(el) {
    act();
    if (el) {
      if (el instanceof HTMLLabelElement && el.control) el = el.control;
      if (!el.isConnected) return { stale: true };
      el.focus({ preventScroll: true });
      const got = active();
      if (got !== el && !holds(el, got)) return { error: `it does not take the focus (${describe(el)})` };
      if (got.isContentEditable) { getSelection().selectAllChildren(got); getSelection().collapseToEnd(); }
      else if (got.setSelectionRange && plain.has(got.type ?? '') && got.type !== 'number' && got.type !== 'email') {
        try { got.setSelectionRange(got.value.length, got.value.length); } catch { /* a type without a caret */ }
      }
    }
    const a = active();
    return { state: state(a), editable: editable(a), frame: a instanceof HTMLIFrameElement };
  }

  /**
   * What has the focus, once the page has run what it put off as the last action
   * was done: some widgets (Select2) move the focus to a field of theirs only then.
   */
  async function focusNow() {
    if (acted(1000)) await settled();
    return focus(null);
  }

  /**
   * Gives el the focus, behind what the page put off as it was just clicked: the
   * browser keeps timers back for some frames behind a press, and a list of
   * suggestions gives the focus back to its own field in one.
   */
  async function focusNext(el) {
    if (acted(200)) await settled();
    return focus(el);
  }

  const editable = (a) => !!a && (a.isContentEditable ||
    ((a instanceof HTMLTextAreaElement || (a instanceof HTMLInputElement && (plain.has(a.type) || !!forms[a.type]))) && !a.readOnly && !a.disabled));

  const focused = () => ({ state: state(active()), editable: editable(active()), page: page() });

  Object.assign(s, { fill, select, focus, focusNow, focusNext, focused });
  Object.assign(s.core, { editable });
})();
