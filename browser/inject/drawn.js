// What a page shows by drawing alone: the shapes of SVG pictures, boxes of a
// colour, lists for assistive software that nobody sees. Of these the browser's
// accessibility tree knows no more than that they are there, if that.
(() => {
  const s = globalThis.sidekick;
  if (s.core.shapes) return;

  /** How many shapes are told of one picture, and of all. */
  const SHAPES = 120, ALL = 400;
  /** A smaller picture is an icon. */
  const ICON = 48;

  /** A computed colour as #rrggbb; '' for one that nobody sees. */
  function colour(css) {
    const m = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(css);
    if (!m || m[4] !== undefined && Number(m[4]) < 0.05) return '';
    return '#' + m.slice(1, 4).map((c) => Number(c).toString(16).padStart(2, '0')).join('');
  }

  const size = (r) => `${Math.round(r.width)}×${Math.round(r.height)}`;

  /** The colour and the size of a box that shows nothing else. */
  function box(el) {
    if (el.childElementCount || el instanceof SVGElement) return '';
    const c = colour(getComputedStyle(el).backgroundColor);
    return c && `${c} ${size(el.getBoundingClientRect())}`;
  }

  const kinds = {
    rect: (el, r) => Math.abs(r.width - r.height) <= 1 ? 'square' : 'rectangle',
    polygon: (el) => el.points.numberOfItems === 3 ? 'triangle' : `polygon of ${el.points.numberOfItems}`,
    circle: () => 'circle', ellipse: () => 'ellipse', polyline: () => 'line', line: () => 'line', path: () => 'path', text: () => 'text',
  };

  /** What a shape is, and where in its picture: its middle, or the two ends of a line. */
  function shape(el, picture) {
    const kind = kinds[el.localName];
    if (!kind || !el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return null;
    const r = el.getBoundingClientRect(), style = getComputedStyle(el);
    if (r.width + r.height < 1) return null;
    const fill = el.localName === 'line' ? '' : colour(style.fill), stroke = colour(style.stroke);
    if (!fill && !stroke && !style.fill.startsWith('url')) return null;
    const at = (x, y) => `${Math.round(x - picture.left)},${Math.round(y - picture.top)}`;
    if (el.localName === 'line') {
      const m = el.getScreenCTM();
      const end = (x, y) => { const p = new DOMPoint(x.baseVal.value, y.baseVal.value).matrixTransform(m); return at(p.x, p.y); };
      return { what: `${stroke} line`, at: `${end(el.x1, el.y1)}–${end(el.x2, el.y2)}` };
    }
    const thin = /^(path|polyline)$/.test(el.localName);
    return { what: `${fill || stroke + (thin ? '' : ' outlined')} ${kind(el, r)} ${size(r)}`.trim(), at: at((r.left + r.right) / 2, (r.top + r.bottom) / 2) };
  }

  const unseen = 'defs,clipPath,mask,pattern,symbol,marker';
  /** A picture in one of these is its icon. */
  const holders = 'a[href],button,[role=button],[role=link],[role=img],[role=tab],label,summary';

  const named = (svg) => svg.ariaLabel || svg.hasAttribute('aria-labelledby') || svg.ariaHidden === 'true' ||
    [...svg.children].some((c) => c.localName === 'title');

  /** Whether the shapes of a picture are told, which is at r: it is no icon. */
  const tells = (svg, r = svg.getBoundingClientRect()) => r.width >= ICON && r.height >= ICON && !svg.closest(holders);

  /** Keeps shapes of the elements that it is given: {i, in, what, at}, by the numbers that add gives. */
  function shapes(add) {
    const list = [], pictures = new Map();
    const take = (el) => {
      if (list.length >= ALL || !(el instanceof SVGGraphicsElement) || el instanceof SVGSVGElement || !kinds[el.localName]) return;
      let svg = el.ownerSVGElement;
      while (svg?.ownerSVGElement) svg = svg.ownerSVGElement;
      if (!svg) return;
      let p = pictures.get(svg);
      if (!p) {
        const r = svg.getBoundingClientRect();
        pictures.set(svg, p = { r, left: tells(svg, r) ? SHAPES : 0, named: named(svg) });
      }
      if (!p.left || el.closest(unseen)) return;
      const d = shape(el, p.r);
      if (!d) return;
      p.left--;
      // Of drawings made of paths, and of texts, only what can be clicked is worth a word.
      list.push({ i: add(el), in: add(svg), ...d, plain: !p.named && !/^(path|polyline|text)$/.test(el.localName) || undefined });
    };
    return { list, take };
  }

  const lists = '[role=listbox],[role=menu],[role=tree],[role=grid]';

  /**
   * Whether el is a list that is there for assistive software alone: it has no
   * size for a person to see, and what shows its options is elsewhere.
   */
  function veiled(el) {
    if (!el.matches(lists)) return false;
    const r = el.getBoundingClientRect();
    return r.width * r.height === 0 && el.getClientRects().length > 0 && getComputedStyle(el).overflow !== 'visible';
  }

  Object.assign(s.core, { shapes, tells, box, veiled });
})();
