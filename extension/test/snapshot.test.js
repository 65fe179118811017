import assert from 'node:assert/strict';
import {test} from 'node:test';
import {onlyClickable} from '../worker/snapshot.js';
import {Rig} from './rig.js';

/** A page with a plain paragraph, a span that listens, and one that listens and is not drawn. */
const WHOLE = {
  strings: ['F1', 'P', 'SPAN', 'class', 'icon', 'secret text', 'visible', 'id', 'x'],
  documents: [{
    frameId: 0, documentURL: 5,
    nodes: {
      nodeName: [1, 2, 2], nodeValue: [5, -1, -1], backendNodeId: [11, 12, 13],
      attributes: [[7, 5], [3, 4], [7, 8]], isClickable: {index: [1, 2]},
    },
    layout: {nodeIndex: [0, 1], styles: [[6], [6]], bounds: [[0, 0, 9, 9], [1, 2, 3, 4]], text: [-1, -1]},
    textBoxes: {},
  }],
};

test('only what is clickable and drawn goes out', () => {
  const got = onlyClickable(WHOLE);
  const {nodes, layout} = got.documents[0];
  /** @param {number} i */
  const text = (i) => got.strings[i];
  assert.deepEqual(nodes.backendNodeId, [12]);
  assert.deepEqual(nodes.nodeName.map(text), ['SPAN']);
  assert.deepEqual(nodes.attributes[0].map(text), ['class', 'icon']);
  assert.deepEqual(nodes.isClickable.index, [0]);
  assert.deepEqual([layout.nodeIndex, layout.bounds], [[0], [[1, 2, 3, 4]]]);
  assert.deepEqual(layout.styles[0].map(text), ['visible']);
  assert.ok(!JSON.stringify(got).includes('secret'));
});

test('a snapshot without anything is one', () => {
  assert.deepEqual(onlyClickable({}), {documents: [], strings: []});
  assert.deepEqual(onlyClickable({documents: [{}], strings: []}).documents[0].nodes.backendNodeId, []);
});

test('an agent gets a snapshot of the clickable alone', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = (_, method) => method === 'DOMSnapshot.captureSnapshot' ? WHOLE : {};
  const got = await rig.call(a, 'DOMSnapshot.captureSnapshot', {computedStyles: ['visibility']}, 't1');
  assert.deepEqual(got.documents[0].nodes.backendNodeId, [12]);
  const run = await rig.call(a, 'Sidekick.run', {steps: [{method: 'DOMSnapshot.captureSnapshot', params: {computedStyles: []}}]}, 't1');
  assert.deepEqual(run.answers[0].result.documents[0].nodes.backendNodeId, [12]);
});
