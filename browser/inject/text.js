// The page as Markdown: what a person would read, with its structure.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.markdown) return;
  const { kids } = sidekick.core;

  const unread = new Set(['script', 'style', 'template', 'noscript', 'head', 'link', 'meta', 'base', 'svg', 'canvas', 'object', 'embed', 'iframe', 'audio', 'video']);
  const blocks = /^(block|flex|grid|list-item|flow-root|table|table-caption)$/;

  /** A part of a page may have so many characters of Markdown. */
  const MOST = 2_000_000;

  /** Text without what would be taken for a mark of ours. */
  const escaped = (s) => s.replace(/[`*]/g, (c) => '\\' + c).replace(/^(\s*)([#>+-]|\d+[.)])(?=\s)/, '$1\\$2');

  const squeezed = (s) => s.replace(/[ \t\r\n\f]+/g, ' ');

  const gone = (el, s) => s.display === 'none' || s.visibility !== 'visible' && !el.children.length;

  /** A fence or quote that its text cannot end. */
  function fence(text, least) {
    const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
    return '`'.repeat(Math.max(least, longest + 1));
  }

  /** Writes blocks: paragraphs with an empty line between them. */
  class Writer {
    lines = [];
    size = 0;
    line = '';

    /** Adds text to the paragraph that is being written. */
    inline(s) {
      if (s.startsWith(' ') && (this.line === '' || /\s$/.test(this.line))) s = s.trimStart();
      this.line += s;
      this.size += s.length;
    }

    /** Ends the paragraph. */
    end() {
      const s = this.line.replace(/[ \t]+$/gm, '').replace(/^\n+|\n+$/g, '');
      if (s.trim()) this.lines.push(s, '');
      this.line = '';
    }

    /** Adds lines as they are. */
    block(s) {
      this.end();
      if (s === '') return;
      this.lines.push(s, '');
      this.size += s.length;
    }

    text() {
      this.end();
      return this.lines.join('\n').replace(/\n+$/, '');
    }
  }

  const written = (n, tight) => {
    const w = new Writer();
    children(n, w);
    const s = w.text();
    return tight ? s.replace(/\n{2,}/g, '\n') : s;
  };

  /** The text of n on one line. */
  const oneLine = (n) => squeezed(written(n)).trim();

  const indented = (s, first, rest) => s.split('\n').map((l, i) => (i ? (l && rest + l) : first + l)).join('\n');

  function list(el, w) {
    const ordered = el.localName === 'ol';
    let n = el.start ?? 1;
    const items = [];
    for (const k of kids(el)) {
      if (k.nodeType !== Node.ELEMENT_NODE || gone(k, getComputedStyle(k))) continue;
      const mark = ordered ? `${n++}. ` : '- ';
      const s = written(k, true);
      if (s) items.push(indented(s, mark, ' '.repeat(mark.length)));
    }
    w.block(items.join('\n'));
  }

  /** A table that tells something by its rows; one that only lays out is read as text. */
  function table(el, w) {
    const rows = [...el.rows].filter((r) => !gone(r, getComputedStyle(r)));
    const width = Math.max(0, ...rows.map((r) => r.cells.length));
    if (width < 2 || el.getAttribute('role') === 'presentation' || el.querySelector('table')) { children(el, w); return; }
    if (el.caption) w.block(oneLine(el.caption));
    const line = (r) => {
      const cells = [];
      for (const c of r.cells) {
        cells.push(oneLine(c).replaceAll('|', '\\|'));
        for (let i = 1; i < Math.min(c.colSpan, 50); i++) cells.push('');
      }
      return `| ${cells.join(' | ')} |`;
    };
    const head = rows[0] && (rows[0].parentElement.localName === 'thead' || [...rows[0].cells].every((c) => c.localName === 'th')) ? rows.shift() : null;
    const rule = '|' + ' --- |'.repeat(width);
    w.block([head ? line(head) : '|' + '  |'.repeat(width), rule, ...rows.map(line)].join('\n'));
  }

  function field(el) {
    if (el.localName === 'select') return [...el.selectedOptions].map((o) => o.label).join(', ');
    if (/^(hidden|checkbox|radio|password|file|image)$/.test(el.type)) return el.type === 'image' ? el.alt : '';
    return el.value || el.placeholder || '';
  }

  function node(n, w) {
    if (w.size > MOST || n === left) return;
    if (n.nodeType === Node.TEXT_NODE) {
      const pre = n.parentElement && /^pre/.test(getComputedStyle(n.parentElement).whiteSpaceCollapse ?? getComputedStyle(n.parentElement).whiteSpace);
      w.inline(escaped(pre ? n.data : squeezed(n.data)));
      return;
    }
    if (n.nodeType !== Node.ELEMENT_NODE || unread.has(n.localName)) {
      if (n.localName === 'svg') { const t = n.querySelector('title')?.textContent ?? n.getAttribute('aria-label'); if (t) w.inline(escaped(squeezed(t))); }
      return;
    }
    const s = getComputedStyle(n);
    if (gone(n, s) || n.localName !== 'summary' && n.parentElement?.localName === 'details' && !n.parentElement.open) return;
    switch (n.localName) {
      case 'h1': case 'h2': case 'h3': case 'h4': case 'h5': case 'h6': {
        const t = oneLine(n);
        if (t) w.block('#'.repeat(+n.localName[1]) + ' ' + t);
        return;
      }
      case 'br': w.line += '\n'; return;
      case 'hr': w.block('---'); return;
      case 'img': {
        const alt = squeezed(n.alt ?? '').trim();
        if (alt) w.inline(`![${escaped(alt)}]`);
        return;
      }
      case 'a': {
        const t = oneLine(n), wide = blocks.test(s.display);
        if (wide) w.end();
        if (t) w.inline(n.href && !/^javascript:/i.test(n.href) ? `${/^\s/.test(n.textContent) ? ' ' : ''}[${t}](${n.href.replace(/[()\s]/g, (c) => '%' + c.charCodeAt(0).toString(16))})${/\s$/.test(n.textContent) ? ' ' : ''}` : t);
        if (wide) w.end();
        return;
      }
      case 'b': case 'strong': case 'i': case 'em': {
        const mark = /^[bs]/.test(n.localName) ? '**' : '*', t = oneLine(n);
        if (t) w.inline(`${/^\s/.test(n.textContent) ? ' ' : ''}${mark}${t}${mark}${/\s$/.test(n.textContent) ? ' ' : ''}`);
        return;
      }
      case 'code': case 'kbd': case 'samp': case 'tt': {
        const t = squeezed(n.textContent).trim();
        const q = fence(t, 1), pad = /^`|`$/.test(t) ? ' ' : '';
        if (t) w.inline(q + pad + t + pad + q);
        return;
      }
      case 'pre': {
        const t = n.textContent.replace(/^\n|\s+$/g, '');
        const q = fence(t, 3), lang = /(?:language|lang)-([\w+#-]+)/.exec(n.className + ' ' + (n.querySelector('code')?.className ?? ''))?.[1] ?? '';
        if (t) w.block(`${q}${lang}\n${t}\n${q}`);
        return;
      }
      case 'blockquote': {
        const t = written(n);
        if (t) w.block(t.split('\n').map((l) => ('> ' + l).trimEnd()).join('\n'));
        return;
      }
      case 'ul': case 'ol': case 'menu': list(n, w); return;
      case 'table': table(n, w); return;
      case 'input': case 'textarea': case 'select': {
        const t = squeezed(field(n)).trim();
        if (t) w.inline(` ${escaped(t)} `);
        return;
      }
      case 'dt': { const t = oneLine(n); if (t) w.block(`**${t.replace(/^\*\*|\*\*$/g, '')}**`); return; }
    }
    const alone = blocks.test(s.display) || /^(li|dd|summary|legend|tr|td|th)$/.test(n.localName);
    if (alone) w.end(); else if (s.display.startsWith('inline-') || n.localName === 'button') w.inline(' ');
    children(n, w);
    if (alone) w.end(); else if (s.display.startsWith('inline-') || n.localName === 'button') w.inline(' ');
  }

  function children(n, w) {
    for (const k of kids(n)) node(k, w);
  }

  /** What the page is about, where it says so. */
  function main() {
    const list = [...document.querySelectorAll('main,[role=main]')].filter((m) => m.innerText?.trim());
    if (list.length) return list[0];
    const articles = document.querySelectorAll('article');
    return articles.length === 1 ? articles[0] : null;
  }

  /** What was written already. */
  let left = null;

  /** The document, main content first and what lies around it after a rule. */
  function text() {
    const root = document.body ?? document.documentElement;
    if (!root) return { text: '', page: sidekick.page() };
    if (root.localName === 'frameset' || !(root instanceof HTMLElement)) return { text: root.textContent, page: sidekick.page() };
    const m = main();
    if (!m) return { text: written(root), page: sidekick.page() };
    const first = written(m);
    left = m;
    const around = written(root);
    left = null;
    return { text: around.trim() ? `${first}\n\n---\n\n${around}` : first, page: sidekick.page() };
  }

  const textOf = (el) => ({ text: el.nodeType === Node.TEXT_NODE ? el.data : asOne(el), page: sidekick.page() });

  /** An element with its own form: a list's item as an item, a heading as one. */
  function asOne(el) {
    const w = new Writer();
    node(el, w);
    return w.text();
  }

  Object.assign(sidekick, { markdown: node, text, textOf });
})();
