// Scrolling, and what the pointer is over.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.scroll) return;
  const { describe, state, page, boxes, inView } = sidekick.core;

  // In quirks mode :hover alone matches links only. What has no box any more goes
  // on to match it until the page is laid out.
  const under = (el) => el.getClientRects().length > 0 && el.matches(CSS.escape(el.localName) + ':hover');
  const hovered = (el) => ({ hovered: under(el) || !!el.labels && [...el.labels].some(under), state: state(el), page: page() });

  const scrolls = (n, dx, dy) => {
    if (n === document.scrollingElement) return (dy && n.scrollHeight > innerHeight) || (dx && n.scrollWidth > innerWidth);
    const s = getComputedStyle(n);
    return (dy && /auto|scroll|overlay/.test(s.overflowY) && n.scrollHeight > n.clientHeight) ||
      (dx && /auto|scroll|overlay/.test(s.overflowX) && n.scrollWidth > n.clientWidth);
  };

  function scroll(el, direction, pages) {
    if (el && !el.isConnected) return { stale: true };
    if (el && !direction) {
      el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      return { page: page(), visible: boxes(el).some(inView), x: scrollX, y: scrollY };
    }
    const dir = direction || 'down';
    const dx = dir === 'left' ? -1 : dir === 'right' ? 1 : 0;
    const dy = dx ? 0 : dir === 'up' || dir === 'top' ? -1 : 1;
    let n = el;
    while (n && !scrolls(n, dx, dy)) n = n.parentElement ?? n.getRootNode().host;
    n ??= document.scrollingElement ?? document.documentElement;
    const whole = n === document.scrollingElement;
    const h = whole ? innerHeight : n.clientHeight, v = whole ? innerWidth : n.clientWidth;
    const before = [n.scrollLeft, n.scrollTop];
    if (dir === 'top') n.scrollTo({ top: 0, behavior: 'instant' });
    else if (dir === 'bottom') n.scrollTo({ top: n.scrollHeight, behavior: 'instant' });
    else n.scrollBy({ left: dx * pages * v * 0.9, top: dy * pages * h * 0.9, behavior: 'instant' });
    return {
      page: page(), moved: n.scrollLeft !== before[0] || n.scrollTop !== before[1],
      what: whole ? '' : describe(n), x: Math.round(n.scrollLeft), y: Math.round(n.scrollTop),
      maxX: Math.max(0, n.scrollWidth - v), maxY: Math.max(0, n.scrollHeight - h),
    };
  }

  Object.assign(sidekick, { hovered, scroll });
})();
