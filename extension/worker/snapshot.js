/**
 * What of a `DOMSnapshot.captureSnapshot` goes to an agent: the nodes that
 * react to clicks. The whole has every text and attribute of the page, 150 kB
 * for 2,000 nodes, and readings have those from elsewhere.
 */

/**
 * The same snapshot with only the nodes that are clickable and laid out.
 * @param {any} whole
 */
export function onlyClickable(whole) {
  /** @type {string[]} */
  const strings = [];
  /** @type {Map<number, number>} */
  const places = new Map();
  /** @param {number} i a place in the whole's strings */
  const text = (i) => {
    if (!(i >= 0)) return -1;
    let n = places.get(i);
    if (n === undefined) {
      n = strings.push(whole.strings?.[i] ?? '') - 1;
      places.set(i, n);
    }
    return n;
  };
  const documents = (whole.documents ?? []).map((/** @type {any} */ d) => {
    const from = d.nodes ?? {}, boxes = d.layout ?? {};
    const nodes = {
      /** @type {number[]} */ nodeName: [],
      /** @type {number[]} */ backendNodeId: [],
      /** @type {number[][]} */ attributes: [],
      isClickable: {index: /** @type {number[]} */ ([])},
    };
    const layout = {
      /** @type {number[]} */ nodeIndex: [],
      /** @type {number[][]} */ styles: [],
      /** @type {number[][]} */ bounds: [],
      text: [], stackingContexts: {index: []},
    };
    /** @type {Map<number, number>} */
    const box = new Map();
    boxes.nodeIndex?.forEach((/** @type {number} */ node, /** @type {number} */ i) => {
      if (!box.has(node)) box.set(node, i);
    });
    for (const node of from.isClickable?.index ?? []) {
      const b = box.get(node);
      if (b === undefined) continue;
      const i = nodes.backendNodeId.push(from.backendNodeId[node]) - 1;
      nodes.nodeName.push(text(from.nodeName?.[node]));
      nodes.attributes.push((from.attributes?.[node] ?? []).map(text));
      nodes.isClickable.index.push(i);
      layout.nodeIndex.push(i);
      layout.styles.push((boxes.styles?.[b] ?? []).map(text));
      layout.bounds.push(boxes.bounds?.[b] ?? []);
    }
    return {
      frameId: text(d.frameId), documentURL: -1, title: -1, baseURL: -1, contentLanguage: -1, encodingName: -1, publicId: -1, systemId: -1,
      nodes, layout, textBoxes: {layoutIndex: [], bounds: [], start: [], length: []},
    };
  });
  return {documents, strings};
}
