// Brings an element where it can be acted on, and waits until it stands still.
(() => {
  const sidekick = globalThis.sidekick;
  if (sidekick.prepare) return;
  const { state, act, begin, waits, target, at, obstacle, aim, passes, watch } = sidekick.core;

  /** Ends with the next frame, and says whether there was one. */
  const frame = () => new Promise((done) => {
    const t = setTimeout(done, 100, false);
    requestAnimationFrame(() => { clearTimeout(t); done(true); });
  });

  /** An animation that will end. */
  const passing = (a) => a.playState === 'running' && a.effect?.getComputedTiming().endTime !== Infinity;

  /** Whether something in the document moves, and will come to rest. */
  const moving = () => document.getAnimations().some(passing);

  const shifts = /^(all|transform|translate|scale|rotate|offset|inset|left|top|right|bottom|margin|padding|width|height|zoom|font|line|gap|flex|grid|border)/;

  /** The animations of el and of what it lies in that will end, and for how many ms more. */
  function animations(el) {
    // Asking each element is dear; mostly nothing moves at all.
    let some = false;
    for (let r = el.getRootNode(); r.getAnimations && !some; r = r.host?.getRootNode() ?? {}) some = r.getAnimations().length > 0;
    const list = [];
    for (let n = el; some && n instanceof Element; n = n.parentElement ?? n.getRootNode().host) {
      for (const a of n.getAnimations()) {
        if (passing(a)) list.push({ a, rest: a.effect.getComputedTiming().endTime - (a.currentTime ?? 0) });
      }
    }
    return list;
  }

  /** For how many ms el is still animated; 0 where it is not. */
  const longest = (list) => list.reduce((most, { rest }) => Math.max(most, rest, 1), 0);

  /** Whether one of them moves el, and will be over within the time. */
  const shifting = (list, ms) => list.some(({ a, rest }) => rest < ms &&
    a.effect.getKeyframes?.().some((k) => Object.keys(k).some((p) => shifts.test(p))));

  const lays = /^(height|min-height|max-height|margin|padding|gap|row|flex|grid|font|line|block|border)/;

  /** Whether something before el in the document grows or shrinks, as a fold that opens, and will have done so soon: it pushes el. */
  const pushed = (el) => document.getAnimations().some((a) => passing(a) && a.effect.target?.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING &&
    a.effect.getComputedTiming().endTime - (a.currentTime ?? 0) < 1000 &&
    (a.transitionProperty ? lays.test(a.transitionProperty) : a.effect.getKeyframes?.().some((k) => Object.keys(k).some((p) => lays.test(p)))));

  const place = (el) => { const r = el.getBoundingClientRect(); return `${r.left},${r.top},${r.width},${r.height}`; };

  /**
   * Stands still: nothing animates it, or two frames find it in one place. What
   * will have come to its place within the time is waited for: a tab that is not
   * in front draws too seldom for two frames to say much.
   */
  async function steady(el, ms) {
    const list = animations(el), rest = longest(list);
    // (What goes on being pushed for more than a second or so is not waited for.)
    if (!rest) return ms < 3500 || !pushed(el);
    if (shifting(list, ms)) return false;
    const before = place(el);
    if (await frame()) {
      // An animation that has just begun has moved nothing yet.
      const now = longest(animations(el));
      return place(el) === before && (!now || now < rest);
    }
    // Where nothing is drawn (a tab that is not in front) nothing moves, and yet
    // a page may refuse what comes before it takes an animation to be over.
    await new Promise((done) => { setTimeout(done, Math.min(rest, 1000)); });
    return true;
  }

  /**
   * Brings el where it can be acted on, and answers with a point that hits it
   * ({x, y} in the viewport of this frame) or why it could not.
   */
  async function prepare(el, { timeout = 5000, id = 0, hit = true, clicks = 0, inner = null, how = null } = {}) {
    const w = begin(id);
    const start = performance.now(), until = start + timeout;
    // A page where nothing happens any more will not bring the element round.
    let last = start;
    let observer = null;
    const idle = () => {
      if (moving()) last = performance.now();
      return document.readyState === 'complete' && performance.now() - last > 1000;
    };
    try {
      for (;;) {
        const t = target(el);
        let bad = t ? obstacle(t) : { stale: true };
        if (!bad && t !== el && el.matches?.(':disabled')) bad = { error: 'it is disabled' };
        if (!bad && !(await steady(t, until - performance.now()))) bad = { error: 'it does not stand still' };
        if (!bad) {
          const point = inner ? passes(t, inner) : how ? globalThis.sidekick.pointFor(t, how) : hit ? aim(t) : (t.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' }), {});
          if (!point.error) {
            const r = t.getBoundingClientRect();
            act();
            if (clicks) watch(t, el, clicks, at(point.x, point.y));
            return { ...point, at: Date.now(), rect: { x: r.x, y: r.y, width: r.width, height: r.height }, width: innerWidth, height: innerHeight, state: state(el) };
          }
          bad = point;
        }
        if (bad.stale || performance.now() >= until || idle()) return bad;
        if (w.over) return { cancelled: true };
        if (!observer) {
          observer = new MutationObserver(() => { last = performance.now(); });
          observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
        }
        await Promise.race([new Promise((r) => setTimeout(r, 50)), new Promise((r) => { w.wake = r; })]);
        if (w.over) return { cancelled: true };
      }
    } finally {
      waits.delete(id);
      observer?.disconnect();
    }
  }

  sidekick.prepare = prepare;
})();
