/**
 * What of an accessibility tree goes to an agent: what each node is, not how the
 * browser came to think so. That is two thirds of it, and each byte goes through
 * four more processes.
 */

/** @param {any} v an AXValue */
const bare = (v) => (v === undefined || v === null ? undefined : {value: v.value});

/** @param {{name: string}} reason */
const telling = (reason) => reason.name === 'activeModalDialog';

/**
 * The same nodes without the sources of their names, the types of their values,
 * the boxes of their lines, and what is said by being left out.
 * @param {any} tree with nodes: of Accessibility.getFullAXTree, getPartialAXTree, queryAXTree
 */
export function slim(tree) {
  if (!Array.isArray(tree?.nodes)) return tree;
  const nodes = [];
  for (const n of tree.nodes) {
    if (n.role?.value === 'InlineTextBox') continue;
    nodes.push({
      nodeId: n.nodeId,
      ignored: n.ignored || undefined,
      ignoredReasons: some(n.ignoredReasons?.filter(telling)),
      role: bare(n.role),
      name: n.name?.value ? bare(n.name) : undefined,
      description: n.description?.value ? bare(n.description) : undefined,
      value: bare(n.value),
      properties: some(n.properties?.map((/** @type {any} */ p) => ({name: p.name, value: bare(p.value)}))),
      parentId: n.parentId,
      childIds: some(n.childIds),
      backendDOMNodeId: n.backendDOMNodeId,
      frameId: n.frameId,
    });
  }
  return {...tree, nodes};
}

/**
 * @template T
 * @param {T[] | undefined} list
 */
const some = (list) => (list?.length ? list : undefined);
