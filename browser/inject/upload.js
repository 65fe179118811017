// Giving files to a page: to a file field, or dropped onto an element.
(() => {
  const s = globalThis.sidekick;
  if (s.uploadTarget) return;
  const { describe } = s.core;

  /** Files on their way: in a field of our own, or built here of their bytes. */
  let scratch = null;
  let parts = [];

  const isFile = (n) => n instanceof HTMLInputElement && n.type === 'file';

  /** The file field that el is, labels, or has in it. */
  function fileInput(el) {
    if (!(el instanceof Element)) return null;
    if (isFile(el)) return el;
    const label = el.closest('label');
    if (isFile(label?.control)) return label.control;
    const within = [...el.querySelectorAll('input[type=file]')];
    return within.length === 1 ? within[0] : null;
  }

  const clicks = (el) => !!el.closest('button,a,summary,input,[role=button],[role=link],[role=menuitem]');

  const drag = (el, type, files) => {
    const r = el.getBoundingClientRect();
    const dataTransfer = new DataTransfer();
    for (const f of files) dataTransfer.items.add(f);
    const e = new DragEvent(type, {
      bubbles: true, cancelable: true, composed: true, dataTransfer,
      clientX: r.left + r.width / 2, clientY: r.top + r.height / 2,
    });
    el.dispatchEvent(e);
    return e.defaultPrevented;
  };

  /** Whether el wants what is dragged over it. */
  function wants(el) {
    const probe = [new File([], 'file')];
    drag(el, 'dragenter', probe);
    const yes = drag(el, 'dragover', probe);
    if (!yes) drag(el, 'dragleave', probe);
    return yes;
  }

  /** How el takes `count` files: {kind: input, drop or click}, or why it does not. */
  function uploadTarget(el, count) {
    if (!(el instanceof Element) || !el.isConnected) return { stale: true };
    const input = fileInput(el);
    if (input) {
      const bad = refuses(input, count);
      return bad ? { error: bad } : { kind: 'input' };
    }
    if (el.closest('[inert]')) return { error: 'it is inert (something modal may lie before it)' };
    if (!clicks(el) && wants(el)) return { kind: 'drop' };
    return { kind: 'click' };
  }

  function refuses(input, count) {
    if (input.matches(':disabled')) return 'its file field is disabled';
    if (input.webkitdirectory) return 'it takes a whole folder, which cannot be given to it';
    if (count > 1 && !input.multiple) return 'it takes one file only';
    return '';
  }

  /** Of a field that a click brought up, wherever it is. */
  function chosenField(input, count) {
    const bad = refuses(input, count);
    return bad ? { error: bad } : { kind: 'input' };
  }

  const list = (files) => [...files].map((f) => `${f.name} (${f.size} bytes)`);

  function heldFiles(el) {
    const input = fileInput(el) ?? el;
    return { files: list(input.files ?? []), page: s.core.page() };
  }

  /** A field of our own, which the browser puts the files into. */
  function scratchField() {
    scratch = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
    return scratch;
  }

  function startFiles() {
    scratch = null;
    parts = [];
    return {};
  }

  /** Takes a part of a file, in base64. */
  function addPart(el, index, name, type, text) {
    const bin = atob(text);
    const bytes = new Uint8Array(bin.length);
    for (let i = 0; i < bin.length; i++) bytes[i] = bin.charCodeAt(i);
    parts[index] ??= { name, type, list: [] };
    parts[index].list.push(bytes);
    return {};
  }

  const ready = () => scratch?.files ?? parts.map((p) => new File(p.list, p.name, { type: p.type }));

  /** Puts the files into el's field, as the browser's own dialog would. */
  function giveFiles(el) {
    const input = fileInput(el) ?? el;
    const dt = new DataTransfer();
    for (const f of ready()) dt.items.add(f);
    input.files = dt.files;
    const files = list(input.files);
    startFiles();
    input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
    return { files, page: s.core.page() };
  }

  /** Drops the files onto el. */
  function dropFiles(el) {
    if (!el.isConnected) return { stale: true };
    const files = [...ready()];
    startFiles();
    drag(el, 'dragenter', files);
    drag(el, 'dragover', files);
    if (!drag(el, 'drop', files)) return { error: `it does not take the files that are dropped on it (${describe(el)})` };
    return { files: list(files), page: s.core.page() };
  }

  Object.assign(s, { uploadTarget, chosenField, fileInput, heldFiles, scratchField, startFiles, addPart, giveFiles, dropFiles });
})();
