// Fields of every kind, for forms that are filled in one call.
(() => {
  const s = globalThis.sidekick;
  if (s.formKind) return;
  const { describe } = s.core;

  const field = (el) => (el instanceof HTMLLabelElement && el.control) || el;

  const radio = (el) => el.matches('input[type=radio],[role=radio],[role=menuitemradio]');

  /** What is switched on and off, whatever it is made of. */
  const toggle = (el) => el.matches('input[type=checkbox],[role=checkbox],[role=switch],[role=menuitemcheckbox],[aria-pressed]') || radio(el);

  /** Whether it is on; null for neither. */
  function on(el) {
    if (el instanceof HTMLInputElement && (el.type === 'checkbox' || el.type === 'radio')) return el.indeterminate ? null : el.checked;
    const v = el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed') ?? 'false';
    return v === 'true' ? true : v === 'false' ? false : null;
  }

  const own = { file: 'use upload_file', submit: 'use click', button: 'use click', image: 'use click', reset: 'use click' };

  /**
   * How a field takes a value: {kind: text, select, toggle or choose}, or why
   * it never will. What an earlier field may yet change (options, whether it is
   * enabled) is not asked here.
   */
  function formKind(el, value) {
    el = field(el);
    if (!el.isConnected) return { stale: true };
    if (!(el instanceof Element)) return { error: 'it is no field' };
    if (el instanceof HTMLSelectElement) return { kind: 'select' };
    if (toggle(el)) {
      if (value !== 'true' && value !== 'false') return { error: `it is switched on and off: its value is "true" or "false", not "${s.core.shorten(value, 40)}"` };
      if (radio(el) && value === 'false') return { error: 'a radio button is switched off by choosing another one of its group' };
      return { kind: 'toggle' };
    }
    if (el.matches('[role=combobox],[aria-haspopup=listbox]') && s.choosable(el) && !(el instanceof HTMLInputElement && !el.readOnly)) return { kind: 'choose' };
    if (el instanceof HTMLInputElement && own[el.type]) return { error: `it is an input of type ${el.type}: ${own[el.type]}` };
    if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el.isContentEditable) return { kind: 'text' };
    if (s.choosable(el)) return { kind: 'choose' };
    return { error: `it is not a field (${describe(el)})` };
  }

  function toggled(el) {
    el = field(el);
    return el.isConnected ? { on: on(el), state: s.core.state(el), page: s.core.page() } : { stale: true };
  }

  Object.assign(s, { formKind, toggled });
})();
