import assert from 'node:assert/strict';
import {test} from 'node:test';
import {FileDialogs} from '../worker/filedialogs.js';

const KEEP = 'Page.setInterceptFileChooserDialog';

test('file dialogs are kept back from an agent\'s input on, and for five seconds', (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  /** @type {any[]} */
  const sent = [];
  const d = new FileDialogs((target, method, params) => sent.push([target.sessionId ?? '', method, params.enabled]));
  d.before({tabId: 1}, 'Runtime.callFunctionOn');
  assert.deepEqual(sent, []);
  d.before({tabId: 1}, 'Input.dispatchMouseEvent');
  d.before({tabId: 1, sessionId: 'F'}, 'Input.dispatchKeyEvent');
  assert.deepEqual(sent, [['', KEEP, true], ['F', KEEP, true]]);
  t.mock.timers.tick(4000);
  d.before({tabId: 1}, 'Input.dispatchMouseEvent'); // it goes on, without being said again
  t.mock.timers.tick(1000);
  assert.deepEqual(sent.slice(2), [['F', KEEP, false]]);
  t.mock.timers.tick(4000);
  assert.deepEqual(sent.slice(3), [['', KEEP, false]]);
});

test('what the agent says itself holds, and a tab that is let go needs nothing more', (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  /** @type {any[]} */
  const sent = [];
  const d = new FileDialogs((target, _, params) => sent.push([target.tabId, params.enabled]));
  d.before({tabId: 1}, 'Input.dispatchMouseEvent');
  d.told({tabId: 1});
  d.before({tabId: 2}, 'Input.dispatchMouseEvent');
  d.left(2);
  t.mock.timers.tick(60_000);
  assert.deepEqual(sent, [[1, true], [2, true]]);
  d.before({tabId: 2}, 'Input.dispatchMouseEvent'); // attached anew
  assert.deepEqual(sent.at(-1), [2, true]);
});
