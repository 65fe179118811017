// What pictures need of a page. Nothing here changes the page's document: the
// boxes are drawn on a copy of the picture, in this world alone.
(() => {
  const s = globalThis.sidekick;
  if (s.view) return;
  const { clear, target, boxes } = s.core;

  /** How much of the document its window shows. */
  const view = () => ({ width: innerWidth, height: innerHeight, scrollX, scrollY, scale: devicePixelRatio });

  const frame = (ms = 200) => new Promise((done) => {
    const t = setTimeout(done, ms);
    requestAnimationFrame(() => { clearTimeout(t); done(); });
  });

  /** Ends when this document has been drawn. (One that has no size never is.) */
  async function drawn() {
    for (let n = 0; n < 2 && innerWidth && innerHeight; n++) await frame(1000);
    return {};
  }

  /** Goes back to where the window was before a picture enlarged it. */
  async function scrollBack({ width, height, scrollX, scrollY }) {
    for (let n = 0; n < 20 && (innerWidth !== width || innerHeight !== height); n++) await frame();
    scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
    return {};
  }

  /** The part of a that lies in b, or null. */
  function common(a, b) {
    const left = Math.max(a.left, b.left), top = Math.max(a.top, b.top);
    const right = Math.min(a.right, b.right), bottom = Math.min(a.bottom, b.bottom);
    return right - left >= 1 && bottom - top >= 1 ? { left, top, right, bottom } : null;
  }

  /**
   * What of each element is not cut off by what it lies in, frames around this
   * document included: the browser's own answer, which comes with a frame.
   */
  function uncut(els, beyond) {
    const found = new Map();
    return new Promise((done) => {
      const end = () => { observer.disconnect(); clearTimeout(timer); done(found); };
      const observer = new IntersectionObserver((entries) => {
        for (const e of entries) found.set(e.target, e.isIntersecting ? e.intersectionRect : null);
        if (found.size >= els.size) end();
      }, beyond ? { rootMargin: '1000000px' } : {});
      const timer = setTimeout(end, 1000);
      for (const el of els) observer.observe(el);
      if (!els.size) end();
    });
  }

  /**
   * Where each of some elements can be seen, in this window: [x, y, width,
   * height], or null. What lies out of the window counts only with `beyond`,
   * and then is not asked what covers it.
   */
  async function seen(beyond, ...els) {
    const shown = els.map((el) => {
      const t = el?.isConnected ? target(el) : null;
      return t && t.ownerDocument === document && t.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ? t : null;
    });
    const cut = await uncut(new Set(shown.filter(Boolean)), beyond);
    const window = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    return {
      places: shown.map((t) => {
        const whole = t && cut.get(t);
        if (!whole) return null;
        // Of a link that is broken over lines the largest piece.
        let best = null;
        for (const b of boxes(t)) {
          const part = common(b, whole);
          const size = (p) => (p.right - p.left) * (p.bottom - p.top);
          if (part && (!best || size(part) > size(best))) best = part;
        }
        if (!best) return null;
        const inside = common(best, window);
        if (inside ? !(clear(t, [inside]) || getComputedStyle(t).pointerEvents === 'none') : !beyond) return null;
        return [best.left, best.top, best.right - best.left, best.bottom - best.top];
      }),
      width: innerWidth, height: innerHeight,
    };
  }

  /** Which of some points of this window show a frame. */
  function frames(points) {
    return { frames: points.map(([x, y]) => /^(iframe|frame|object|embed|fencedframe)$/.test(s.core.at(x, y)?.localName ?? '')) };
  }

  const colours = ['#c2185b', '#1565c0', '#2e7d32', '#6a1b9a', '#bf360c', '#00695c'];

  /** Where a label does the least harm: a place near its box. */
  function settle(b, w, h, width, height, labels, marks) {
    const right = b.x + b.width, bottom = b.y + b.height;
    let best = null;
    for (const [x, y, dear] of [
      [b.x, b.y - h, 0], [right - w, b.y - h, 1], [b.x, bottom, 2], [right - w, bottom, 3],
      [b.x - w, b.y, 4], [right, b.y, 4], [b.x, b.y, 5], [right - w, b.y, 6], [right - w, bottom - h, 7],
    ]) {
      const l = { x: Math.min(Math.max(x, 0), width - w), y: Math.min(Math.max(y, 0), height - h), w, h };
      const over = (o, ow, oh) => Math.max(0, Math.min(l.x + w, o.x + ow) - Math.max(l.x, o.x)) *
        Math.max(0, Math.min(l.y + h, o.y + oh) - Math.max(l.y, o.y));
      let cost = dear * w * h / 50;
      for (const o of labels) cost += over(o, o.w, o.h) * 20;
      // A thing that is larger than many labels can be read beside one.
      for (const o of marks) cost += over(o, o.width, o.height) * (o.width * o.height > 40 * w * h ? 0.3 : 2);
      if (!best || cost < best.cost) best = { ...l, cost };
      if (cost === 0) break;
    }
    return best;
  }

  /** Draws boxes with labels over a picture, all in its pixels. */
  async function annotate(picture, marks, em, format, quality) {
    const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const { width, height } = image;
    const c = new OffscreenCanvas(width, height).getContext('2d', { alpha: false, willReadFrequently: true });
    c.drawImage(image, 0, 0);
    c.font = `bold ${em}px Arial, Helvetica, sans-serif`;
    c.textBaseline = 'middle';
    const line = Math.max(1, em / 8), h = Math.ceil(em * 1.25);
    marks.forEach((m, i) => {
      c.strokeStyle = colours[i % colours.length];
      c.lineWidth = line;
      c.strokeRect(m.x + line / 2, m.y + line / 2, Math.max(m.width - line, 1), Math.max(m.height - line, 1));
    });
    const labels = [];
    marks.forEach((m, i) => {
      const w = Math.ceil(c.measureText(m.ref).width + em * 0.5);
      const l = settle(m, w, h, width, height, labels, marks);
      labels.push(l);
      c.fillStyle = colours[i % colours.length];
      c.fillRect(l.x, l.y, w, h);
      c.fillStyle = '#fff';
      c.fillText(m.ref, l.x + em * 0.25, l.y + h / 2 + em * 0.05);
    });
    const blob = await c.canvas.convertToBlob({ type: 'image/' + format, quality: quality ? quality / 100 : undefined });
    const url = await new Promise((done, fail) => {
      const r = new FileReader();
      r.onload = () => done(r.result);
      r.onerror = () => fail(r.error);
      r.readAsDataURL(blob);
    });
    return { picture: url.slice(url.indexOf(',') + 1) };
  }

  Object.assign(s, { view, drawn, scrollBack, seen, frames, annotate });
})();
