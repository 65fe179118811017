import assert from 'node:assert/strict';
import {test} from 'node:test';
import {slim} from '../worker/axtree.js';
import {Rig} from './rig.js';

/** A heading as Chrome tells of it, and the line that its text is drawn on. */
const WHOLE = {
  nodes: [
    {
      nodeId: '1', ignored: false, role: {type: 'role', value: 'heading'}, chromeRole: {type: 'internalRole', value: 96},
      name: {type: 'computedString', value: 'Feed', sources: [{type: 'attribute', attribute: 'aria-label'}]},
      properties: [{name: 'level', value: {type: 'integer', value: 1}}, {name: 'modal', value: {type: 'boolean', value: false}}],
      childIds: ['2', '-3'], backendDOMNodeId: 41, frameId: 'F',
    },
    {
      nodeId: '2', ignored: true, ignoredReasons: [{name: 'uninteresting', value: {type: 'boolean', value: true}}],
      role: {type: 'role', value: 'none'}, name: {type: 'computedString', value: '', sources: []}, properties: [],
      parentId: '1', childIds: [], backendDOMNodeId: 42,
    },
    {nodeId: '-3', ignored: false, role: {type: 'internalRole', value: 'InlineTextBox'}, name: {value: 'Feed'}, parentId: '1'},
    {nodeId: '4', ignored: true, ignoredReasons: [{name: 'activeModalDialog', value: {type: 'idref'}}], role: {value: 'none'}},
  ],
};

const TOLD = [
  {
    nodeId: '1', role: {value: 'heading'}, name: {value: 'Feed'},
    properties: [{name: 'level', value: {value: 1}}, {name: 'modal', value: {value: false}}],
    childIds: ['2', '-3'], backendDOMNodeId: 41, frameId: 'F',
  },
  {nodeId: '2', ignored: true, role: {value: 'none'}, parentId: '1', backendDOMNodeId: 42},
  {nodeId: '4', ignored: true, ignoredReasons: [{name: 'activeModalDialog', value: {type: 'idref'}}], role: {value: 'none'}},
];

/** @param {any} v */
const wire = (v) => JSON.parse(JSON.stringify(v));

test('a node is told without how it came to be so', () => {
  assert.deepEqual(wire(slim(WHOLE).nodes), TOLD);
});

test('what is no tree is passed as it is', () => {
  assert.deepEqual(slim({}), {});
  assert.equal(slim(undefined), undefined);
});

test('an agent gets slim trees, alone and in sequences', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = (_, method) => method.startsWith('Accessibility.') ? WHOLE : {};
  for (const method of ['Accessibility.getFullAXTree', 'Accessibility.queryAXTree', 'Accessibility.getPartialAXTree']) {
    assert.deepEqual(wire((await rig.call(a, method, {}, 't1')).nodes), TOLD);
    const run = await rig.call(a, 'Sidekick.run', {steps: [{method, params: {}}]}, 't1');
    assert.deepEqual(wire(run.answers[0].result.nodes), TOLD);
  }
});
